package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Message takes any whole message as JSON text. It never waits. The text may be
// used again when it returns.
func (c *Client) Message(data []byte) {
	if len(data) > c.engine.options.MaxMessage {
		c.refuse(tooLarge())
		return
	}
	elements, isArray := jsonrpc.Elements(data)
	if !isArray || c.session != rev2025March { // rows 15, 16; only 2025-03-26 has batches
		c.message(data, false)
		return
	}
	if len(elements) == 0 {
		c.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "A batch must not be empty"})
		return
	}
	if sink, ok := c.sink.(batcher); ok {
		sink.beginBatch()
		defer sink.endBatch()
	}
	for _, element := range elements {
		c.message(element, true)
	}
}

func (c *Client) message(data []byte, inBatch bool) {
	msg, refusal := jsonrpc.Parse(data)
	switch msg.Kind {
	case jsonrpc.Notification: // never answered, whatever is wrong with it
		if refusal == nil {
			c.notification(msg)
		}
		return
	case jsonrpc.Response: // rows 13, 14
		if refusal == nil {
			c.answered(msg)
		}
		return
	}
	if msg.ID == "" {
		c.refuse(refusal)
		return
	}
	call, fresh, closed := c.open(msg.ID)
	if closed {
		return
	}
	method := methodByName(msg.Method)
	switch {
	case !fresh: // an error with that id would settle the older request: decision 6.15
		c.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "This id still waits for its answer"})
	case refusal != nil:
		c.fail(call, refusal)
	case inBatch && method == methodInitialize:
		c.fail(call, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize cannot be in a batch"})
	default:
		extension := ""
		if method == unknownMethod && c.engine.extends() {
			extension = msg.Method
		}
		if result, outcome := c.take(call, method, extension, msg.Params, (*Client).runSafely); outcome == sink.Answered {
			c.respond(call, result)
		}
	}
}

// open opens the call of a request in the Sink.
func (c *Client) open(id jsonrpc.ID) (call sink.Call, fresh, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, false, true
	}
	call, fresh = c.sink.Open(id)
	return call, fresh, false
}

// find returns the call of a request that has no answer yet.
func (c *Client) find(id jsonrpc.ID) (sink.Call, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sink.Find(id)
}

// notification takes what a client may say without being answered. Unknown ones
// are ignored.
func (c *Client) notification(msg jsonrpc.Message) {
	switch msg.Method {
	case "notifications/cancelled": // row 11
		var id jsonrpc.ID
		jsonrpc.Members(msg.Params, func(name string, value []byte) *jsonrpc.Error {
			if name == "requestId" {
				id = jsonrpc.ID(value)
			}
			return nil
		})
		if call, found := c.find(id); found {
			c.Cancel(call)
		}
	case "notifications/initialized": // row 12
		c.Initialized()
	}
}
