// Package remotetest has the page's side of what a Remote keeps, for tests with pages in Go.
package remotetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Publisher is the port of a page to its gateway, for an engine in Go whose app publishes values:
// it does what web/src/mirror.ts does in a browser.
type Publisher struct {
	jsonrpc.Port
	Publishes func(uri string) bool // which resources are published values

	mu      sync.Mutex
	mirrors bool               // the gateway keeps values
	changes int                // so far
	reads   map[jsonrpc.ID]int // of published values that have no response yet: the changes before
	served  []string           // params of each report of reads
	asked   int                // requests for reads
}

// Read implements jsonrpc.Port.
func (p *Publisher) Read(ctx context.Context) ([]byte, error) {
	data, err := p.Port.Read(ctx)
	if err == nil {
		p.take(data)
	}
	return data, err
}

func (p *Publisher) take(data []byte) {
	msg, _ := jsonrpc.Parse(data)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch msg.Method {
	case hop.NotifyMirror:
		p.mirrors = true
	case hop.NotifyServed:
		p.served = append(p.served, string(msg.Params))
	case engine.MethodReadResource:
		p.asked++
		if p.reads == nil {
			p.reads = map[jsonrpc.ID]int{}
		}
		if uri, _ := jsonrpc.Text(jsonrpc.Member(msg.Params, "uri")); p.Publishes(uri) {
			p.reads[msg.ID] = p.changes
		}
	}
}

// Write implements jsonrpc.Port.
func (p *Publisher) Write(ctx context.Context, data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if msg, err := jsonrpc.Parse(data); err == nil && msg.Kind == jsonrpc.Response && msg.Error == nil {
		before, isRead := p.reads[msg.ID]
		delete(p.reads, msg.ID)
		if isRead && p.mirrors && before == p.changes {
			data = Published(data)
		}
	}
	return p.Port.Write(ctx, data)
}

// Published marks the result of a read as one of a published value.
func Published(result []byte) []byte {
	return bytes.Replace(result, []byte(`"_meta":{`), []byte(`"_meta":{"`+hop.KeyPublished+`":true,`), 1)
}

// Change sends the new value of uri, the result of a read, or "" for none; without a uri it withdraws all.
// Call it before the change is announced.
func (p *Publisher) Change(uri, result string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
	params := []byte(`{}`)
	if uri != "" {
		params = jsonrpc.AppendString([]byte(`{"uri":`), uri)
		if result != "" {
			params = append(append(params, `,"result":`...), result...)
		}
		params = append(params, '}')
	}
	if p.mirrors {
		p.Port.Write(context.Background(), jsonrpc.AppendNotification(nil, hop.NotifyValue, params))
	}
}

// Sleep says whether the browser stops the page.
func (p *Publisher) Sleep(asleep bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Port.Write(context.Background(), jsonrpc.AppendNotification(nil, hop.NotifyAsleep, fmt.Appendf(nil, `{"asleep":%v}`, asleep)))
}

// Served returns the params of the reports of reads so far.
func (p *Publisher) Served() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.served...)
}

// Reads returns how many reads have reached the page.
func (p *Publisher) Reads() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}
