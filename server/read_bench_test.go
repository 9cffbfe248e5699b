package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/metrics"
	"strconv"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
)

// BenchmarkRead measures resources/read over HTTP from a page in Go: 1 KB of text, by
// clients that read one after another on a connection of their own.
func BenchmarkRead(b *testing.B) { benchmarkRead(b, benchGateway(b, nil)) }

// BenchmarkReadKept is BenchmarkRead of a published value, which the gateway has.
func BenchmarkReadKept(b *testing.B) {
	benchmarkRead(b, benchGateway(b, &remotetest.Publisher{Publishes: func(string) bool { return true }}))
}

func benchmarkRead(b *testing.B, g *Gateway) {
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		for _, clients := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", revision, clients), func(b *testing.B) {
				transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
				defer transport.CloseIdleConnections()
				client := &http.Client{Transport: transport, Timeout: testTime}
				header := http.Header{
					"Authorization": {"Bearer " + g.testToken()}, "Content-Type": {"application/json"},
					"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {revision},
				}
				params := `"uri":"notes+note://1"`
				send := func(id int, method, params string) *http.Response {
					body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, id, method, params)
					request, err := http.NewRequest(http.MethodPost, g.URL(), bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						return nil
					}
					request.Header = header
					response, err := client.Do(request)
					if err != nil {
						b.Error(err)
						return nil
					}
					answer, err := io.ReadAll(response.Body)
					response.Body.Close()
					if err != nil || response.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"result"`)) {
						b.Errorf("%d %s: %v", response.StatusCode, answer, err)
					}
					return response
				}
				if revision == engine.LatestModern {
					header["Mcp-Method"], header["Mcp-Name"] = []string{"resources/read"}, []string{"notes+note://1"}
					params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}`
				} else {
					begun := send(-1, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}`)
					header["Mcp-Session-Id"] = begun.Header["Mcp-Session-Id"]
				}
				send(-1, "resources/read", params)
				report := startMeasuring(b)
				var all sync.WaitGroup
				for i := range clients {
					all.Go(func() {
						for n := i; n < b.N && !b.Failed(); n += clients {
							send(n, "resources/read", params)
						}
					})
				}
				all.Wait()
				report()
			})
		}
	}
}

// BenchmarkReadSocket is BenchmarkRead over WebSocket, and server/discover, which the gateway answers
// itself.
func BenchmarkReadSocket(b *testing.B) {
	g := benchGateway(b, nil)
	const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for name, request := range map[string]string{
		"read":     `"method":"resources/read","params":{"uri":"notes+note://1",` + envelope + `}`,
		"discover": `"method":"server/discover","params":{` + envelope + `}`,
	} {
		b.Run(name, func(b *testing.B) {
			conn, _, err := websocket.Dial(b.Context(), "ws://127.0.0.1:"+strconv.Itoa(g.Port())+"/ws", &websocket.DialOptions{
				HTTPHeader: http.Header{"Authorization": {"Bearer " + g.testToken()}}, Subprotocols: []string{gateway.AssistantProtocol},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer conn.CloseNow()
			send := func(id int) {
				err := conn.Write(b.Context(), websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s}`, id, request))
				if err != nil {
					b.Fatal(err)
				}
				if _, answer, err := conn.Read(b.Context()); err != nil || !bytes.Contains(answer, []byte(`"result"`)) {
					b.Fatalf("%s: %v", answer, err)
				}
			}
			send(-1)
			report := startMeasuring(b)
			for n := range b.N {
				send(n)
			}
			report()
		})
	}
}

// startMeasuring begins the measured part of a benchmark. report adds the processor time and
// the number of goroutines that were started, of client, gateway and page.
func startMeasuring(b *testing.B) (report func()) {
	b.ReportAllocs()
	processor, goroutines := processorTime(), goroutinesCreated()
	b.ResetTimer()
	return func() {
		b.ReportMetric(float64((processorTime()-processor).Microseconds())/float64(b.N), "cpu-µs/op")
		b.ReportMetric(float64(goroutinesCreated()-goroutines)/float64(b.N), "goroutines/op")
	}
}

func goroutinesCreated() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// benchGateway returns a gateway with a page that has note://1. The page publishes it by publishes, unless that is nil.
func benchGateway(b *testing.B, publishes *remotetest.Publisher) *Gateway {
	g := startGateway(b, Options{Limits: Limits{ReadsPerSecond: 1_000_000_000}})
	p := newPage(b, testOrigin, "bench tab")
	p.mute, p.publishes = true, publishes
	text := string(bytes.Repeat([]byte("x"), 1_024))
	err := p.table.Put(engine.Entry{
		Resource: engine.Resource{URI: "note://1", Name: "1", MIMEType: "text/plain", Size: -1},
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: text}}, nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	p.join(g)
	return g
}
