package engine

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An ownRequest is a request of the engine's, which belongs to a call of the client.
type ownRequest struct {
	call        sink.Call
	key, method string
	id          jsonrpc.ID
	answer      chan jsonrpc.Message // has room for it
}

// requestInput sends requests for input to a classic client, as requests of
// the engine's. It returns the results by the same keys.
// MCP 2025-11-25, client/elicitation, client/sampling and client/roots.
func (c *Client) requestInput(ctx context.Context, at turn, rev revision, requests []byte) ([]byte, error) {
	questions, err := c.sendRequests(at.call, rev, requests)
	defer c.cancelRequests(questions)
	if err != nil {
		return nil, err
	}
	c.extendToLongest(at.call)
	answers := emit.JSON("{")
	for _, q := range questions {
		select {
		case msg := <-q.answer:
			if msg.Result == nil || msg.Result[0] != '{' {
				why := "The client did not answer " + q.method
				if msg.Error != nil {
					why += ": " + msg.Error.Message // a text of the client's
				}
				return nil, c.engine.Reason(why, "client-refused", false)
			}
			answers.Member(q.key, msg.Result)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c.extendTimeout(at.call)
	answers.Text("}")
	return answers, nil
}

// sendRequests sends the requests, and returns them.
func (c *Client) sendRequests(call sink.Call, rev revision, requests []byte) (questions []ownRequest, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[call] == nil || c.closed {
		return nil, context.Canceled // nothing belongs to a call that is over
	}
	if c.classic == nil || !c.classic.open {
		return nil, BadParams("the client has to be asked, but has not sent notifications/initialized")
	}
	if c.ownCount == 0 {
		c.ownPrefix = strconv.FormatUint(rand.Uint64(), 36)
	}
	s := jsonrpc.Scan(requests)
	for requests != nil && s.Next() {
		method, _ := jsonrpc.Text(jsonrpc.Member(s.Value, "method"))
		c.ownCount++ // with random bits before it, ids of a session are unique: R-005
		id := jsonrpc.ID(`"pagemcp:` + c.ownPrefix + ":" + strconv.Itoa(c.ownCount) + `"`)
		q := ownRequest{call, string(s.Name), method, id, make(chan jsonrpc.Message, 1)}
		questions = append(questions, q)
		c.ownRequests[q.id.Key()] = q
		own := jsonrpc.Member(s.Value, "params")
		params := emit.JSON(`{"_meta":{}`)
		params.Members(own, func(name string) bool { return name != "_meta" && (name != "mode" || rev.hasElicitationModes()) })
		if string(jsonrpc.Member(own, "mode")) == `"url"` { // 2025-11-25 requires an id
			params.Member("elicitationId", []byte(q.id))
		}
		params.Text("}")
		text := jsonrpc.AppendRequest(nil, q.id, q.method, params)
		c.sink.Notify(&sink.Document{JSON: text}, call, sink.OfRequest)
	}
	return questions, nil
}

// cancelRequests cancels the requests that have no answer, because the call they belong
// to is over: R-073.
func (c *Client) cancelRequests(questions []ownRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range questions {
		c.cancelRequest(q)
	}
}

// cancelRequest cancels one, unless it has its answer; c.mu is held.
func (c *Client) cancelRequest(q ownRequest) {
	if _, waits := c.ownRequests[q.id.Key()]; waits && !c.closed {
		c.sink.Notify(&sink.Document{JSON: cancelled(q.id)}, q.call, sink.Plain)
	}
	delete(c.ownRequests, q.id.Key())
}

// cancelled returns the notification that ends the request with this id.
func cancelled(id jsonrpc.ID) []byte {
	return jsonrpc.AppendNotification(nil, MethodCancelled, []byte(`{"requestId":`+string(id)+`}`))
}

// receiveResponse handles a response of the client. Unknown ids are ignored.
func (c *Client) receiveResponse(msg jsonrpc.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q, waits := c.ownRequests[msg.ID.Key()]; waits {
		delete(c.ownRequests, msg.ID.Key())
		msg.Result = bytes.Clone(msg.Result) // the text is the caller's
		q.answer <- msg                      // has room
	}
}

// setLevel answers logging/setLevel: what the session gets from now on.
// MCP 2025-11-25, server/utilities/logging.
func (e *Engine) setLevel(_ context.Context, req *Request) (sink.Result, error) {
	l, ok := levelOf(req.levelText)
	if !ok {
		return sink.Result{}, BadParams("level must be one of debug, info, notice, warning, error, critical, alert, emergency")
	}
	req.client.setLogLevel(l)
	return sink.Result{Document: e.fixed.Load().empty}, nil
}

func (c *Client) setLogLevel(from level) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.level = from
}
