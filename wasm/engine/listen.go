package engine

import (
	"context"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// listen answers subscriptions/listen: it opens a subscription and acknowledges
// what it honours. The request stays open; it ends by a cancel, with the
// channel, or with the engine. MCP 2026-07-28, basic/patterns/subscriptions.
func (e *Engine) listen(ctx context.Context, req *request) (sink.Result, error) {
	if req.filter == nil {
		return sink.Result{}, BadParams("notifications is missing")
	}
	if req.filter[0] != '{' {
		return sink.Result{}, BadParams("notifications must be an object")
	}
	f, err := readFilter(req.filter)
	if err != nil {
		return sink.Result{}, err
	}
	f.lists &= e.options.announced()
	if e.options.NoSubscribe {
		f.uris = nil
	}
	if !req.mayWait && e.mustArm() {
		return sink.Result{}, errMustWait
	}
	s := &subscription{client: req.client, who: req.who, call: req.call}
	opened := false
	defer func() {
		if !opened { // refused, cancelled meanwhile, or a panic
			s.close()
		}
	}()
	var honoured []string
	for _, uri := range f.uris {
		// Valid, permitted URIs are honoured even if there is no resource yet; the
		// others are left out of the acknowledgement.
		if schema.CheckURI(uri) == nil && e.options.Allow(s.who, VerbWatch, uri) && e.registry.add(s, uri) {
			honoured = append(honoured, uri)
		}
	}
	e.registry.addLists(s, f.lists)
	e.arm(ctx)
	opened = req.client.acknowledge(req, s, f.lists, honoured)
	return sink.Result{}, errSent
}

// acknowledge sends the first message of a subscription, then what changed since
// it was made. It returns false if the request is over already.
func (c *Client) acknowledge(req *request, s *subscription, which lists, uris []string) bool {
	params := emit.JSON(`{"_meta":{},"notifications":{`)
	for i, key := range filterKeys {
		if which&(1<<i) != 0 {
			params.Name(key)
			params.Text("true")
		}
	}
	for i, uri := range uris {
		if i == 0 {
			params.Name("resourceSubscriptions")
		}
		params.Text(emit.Separator(i))
		params.Quote(uri)
	}
	if len(uris) > 0 {
		params.Text("]")
	}
	params.Text("}}")
	doc := &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodAcknowledged, params)}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	if req.mayWait {
		if _, waits := c.waiting[req.call]; !waits {
			return false // cancelled while the sources got ready
		}
		delete(c.waiting, req.call)
	}
	if len(c.listens) >= maxStreams {
		c.sink.Fail(req.call, c.engine.reason("Too many subscriptions", "busy", true))
		return false
	}
	c.listens[req.call] = s
	c.sink.Notify(doc, req.call)
	s.open = true
	s.flush()
	return true
}

// A filter is what a listen requests, as far as it is offered. Other keys are
// left out of the acknowledgement.
type filter struct {
	lists lists
	uris  []string
}

// filterKeys are the members of a filter for lists, in the order of [lists].
var filterKeys = [...]string{"resourcesListChanged", "promptsListChanged", "toolsListChanged"}

func readFilter(object []byte) (filter, error) {
	var f filter
	refusal := jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case filterKeys[0], filterKeys[1], filterKeys[2]:
			switch string(value) {
			case "true":
				f.lists |= 1 << slices.Index(filterKeys[:], name)
			case "false":
			default:
				return badFilter(name + " must be true or false")
			}
		case "resourceSubscriptions":
			elements, ok := jsonrpc.Elements(value)
			if !ok {
				return badFilter("resourceSubscriptions must be an array of strings")
			}
			seen := map[string]bool{}
			for _, element := range elements {
				uri, ok := jsonrpc.Text(element)
				if !ok {
					return badFilter("resourceSubscriptions must be an array of strings")
				}
				if !seen[uri] {
					f.uris = append(f.uris, uri)
				}
				seen[uri] = true
			}
		}
		return nil
	})
	if refusal != nil {
		return f, refusal
	}
	return f, nil
}

func badFilter(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "notifications." + message}
}
