//go:build unix

package clustertest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A client is an assistant of one user.
type client struct {
	d     *deployment
	user  string
	token string
	http  *http.Client
}

func (d *deployment) client(user string) *client {
	return &client{d: d, user: user, token: d.auth.AccessToken(mcpURL, map[string]any{"sub": user}), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// post sends a request of 2026-07-28 to a node; id is JSON.
func (c *client) post(ctx context.Context, node *process, path, id, method, name, members string) (*http.Response, error) {
	if members != "" {
		members += ","
	}
	text := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(ctx, "POST", "http://"+node.addr+path, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Host = mcpHost
	request.Header = http.Header{
		"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
	}
	if name != "" {
		request.Header.Set("Mcp-Name", name)
	}
	return c.http.Do(request)
}

// ask sends a request and reads the answer; err is one of the connection.
func (c *client) ask(ctx context.Context, node *process, path, method, name, members string) (status int, body string, err error) {
	answer, err := c.post(ctx, node, path, "1", method, name, members)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(data), err
}

// read reads a resource at /mcp of a node, and returns the body; a failed connection is in
// it as text.
func (c *client) read(node *process, uri string) string {
	return c.readOn(context.Background(), node, uri)
}

// readOn is read on a connection that is cut when ctx ends.
func (c *client) readOn(ctx context.Context, node *process, uri string) string {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	status, body, err := c.ask(ctx, node, "/mcp", "resources/read", uri, fmt.Sprintf(`"uri":%q`, uri))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(status, " ", body)
}

// list returns the result of resources/list at /mcp of a node.
func (c *client) list(node *process) string {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	_, body, err := c.ask(ctx, node, "/mcp", "resources/list", "", "")
	if err != nil {
		return err.Error()
	}
	return body
}

// since returns the time since a moment, for logs.
func since(began time.Time) time.Duration { return time.Since(began).Round(time.Millisecond) }
