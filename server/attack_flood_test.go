package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// slowBody sends the header of a POST in memory, and then a byte of its body every so
// often; 0: none. It returns the status and after what time the connection was closed.
func slowBody(t *testing.T, client *http.Client, header string, length string, every time.Duration) (status int, answered, closed time.Duration) {
	t.Helper()
	conn, err := client.Transport.(*http.Transport).DialContext(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	start := time.Now()
	conn.SetDeadline(start.Add(time.Hour)) // in which it should have ended
	go func() {                            // ends with the connection
		io.WriteString(conn, strings.ReplaceAll("POST /mcp HTTP/1.1\nHost: 127.0.0.1:8808\n"+header+length+"\n\n", "\n", "\r\n"))
		for every > 0 {
			time.Sleep(every)
			text := " "
			if strings.HasPrefix(length, "Transfer-Encoding") {
				text = "1\r\n \r\n"
			}
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}()
	read := bufio.NewReader(conn)
	answer, err := http.ReadResponse(read, nil)
	if err == nil {
		status, answered = answer.StatusCode, time.Since(start)
		io.Copy(io.Discard, answer.Body)
	}
	io.Copy(io.Discard, read)
	return status, answered, time.Since(start)
}

// A request body times out after 10 s without data, and after 30 s in total. A request
// without a token, or one that the guard rejects, is answered before its body.
func TestSlowBodiesEnd(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
		const json = "Content-Type: application/json\n"
		token := "Authorization: Bearer " + g.testToken() + "\n"
		for _, length := range []string{"Content-Length: 1000", "Content-Length: 300000", "Transfer-Encoding: chunked"} {
			for _, x := range []struct {
				what, header string
				every        time.Duration
				status       int
				answered     time.Duration // at most
				closed       time.Duration // at most
			}{
				{"with a token, silent", token + json, 0, 400, 10 * time.Second, 11 * time.Second},
				{"with a token, a byte every 4 s", token + json, 4 * time.Second, 400, 30 * time.Second, 31 * time.Second},
				{"with a token and a wrong type, silent", token + "Content-Type: text/plain\n", 0, 415, 0, 11 * time.Second},
				{"without a token, silent", json, 0, 401, 0, 11 * time.Second},
				{"without a token, a byte every 4 s", json, 4 * time.Second, 401, 0, 11 * time.Second},
				{"of a foreign site, silent", json + "Origin: https://evil.example\n", 0, 403, 0, 11 * time.Second},
				{"of a foreign site, a byte every 4 s", json + "Origin: https://evil.example\n", 4 * time.Second, 403, 0, 11 * time.Second},
				{"with Expect", token + json + "Expect: 100-continue\n", 0, 100, 0, 11 * time.Second},
			} {
				status, answered, closed := slowBody(t, client, x.header, length, x.every)
				if status != x.status || answered > x.answered || closed > x.closed {
					t.Errorf("%s, %s: %d after %v, closed after %v", x.what, length, status, answered, closed)
				}
			}
		}
	})
}

// discoverTimes sends server/discover on a new connection each time and returns the
// sorted latencies.
func discoverTimes(t *testing.T, g *Gateway, times int) (took []time.Duration) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 4 * testTime}
	for range times {
		start := time.Now()
		answer, err := client.Do(request(t.Context(), g, g.testToken(), "POST", "/mcp", discover, v2026, "Mcp-Method: server/discover"))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Fatal(answer.Status)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took
}

func p99(sorted []time.Duration) time.Duration { return sorted[len(sorted)*99/100] }

// Connections that send nothing, or only part of a request, do not block assistants, and
// their number is limited.
func TestIdleConnectionsDoNotBlockAssistants(t *testing.T) {
	for name, says := range map[string]string{
		"silent": "", "with half a header": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n",
		"with a body that does not come": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := startGateway(t, Options{})
			calm := discoverTimes(t, g, 100)
			before := memory()
			says := strings.ReplaceAll(says, "%d", strconv.Itoa(g.Port()))
			conns := make([]net.Conn, 0, 3_000)
			defer func() {
				for _, conn := range conns {
					conn.Close()
				}
			}()
			start := time.Now()
			for range cap(conns) {
				conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port())))
				if err != nil {
					t.Fatal(err)
				}
				conns = append(conns, conn)
				io.WriteString(conn, says) // its connection may be closed already
			}
			opened := time.Since(start)
			took := discoverTimes(t, g, 100)
			grown := memory() - before
			t.Log(figureLine("3,000 connections "+name, grown, calm, took), "opened in", opened)
			if grown > 32<<20 {
				t.Errorf("the gateway and these connections take %.1f MiB", grown/(1<<20))
			}
			var open atomic.Int64
			open.Add(int64(len(conns)))
			for _, conn := range conns {
				go func() { // ends with the connection
					io.Copy(io.Discard, conn)
					open.Add(-1)
				}()
			}
			eventually(t, "only some of them are left", func() bool { return open.Load() <= limits.MaxPerAddress })
		})
	}
}

// figureLine formats what a flood cost.
func figureLine(what string, grown float64, calm, during []time.Duration) string {
	return fmt.Sprintf("%s: memory %+.1f MiB, p99 of another assistant %.1f ms (without: %.1f ms)",
		what, grown/(1<<20), float64(p99(during).Microseconds())/1000, float64(p99(calm).Microseconds())/1000)
}
