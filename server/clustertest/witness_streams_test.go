//go:build unix

package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/history"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// merge returns a context that ends with a connection, or with the witness.
func (w *witness) merge(connections context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(connections)
	stop := context.AfterFunc(w.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// messages reads an event stream until it ends or take returns false.
func messages(body io.Reader, take func(jsonrpc.Message) bool) {
	for lines := bufio.NewScanner(body); lines.Scan(); {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		if m, refusal := jsonrpc.Parse([]byte(data)); refusal == nil && !take(m) {
			return
		}
	}
}

// noted records a notification; id is that of its listen, or empty.
func (w *witness) noted(user, id string, m jsonrpc.Message) {
	uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	name, rest, _ := strings.Cut(uri, "+")
	w.h.Add(history.Event{Kind: history.Note, Sent: time.Since(w.h.Began), Who: user, ID: id, Name: name, URI: rest})
}

// listens keeps a listen of 2026-07-28 to all tabs open.
func (w *witness) listens(c *client, tabs []*tab, ready func()) {
	for i := 0; w.ctx.Err() == nil; i++ {
		w.listen(c, tabs, fmt.Sprint(c.user, "/listen", i), ready)
		w.pause(leastRedial)
	}
}

func (w *witness) listen(c *client, tabs []*tab, id string, ready func()) {
	node, connections := w.b.pick()
	if node == nil {
		return
	}
	ctx, cancel := w.merge(connections)
	defer cancel()
	var uris []string
	for _, t := range tabs {
		w.h.Add(history.Event{Kind: history.Subscribe, Who: c.user, ID: id, Name: t.name(), URI: pageURI})
		uris = append(uris, `"`+t.uri()+`"`)
	}
	answer, err := c.post(ctx, node, "/mcp", `"`+id+`"`, "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}`)
	if err != nil {
		w.h.Add(history.Event{Kind: history.Refused, Who: c.user, ID: id})
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		w.h.Add(history.Event{Kind: history.Refused, Who: c.user, ID: id, Text: answer.Status})
		return
	}
	messages(answer.Body, func(m jsonrpc.Message) bool {
		switch m.Method {
		case "notifications/subscriptions/acknowledged":
			w.h.Add(history.Event{Kind: history.Ack, Who: c.user, ID: id})
			ready()
		case "notifications/resources/updated":
			of, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), "io.modelcontextprotocol/subscriptionId"))
			w.noted(c.user, of, m)
		}
		return true
	})
	w.h.Add(history.Event{Kind: history.End, Who: c.user, ID: id})
}

// A witnessSession is a session of 2025-11-25 with its GET stream.
type witnessSession struct {
	*client
	w    *witness
	id   string
	last int
}

// sessions has one session through all faults. It unsubscribes from the first tab and
// subscribes again all the time.
func (w *witness) sessions(c *client, tabs []*tab, ready func()) {
	s := &witnessSession{client: c, w: w}
	if _, ok := s.request("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"witness","version":"1"}`); !ok {
		return
	}
	s.initialized()
	w.working.Go(s.stream)
	subscriptions := make([]string, len(tabs))
	for i, t := range tabs {
		subscriptions[i] = s.subscribe(t)
	}
	ready()
	for w.pause(togglePace) {
		if !w.writing.Load() {
			continue
		}
		if _, ok := s.request("resources/unsubscribe", `"uri":"`+tabs[0].uri()+`"`); ok {
			w.h.Add(history.Event{Kind: history.Cancel, Who: c.user, ID: subscriptions[0], Name: tabs[0].name(), URI: pageURI, Sent: time.Since(w.h.Began)})
		}
		w.pause(togglePace)
		subscriptions[0] = s.subscribe(tabs[0])
	}
}

// initialized sends the notification that ends the handshake.
func (s *witnessSession) initialized() {
	for ; s.w.ctx.Err() == nil; s.w.pause(leastRedial) {
		node, connections := s.w.b.pick()
		if node == nil {
			continue
		}
		answer, err := s.send(connections, node, "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s.id)
		if err != nil {
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusAccepted {
			return
		}
	}
}

func (s *witnessSession) subscribe(t *tab) (id string) {
	id = fmt.Sprint(s.user, "/sub", s.last)
	s.w.h.Add(history.Event{Kind: history.Subscribe, Who: s.user, ID: id, Name: t.name(), URI: pageURI, Text: "classic"})
	if _, ok := s.request("resources/subscribe", `"uri":"`+t.uri()+`"`); ok {
		s.w.h.Add(history.Event{Kind: history.Ack, Who: s.user, ID: id, Name: t.name(), URI: pageURI})
	}
	return id
}

// request repeats a request, at nodes that the balancer picks, until it has a result. ok is
// false if the witness has ended.
func (s *witnessSession) request(method, params string) (result []byte, ok bool) {
	for ; s.w.ctx.Err() == nil; s.w.pause(leastRedial) {
		node, connections := s.w.b.pick()
		if node == nil {
			continue
		}
		if result = s.try(connections, node, method, params); result != nil {
			return result, true
		}
	}
	return nil, false
}

func (s *witnessSession) try(connections context.Context, node *process, method, params string) (result []byte) {
	ctx, cancel := s.w.merge(connections)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, testTime)
	defer stop()
	s.last++
	answer, err := s.send(ctx, node, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, s.last, method, params), s.id)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	s.isUnknown(answer)
	data, err := io.ReadAll(answer.Body)
	m := lastMessage(string(data))
	if err != nil || m == nil || m.Error != nil {
		return nil
	}
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" && s.id == "" {
		s.id = id
	}
	return m.Result
}

func (s *witnessSession) isUnknown(answer *http.Response) {
	if s.id != "" && answer.StatusCode == http.StatusNotFound {
		s.w.alarm("the session of " + s.user + " is unknown: " + answer.Status)
	}
}

// stream keeps the GET stream open.
func (s *witnessSession) stream() {
	for ; s.w.ctx.Err() == nil; s.w.pause(leastRedial) {
		if node, connections := s.w.b.pick(); node != nil {
			s.streamOn(connections, node)
		}
	}
}

func (s *witnessSession) streamOn(connections context.Context, node *process) {
	ctx, cancel := s.w.merge(connections)
	defer cancel()
	answer, err := s.send(ctx, node, "GET", "", s.id)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	s.isUnknown(answer)
	if answer.StatusCode != http.StatusOK {
		return
	}
	s.w.h.Add(history.Event{Kind: history.Stream, Who: s.user})
	messages(answer.Body, func(m jsonrpc.Message) bool {
		if m.Method == "notifications/resources/updated" {
			s.w.noted(s.user, "", m)
		}
		return true
	})
}
