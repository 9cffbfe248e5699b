package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A toolClient is a connection of a generated tool to the engine of its view.
type toolClient struct {
	*jsonrpc.Conn
}

// connect opens a connection on behalf of the caller of a tool. Its requests are limited
// and audited like those of any client. onNotification may be nil.
func (r *resourceTools) connect(ctx context.Context, tool string, onNotification func(jsonrpc.Message)) toolClient {
	near, far := jsonrpc.Pipe()
	client := access.Client{Principal: string(engine.PrincipalOf(ctx)), Owner: r.views.owner, Endpoint: r.view.path, Name: tool, Internal: true}
	if onNotification == nil {
		onNotification = func(jsonrpc.Message) {}
	}
	c := toolClient{jsonrpc.NewConn(far, onNotification)}
	go r.views.gateway.Gate.Serve(context.Background(), near, r.view.engine, client) // ends with Close
	go c.Run(context.Background())                                                   // likewise
	return c
}

// toolEnvelope begins the params of each request. It declares no capabilities: the tool
// cannot answer requests to the client.
const toolEnvelope = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + engine.LatestModern + `","io.modelcontextprotocol/clientCapabilities":{}}`

// request sends a request. members are JSON members of its params, or nil.
func (c toolClient) request(ctx context.Context, method string, members []byte) ([]byte, error) {
	return c.Call(ctx, method, paramsOf(members))
}

func paramsOf(members []byte) []byte {
	params := []byte(toolEnvelope)
	if len(members) > 0 {
		params = append(append(params, ','), members...)
	}
	return append(params, '}')
}
