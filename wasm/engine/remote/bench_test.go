package remote_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// BenchmarkReadThroughHubs reads a small resource of a page directly, and through one and
// two engines that mount it as a Remote: what a hop costs without its carrier. With
// -test.cpu 1 nothing but the work is measured; with more, also the switches of goroutines.
func BenchmarkReadThroughHubs(b *testing.B) {
	for hubs := range 3 {
		b.Run(fmt.Sprint(hubs), func(b *testing.B) {
			near, far := jsonrpc.Pipe()
			go answerReads(far) // ends with the pipe
			r, err := remote.Attach(b.Context(), near)
			if err != nil {
				b.Fatal(err)
			}
			for range hubs {
				near, far := jsonrpc.Pipe()
				hub := engine.New(engine.Info{Name: "hub", Version: "1"}, nil)
				hub.Mount("", r)
				go hub.Serve(engine.WithSpeakForOthers(context.Background()), far) // ends with the pipe
				b.Cleanup(r.Close)
				if r, err = remote.Attach(b.Context(), near); err != nil {
					b.Fatal(err)
				}
			}
			b.Cleanup(r.Close)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Read(b.Context(), "notes://a"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// answerReads is a page that costs little.
func answerReads(p jsonrpc.Port) {
	const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{}},"serverInfo":{"name":"page","version":"1"},"ttlMs":0,"cacheScope":"private"}`
	const read = `{"contents":[{"uri":"notes://a","text":"a text"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`
	for {
		data, err := p.Read(context.Background())
		if err != nil {
			return
		}
		m, refusal := jsonrpc.Parse(data)
		if refusal != nil || m.Kind != jsonrpc.Request {
			continue
		}
		result := read
		if m.Method == "server/discover" {
			result = discovered
		}
		p.Write(context.Background(), jsonrpc.AppendResult(nil, m.ID, []byte(result)))
	}
}

// BenchmarkReadMirrored reads a value of 1 KB that a page has published, at a gateway that keeps
// it, and at one that does not.
func BenchmarkReadMirrored(b *testing.B) {
	for _, keeps := range []bool{false, true} {
		b.Run(fmt.Sprintf("mirror=%v", keeps), func(b *testing.B) {
			near, far := jsonrpc.Pipe()
			page := engine.New(engine.Info{Name: "page", Version: "1"}, nil)
			table := engine.NewTable()
			page.Mount("", table)
			contents := []engine.Contents{{URI: "notes://a", MIMEType: "text/plain", Text: strings.Repeat("x", 1000)}}
			err := table.Put(engine.Entry{
				Resource: engine.Resource{URI: "notes://a", Name: "a"},
				Read:     func(context.Context, string) ([]engine.Contents, error) { return contents, nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			publisher := &remotetest.Publisher{Port: far, Publishes: func(string) bool { return true }}
			go page.Serve(engine.WithSpeakForOthers(context.Background()), publisher) // ends with the pipe
			r := remote.New()
			if keeps {
				r.MirrorIn(remote.NewMirror().Share())
			}
			b.Cleanup(r.Close)
			if err := r.Reattach(b.Context(), near); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Read(b.Context(), "notes://a"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
