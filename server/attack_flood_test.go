package server

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
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
