package server

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/history"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A streamClient is an assistant of 2026-07-28 that follows changes by the extension for events.
type streamClient struct{ simClient }

// run keeps two streams open, with other URIs each time. Each goes on by its cursor after a break,
// which the next one may be at another gateway.
func (c *streamClient) run() {
	for range 2 {
		c.w.parties.Go(func() {
			for c.pause(2 * time.Second) {
				if !c.w.still.Load() && !c.w.idle.Load() { // heartbeats of many nights take minutes
					c.stream()
				}
			}
		})
	}
}

func (c *streamClient) stream() {
	var uris []string
	for range 1 + c.rand.IntN(5) {
		if name, uri := c.w.randomResource(c.rand); name != "" && !slices.Contains(uris, name+"+"+uri) {
			uris = append(uris, name+"+"+uri)
		}
	}
	if uris == nil {
		return
	}
	ctx, cancel := context.WithTimeout(c.w.ctx, c.rand.around(5*time.Minute))
	defer cancel()
	for cursor := ""; ctx.Err() == nil && c.pause(time.Second); {
		cursor = c.streamOnce(ctx, uris, cursor)
	}
}

// streamOnce holds a stream of the changes of URIs open, as listen does a subscription. A gap
// stands for a change of each: the client has to read all of them again. It returns the cursor
// behind what came.
func (c *streamClient) streamOnce(ctx context.Context, uris []string, cursor string) string {
	id := c.name + "/stream" + strconv.Itoa(c.next())
	params := []byte(`"name":"` + engine.EventResourceUpdated + `","cursor":`)
	if cursor == "" {
		params = append(params, "null"...)
	} else {
		params = jsonrpc.AppendString(params, cursor)
	}
	params = append(append(params, `,"arguments":`...), resourceArguments(uris)...)
	for _, uri := range uris {
		name, rest := splitURI(uri)
		c.note(history.Event{Kind: history.Subscribe, ID: id, Name: name, URI: rest})
	}
	body := strings.Replace(modernRequest(`"`+id+`"`, engine.MethodStreamEvents, string(params)), `clientCapabilities":{}`, `clientCapabilities":`+engine.EventCapabilities, 1)
	answer, conn, err := c.request(ctx, http.MethodPost, body, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: "+engine.MethodStreamEvents)
	if err != nil {
		c.note(history.Event{Kind: history.Refused, ID: id})
		return cursor
	}
	defer conn.Close()
	if answer.StatusCode != http.StatusOK {
		c.note(history.Event{Kind: history.Refused, ID: id, Text: answer.Status})
		return cursor
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := func(uri string) {
		name, rest := splitURI(uri)
		c.note(history.Event{Kind: history.Note, ID: id, Name: name, URI: rest, Sent: c.w.since(conn.sent())})
	}
	isActive := false
	alive := watchdog(ctx, conn, cancel)
	simEvents(io.TeeReader(answer.Body, alive), func(m jsonrpc.Message) bool {
		if next, ok := jsonrpc.Text(jsonrpc.Member(m.Params, "cursor")); ok {
			cursor = next
		}
		switch m.Method {
		case engine.MethodEventsActive:
			if !isActive {
				isActive = true
				c.note(history.Event{Kind: history.Ack, ID: id})
			}
			if string(jsonrpc.Member(m.Params, "truncated")) == "true" {
				for _, uri := range uris {
					changed(uri)
				}
			}
		case engine.MethodEvent:
			uri, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(m.Params, "data"), "uri"))
			changed(uri)
		}
		return m.Kind != jsonrpc.Response
	})
	c.note(history.Event{Kind: history.End, ID: id})
	return cursor
}
