package gatewaytest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Texts are the text resources of a page.
type Texts struct {
	mu  sync.Mutex
	all map[string]string
}

// Write changes or makes a resource of table.
func (x *Texts) Write(t testing.TB, table *engine.Table, uri, text string) {
	t.Helper()
	if x.set(uri, text) {
		table.Changed(uri)
		return
	}
	if err := table.Put(engine.Entry{
		JSON: engine.Describe("uri", uri, "name", uri, "mimeType", "text/plain"),
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			x.mu.Lock()
			defer x.mu.Unlock()
			return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: x.all[uri]}}, nil
		},
	}); err != nil {
		t.Fatal(err)
	}
}

func (x *Texts) set(uri, text string) (known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == nil {
		x.all = map[string]string{}
	}
	_, known = x.all[uri]
	x.all[uri] = text
	return known
}

// PutTool registers a tool of a page that returns a text. properties is JSON, of its inputSchema.
func PutTool(t testing.TB, table *engine.Table, name, properties string, call func() string) {
	t.Helper()
	if err := table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","description":"A tool of the page.","inputSchema":{"type":"object","properties":` + properties + `}}`),
		Call: func(context.Context, []byte) ([]byte, error) {
			return []byte(`{"content":[{"type":"text","text":"` + call() + `"}]}`), nil
		},
	}); err != nil {
		t.Fatal(err)
	}
}

// A Tap is between a page and its socket. It keeps what the page receives, and changes what it
// sends.
type Tap struct {
	Forge func(msg []byte) []byte // nil: nothing is changed; a message that becomes nil is dropped

	mu       sync.Mutex
	received []string
}

// On returns a port with the tap.
func (tap *Tap) On(port jsonrpc.Port) jsonrpc.Port { return tapped{port, tap} }

// Received returns all that the page has received.
func (tap *Tap) Received() []string {
	tap.mu.Lock()
	defer tap.mu.Unlock()
	return slices.Clone(tap.received)
}

type tapped struct {
	jsonrpc.Port
	tap *Tap
}

func (p tapped) Read(ctx context.Context) ([]byte, error) {
	msg, err := p.Port.Read(ctx)
	p.tap.mu.Lock()
	defer p.tap.mu.Unlock()
	p.tap.received = append(p.tap.received, string(msg))
	return msg, err
}

func (p tapped) Write(ctx context.Context, msg []byte) error {
	if p.tap.Forge != nil {
		if msg = p.tap.Forge(msg); msg == nil {
			return nil
		}
	}
	return p.Port.Write(ctx, msg)
}
