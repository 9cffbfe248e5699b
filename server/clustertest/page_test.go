//go:build unix

package clustertest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A simPage is a page that costs little: it answers server/discover, lists one resource, and
// reads it. One with a document is served by an engine.
type simPage struct {
	d        *deployment
	user     string
	id       string
	instance string
	document *document // nil: it costs little
	name     string    // at the gateway
	conn     *websocket.Conn
	began    time.Time            // when it began to join
	code     websocket.StatusCode // with which the gateway has closed the socket
	done     chan struct{}
}

const simDiscovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"listChanged":true,"subscribe":true}},` +
	`"serverInfo":{"name":"sim","version":"1"},"ttlMs":0,"cacheScope":"private"}`

// handshake joins a page, and returns its socket and name.
func (d *deployment) handshake(addr, user, id, instance string) (conn *websocket.Conn, name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	conn, _, err = websocket.Dial(ctx, "ws://"+addr+"/page", &websocket.DialOptions{
		Host: mcpHost, HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{"pagemcp.v1"},
	})
	if err != nil {
		return nil, "", err
	}
	token := d.app.JoinToken(pageURL, origin, map[string]any{"sub": user})
	hello := fmt.Sprintf(`{"pagemcp":1,"token":%q,"hello":{"page":%q,"instance":%q,"name":"notes","title":"Notes"}}`, token, id, instance)
	if err := conn.Write(ctx, websocket.MessageText, []byte(hello)); err != nil {
		conn.CloseNow()
		return nil, "", err
	}
	_, data, err := conn.Read(ctx)
	if err != nil {
		conn.CloseNow()
		return nil, "", err
	}
	name, _ = jsonrpc.Text(jsonrpc.Member(data, "joined"))
	return conn, name, nil
}

// join joins the node at addr, and serves until the socket is closed.
func (d *deployment) join(addr, user, id string) (*simPage, error) {
	p := &simPage{d: d, user: user, id: id, instance: "1"}
	if err := p.join(addr); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *simPage) join(addr string) (err error) {
	p.began = time.Now()
	if p.conn, p.name, err = p.d.handshake(addr, p.user, p.id, p.instance); err != nil {
		return err
	}
	p.done = make(chan struct{})
	if p.document != nil {
		go p.document.serve(p)
		return nil
	}
	first := make(chan struct{})
	go p.serve(first)
	select {
	case <-first:
	case <-p.done:
	case <-time.After(testTime):
	}
	return nil
}

// serve answers requests; it closes first after the first one.
func (p *simPage) serve(first chan struct{}) {
	defer close(p.done)
	defer p.conn.CloseNow()
	for {
		_, data, err := p.conn.Read(context.Background())
		if err != nil {
			p.code = websocket.CloseStatus(err)
			return
		}
		m, refusal := jsonrpc.Parse(data)
		if refusal != nil || m.Kind != jsonrpc.Request {
			continue
		}
		if err := p.conn.Write(context.Background(), websocket.MessageText, p.answer(m)); err != nil {
			return
		}
		if first != nil {
			close(first)
			first = nil
		}
	}
}

// storeOf names the data of a tab in histories.
func storeOf(user, tab string) string { return user + "/" + tab }

func (p *simPage) answer(m jsonrpc.Message) []byte {
	const cached = `"resultType":"complete","ttlMs":0,"cacheScope":"private"}`
	switch m.Method {
	case "server/discover":
		return jsonrpc.AppendResult(nil, m.ID, []byte(simDiscovered))
	case "resources/list":
		return jsonrpc.AppendResult(nil, m.ID, []byte(`{"resources":[{"uri":"notes://a","name":"a"}],`+cached))
	case "resources/read":
		return jsonrpc.AppendResult(nil, m.ID, fmt.Appendf(nil, `{"contents":[{"uri":"notes://a","text":"of %s %s 0"}],%s`, p.user, storeOf(p.user, p.id), cached))
	}
	return jsonrpc.AppendError(nil, m.ID, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "not simulated"})
}
