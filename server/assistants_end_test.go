package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

func mustAdd(t *testing.T, g *Gateway, n NewToken) string {
	t.Helper()
	added, err := g.named.add(n)
	if err != nil {
		t.Fatal(err)
	}
	return added.Token
}

// A slowSource has one resource, whose read waits until its request ends.
type slowSource struct {
	uri          string
	begun, ended chan bool
}

func (s slowSource) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	if k == engine.Resources {
		listing.Items = []engine.Item{{Key: s.uri, JSON: engine.Describe("uri", s.uri, "name", "slow")}}
	}
	return listing, nil
}

func (s slowSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	if uri != s.uri {
		return nil, engine.ErrNotFound
	}
	s.begun <- true
	<-ctx.Done()
	s.ended <- true
	return nil, ctx.Err()
}

// readAs makes a request for a resource.
func readAs(t *testing.T, g *Gateway, token, uri string, lines ...string) *http.Request {
	return caller(t, g).As(token).Request(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "resources/read", `"uri":"`+uri+`"`), append(lines, gatewaytest.HeadersOf("resources/read", `"uri":"`+uri+`"`)...)...)
}

// await is gatewaytest.Await.
func await[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	return gatewaytest.Await(t, what, from)
}

// Revoking ends what a token has open at once: a read that waits, subscriptions of both eras, a
// socket, a stdio process that names itself. Nothing of another assistant ends.
func TestRevokingATokenEndsWhatIsOpen(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	p := newPage(t, testOrigin, "tab")
	slow := slowSource{"note:slow", make(chan bool, 10), make(chan bool, 10)}
	p.engine.Mount("", slow)
	p.write("note:a", "secret")
	p.join(g)
	token := mustAdd(t, g, NewToken{Name: "claude"})
	other := mustAdd(t, g, NewToken{Name: "other"})

	subscribe := func(token string) <-chan string {
		return caller(t, g).As(token).Listen(t.Context(), "/mcp", `"resourceSubscriptions":["notes+note:a"]`).Messages
	}
	stream, otherStream := subscribe(token), subscribe(other)
	read := make(chan error, 1)
	go func() {
		answer, err := http.DefaultClient.Do(readAs(t, g, token, "notes+note:slow", gatewaytest.Streams))
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			answer.Body.Close()
		}
		read <- err
	}()
	session := bySession(t, g, token, "2025-11-25")
	sessionStream := session.stream()
	socket, err := dialAs(t, g, token)
	if err != nil {
		t.Fatal(err)
	}
	stdio := startStdio(t, StdioOptions{State: g.state.dir, As: "claude"})
	if got := stdio.ask(gatewaytest.Modern("1", "resources/read", `"uri":"notes+note:a"`)); !strings.Contains(got, "secret") {
		t.Fatalf("by stdio: %s", got)
	}
	await(t, "the read to begin", slow.begun)

	if err := RevokeToken(t.Context(), g.state.dir, "claude"); err != nil {
		t.Fatal(err)
	}
	await(t, "the page to learn that the read was cancelled", slow.ended)
	await(t, "the read to end", read)
	for range stream { // until it ends
	}
	for range sessionStream {
	}
	<-socket.Done()
	if got := session.ask("resources/read", `"uri":"notes+note:a"`); !strings.Contains(got, "the bearer token is missing or wrong") {
		t.Errorf("its session: %s", got)
	}
	if _, err := dialLines(t.Context(), g.state.dir, "claude", ""); !errors.As(err, new(*RefusedError)) || !strings.Contains(err.Error(), `the token of "claude" was revoked; `+"`pagemcp token add claude`") {
		t.Errorf("another process of this name: %v", err)
	}
	if got := stdio.ask(gatewaytest.Modern("2", "resources/read", `"uri":"notes+note:a"`)); strings.Contains(got, "secret") {
		t.Errorf("by stdio after it: %s", got)
	}
	p.write("note:a", "2")
	if msg := gatewaytest.Receive(t, otherStream); !strings.Contains(msg, "notifications/resources/updated") {
		t.Errorf("the other assistant gets %s", msg)
	}

	// A new token of the name lets the process in again, with the new rights.
	mustAdd(t, g, NewToken{Name: "claude", Apps: []string{"mail"}})
	gatewaytest.Eventually(t, "the process is connected again", func() bool {
		return strings.Contains(stdio.ask(gatewaytest.Modern("3", "resources/list", "")), `"resources":[]`)
	})
}

// A token that has expired is refused with words that say so, and what it has open ends when
// it expires, also if the gateway was started after that.
func TestExpiredTokensAreRefused(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
		token := mustAdd(t, g, NewToken{Name: "ci", Lifetime: 12 * time.Hour})
		list := func() (int, string) {
			answer, err := client.Do(caller(t, g).As(token).Request(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "resources/list", ""), gatewaytest.V2026, "Mcp-Method: resources/list"))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(answer.Body)
			return answer.StatusCode, string(text)
		}
		conn := socketInMemory(t, client, token)
		defer conn.CloseNow()
		opened := time.Now()
		if status, body := list(); status != 200 {
			t.Fatalf("before: %d %s", status, body)
		}
		if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("the socket: %v", err)
		}
		if open := time.Since(opened); open != 12*time.Hour {
			t.Errorf("the socket was open for %v", open)
		}
		if status, body := list(); status != 401 || !strings.Contains(body, `the token of "ci" has expired`) {
			t.Errorf("after: %d %s", status, body)
		}
		if fresh := mustAdd(t, g, NewToken{Name: "ci"}); fresh == token {
			t.Error("the same token")
		}
	})
}

// Resources and lists of other pages cause no notification, in both eras and through stdio.
func TestNotificationsAgreeWithTheRights(t *testing.T) {
	t.Parallel()
	for _, guarded := range []bool{true, false} {
		g := startGateway(t, Options{})
		notes, mail := assistantPage(t, g, "notes", false), assistantPage(t, g, "mail", false)
		rights := NewToken{Name: "noter"}
		if guarded {
			rights.Apps = []string{"notes"}
		}
		token := mustAdd(t, g, rights)
		listen := `"resourcesListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["notes+note:a","mail+note:a"]`
		direct := caller(t, g).As(token).Listen(t.Context(), "/mcp", listen).Messages
		stdio := startStdio(t, StdioOptions{State: g.state.dir, As: "noter"})
		stdio.ask(gatewaytest.Modern("1", "subscriptions/listen", `"notifications":{`+listen+`}`))
		all := caller(t, g).Listen(t.Context(), "/mcp", listen).Messages

		awaitNotes := func(messages <-chan string, want ...string) (got []string) {
			for len(want) > 0 {
				msg := gatewaytest.Receive(t, messages)
				got = append(got, msg)
				want = slices.DeleteFunc(want, func(w string) bool { return strings.Contains(msg, w) })
			}
			return got
		}
		mail.write("note:a", "changed")
		mail.must(mail.table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"later"}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
		}))
		awaitNotes(all, "mail+note:a", "prompts/list_changed") // the gateway has passed them to all
		notes.write("note:a", "changed")
		notes.write("note:b", "new")
		for name, messages := range map[string]<-chan string{"HTTP": direct, "stdio": stdio.lines} {
			got := strings.Join(awaitNotes(messages, "notes+note:a", "resources/list_changed"), "\n")
			if leaks := strings.Contains(got, "mail") || strings.Contains(got, "prompts/list_changed"); leaks == guarded {
				t.Errorf("guarded %v, by %s: notifications about mail: %v\n%s", guarded, name, leaks, got)
			}
		}
	}
}
