package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A toolClient is a client of the engine of a view, for a generated tool. It has one request
// at a time.
type toolClient struct {
	direct  *access.Direct
	answers chan jsonrpc.Message // has room for the response to the one request
}

// connect makes a client on behalf of the caller of a tool, until Close. Its requests are
// limited and audited like those of any client. onNotification must not block, and may be nil.
func (r *resourceTools) connect(ctx context.Context, tool string, onNotification func(jsonrpc.Message)) toolClient {
	client := access.Client{Principal: string(engine.PrincipalOf(ctx)), Owner: r.views.owner, Endpoint: r.view.path, Name: tool, Internal: true}
	answers := make(chan jsonrpc.Message, 1)
	receive := func(text []byte) {
		msg, err := jsonrpc.Parse(text)
		switch {
		case err == nil && msg.Kind == jsonrpc.Response:
			answers <- msg
		case err == nil && msg.Kind == jsonrpc.Notification && onNotification != nil:
			onNotification(msg)
		}
	}
	// Not under ctx, which has values for the sources of the tool's own call.
	return toolClient{r.views.gateway.Gate.Direct(context.Background(), r.view.engine, client, receive), answers}
}

// Close cancels the request, if it has no response.
func (c toolClient) Close() { c.direct.Close() }

// toolEnvelope begins the params of each request. It declares no capabilities:
// the tool cannot answer requests to the client.
const toolEnvelope = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + engine.LatestModern + `","io.modelcontextprotocol/clientCapabilities":{}}`

// request sends a request, and waits for its result. members are JSON members of its params,
// or nil.
func (c toolClient) request(ctx context.Context, method string, members []byte) ([]byte, error) {
	c.begin(method, members)
	select {
	case msg := <-c.answers:
		return answerOf(msg)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin sends a request, whose response goes to c.answers.
func (c toolClient) begin(method string, members []byte) {
	params := []byte(toolEnvelope)
	if len(members) > 0 {
		params = append(append(params, ','), members...)
	}
	msg := jsonrpc.AppendRequest(nil, "1", method, append(params, '}'))
	c.direct.Send(c.direct.Examine(msg), msg)
}

// answerOf returns the result of a response, or its error.
func answerOf(msg jsonrpc.Message) ([]byte, error) {
	if msg.Error != nil {
		return nil, msg.Error
	}
	return msg.Result, nil
}
