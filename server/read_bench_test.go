package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// BenchmarkRead measures resources/read over HTTP from a page in Go: 1 KB of text, by
// clients that read one after another on a connection of their own.
func BenchmarkRead(b *testing.B) {
	g := startGateway(b, Options{Limits: Limits{ReadsPerSecond: 1_000_000_000}})
	p := newPage(b, testOrigin, "bench tab")
	p.mute = true
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
				b.ReportAllocs()
				before := processorTime()
				b.ResetTimer()
				var all sync.WaitGroup
				for i := range clients {
					all.Go(func() {
						for n := i; n < b.N && !b.Failed(); n += clients {
							send(n, "resources/read", params)
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}
