package server

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A refusedError reports that the gateway refuses the assistant of a stdio process: its token
// was revoked or has expired. It says what to do.
type refusedError struct{ text string }

// Error implements error.
func (e *refusedError) Error() string { return e.text }

// refusalOf reads the refusal of a gateway.
func refusalOf(answer *http.Response) error {
	text, _ := io.ReadAll(answer.Body) // at most 1 KB: websocket.Dial
	return &refusedError{strings.TrimSpace(string(text))}
}

// reportRefusal ends the requests that wait for the gateway, and empties the lists: the gateway
// may refuse the assistant for ever.
func (l *gatewayLink) reportRefusal(refused *refusedError) {
	l.remote.Forget()
	if l.refused != refused.text {
		l.refused = refused.text
		l.log.Error("the gateway refuses this assistant", "error", refused.text)
	}
}

// serveOwnPort returns a pipe to the gateway in this process, for an assistant, whose name may
// be empty. It closes when the name is refused, or when the gateway has closed, which may be
// replaced.
func (g *Gateway) serveOwnPort(as string) (jsonrpc.Port, error) {
	ctx, cancel := context.WithCancel(context.Background())
	client := access.Client{Principal: stdioPrincipal, Endpoint: stdioEndpoint}
	release := func() bool { return true }
	if as != "" {
		client.Principal = as
		if one := g.named.connect(as); one != nil {
			if refusal := one.refusal(); refusal != "" {
				cancel()
				return nil, &refusedError{refusal}
			}
			release = context.AfterFunc(one.valid, cancel)
		}
	}
	near, far := jsonrpc.Pipe()
	breaks := func() { near.Close() }
	g.breakOwnPort.Store(&breaks)
	go func() { // ends when one of the ends closes
		defer cancel()
		defer release()
		g.core.ServePort(ctx, near, "", "/mcp", client)
	}()
	return far, nil
}
