package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A toolClient is a client of the engine of a view, for a generated tool. It has one request
// at a time.
type toolClient struct{ direct *access.Direct }

// connect makes a client on behalf of the caller of a tool, until Close. Its requests are
// limited and audited like those of any client.
func (r *resourceTools) connect(ctx context.Context, tool string) toolClient {
	client := access.Client{Principal: string(engine.PrincipalOf(ctx)), Owner: r.views.owner, Endpoint: r.view.path, Name: tool, Internal: true}
	// Not under ctx, which has values for the sources of the tool's own call.
	return toolClient{r.views.gateway.Gate.Direct(context.Background(), r.view.engine, client)}
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
	for {
		if msg, err := c.next(ctx); err != nil || msg.Kind == jsonrpc.Response {
			return msg.Result, err
		}
	}
}

// next returns the next message: a notification, or the response, whose error is that of next.
func (c toolClient) next(ctx context.Context) (msg jsonrpc.Message, err error) {
	text, err := c.direct.Next(ctx, c.direct.Outbox())
	if err != nil {
		return msg, err
	}
	msg, wrong := jsonrpc.Parse(text)
	if wrong == nil {
		wrong = msg.Error
	}
	if wrong != nil {
		return msg, wrong
	}
	return msg, nil
}

// begin sends a request.
func (c toolClient) begin(method string, members []byte) {
	params := []byte(toolEnvelope)
	if len(members) > 0 {
		params = append(append(params, ','), members...)
	}
	msg := jsonrpc.AppendRequest(nil, "1", method, append(params, '}'))
	c.direct.Send(c.direct.Examine(msg), msg, c.direct.Outbox())
}
