//go:build unix

package clustertest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/history"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// pageURI is the resource of simulated pages.
const pageURI = "notes://a"

// A document is what a witness has in a tab: a resource whose versions are recorded, and two
// tools whose runs are. It keeps its data when it joins again, and when it is loaded again.
type document struct {
	w        *witness
	user, id string
	table    *engine.Table
	engine   *engine.Engine

	mu      sync.Mutex
	version int
	loads   int // how often the page was loaded again
}

func (w *witness) newDocument(user, id string) *document {
	w.d.t.Helper()
	d := &document{w: w, user: user, id: id, table: engine.NewTable()}
	d.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{UpdateInterval: 20 * time.Millisecond, Tools: true})
	d.engine.Mount("", d.table)
	err := d.table.Put(engine.Entry{JSON: engine.Describe("uri", pageURI, "name", "a"), Read: d.read})
	if err == nil {
		err = d.table.Put(d.tool("echo", 0), d.tool("slow", time.Second))
	}
	if err != nil {
		w.d.t.Fatal(err)
	}
	return d
}

func (d *document) store() string { return storeOf(d.user, d.id) }

// tool returns a tool that waits, and answers with the id of the call.
func (d *document) tool(name string, wait time.Duration) engine.Entry {
	description := []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`)
	return engine.Entry{Kind: engine.Tools, JSON: description, Call: func(ctx context.Context, arguments []byte) ([]byte, error) {
		id, _ := jsonrpc.Text(jsonrpc.Member(arguments, "id"))
		d.w.h.Add(history.Event{Kind: history.Run, Who: d.id, ID: id})
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return append(jsonrpc.AppendString([]byte(`{"content":[{"type":"text","text":`), id), "}]}"...), nil
	}}
}

func (d *document) read(context.Context, string) ([]engine.Contents, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []engine.Contents{{URI: pageURI, Text: fmt.Sprintf("of %s %s %d", d.user, d.store(), d.version)}}, nil
}

// write changes the resource.
func (d *document) write() {
	d.put()
	d.table.Changed(pageURI)
}

// put records the version that a read returns from then on.
func (d *document) put() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version++
	d.w.h.Add(history.Event{Kind: history.Write, Who: d.store(), URI: pageURI, Version: d.version})
}

// instance is the id of the present document, as in the frame of a join.
func (d *document) instance() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strconv.Itoa(1 + d.loads)
}

// load replaces the document by another one of the same tab.
func (d *document) load() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loads++
}

// serve serves a page that has joined until its socket is closed.
func (d *document) serve(p *simPage) {
	defer close(p.done)
	defer p.conn.CloseNow()
	e := history.Event{Kind: history.Join, Sent: p.began.Sub(d.w.h.Began), Who: p.id, ID: p.id + "." + p.instance, Name: p.name, Text: d.store(), Socket: int(d.w.sockets.Add(1))}
	d.w.h.Add(e)
	d.engine.Serve(context.Background(), p)
	e.Kind, e.Code = history.Leave, int(p.code)
	d.w.h.Add(e)
}

// Read implements jsonrpc.Port.
func (p *simPage) Read(ctx context.Context) ([]byte, error) {
	_, data, err := p.conn.Read(ctx)
	if err != nil {
		p.code = websocket.CloseStatus(err)
	}
	return data, err
}

// Write implements jsonrpc.Port.
func (p *simPage) Write(ctx context.Context, message []byte) error {
	return p.conn.Write(ctx, websocket.MessageText, message)
}

// Close implements jsonrpc.Port.
func (p *simPage) Close() error { return p.conn.CloseNow() }
