package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// grantsOf makes the grants of a page from entries of assistant, right and allow.
func grantsOf(t *testing.T, text string) *engine.Grants {
	t.Helper()
	grants, err := engine.ParseGrants([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return grants
}

// grantedPage is assistantPage of a page whose user declines what is not granted.
func grantedPage(t *testing.T, g *Gateway, app string, extended bool, grants *engine.Grants) *testPage {
	return assistantPageWith(t, g, app, extended, func(o *engine.Options) {
		o.Ask = func(context.Context, *engine.AccessQuestion) engine.AccessAnswer {
			return engine.AccessAnswer{Reason: "declined"}
		}
	}, func(e *engine.Engine) {
		if grants != nil {
			e.SetGrants(grants)
		}
	})
}

// The user of a page ends the access of an assistant: reads and wait_for_change, the stream of a
// listen and that of a session get nothing of the page from then on, on whatever way. Its
// connections stay, since they are also about other pages.
func TestRevokingInThePageEndsWhatIsOpen(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	granted := `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true},{"assistant":"other","right":"read","allow":true}]}`
	p := grantedPage(t, g, "notes", false, grantsOf(t, granted))
	slow := slowSource{"note:slow", make(chan bool, 10), make(chan bool, 10)}
	p.engine.Mount("", slow)
	token := mustAdd(t, g, NewToken{Name: "claude"})
	other := mustAdd(t, g, NewToken{Name: "other"})
	subscribe := func(token string) <-chan string {
		answer := post(t.Context(), t, g, token, "/mcp", modern("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["notes+note:a"],"resourcesListChanged":true}`),
			v2026, "Mcp-Method: subscriptions/listen", "Accept: text/event-stream")
		messages, _ := events(t, answer.Body)
		receive(t, messages)
		return messages
	}
	stream, otherStream := subscribe(token), subscribe(other)
	session := bySession(t, g, token, "2025-11-25")
	sessionStream := session.stream()
	if got := session.ask("resources/subscribe", `"uri":"notes+note:a"`); !strings.Contains(got, "result") {
		t.Fatalf("subscribe: %s", got)
	}
	p.write("note:a", "1")
	for what, messages := range map[string]<-chan string{"listen": stream, "other": otherStream, "session": sessionStream} {
		if msg := receive(t, messages); !strings.Contains(msg, "updated") {
			t.Fatalf("%s, before: %s", what, msg)
		}
	}
	modernWay := byHTTP(t, g, token)
	answers := make(chan string, 2)
	go func() { answers <- modernWay.ask("resources/read", `"uri":"notes+note:slow"`) }()
	await(t, "the read to begin", slow.begun)

	started := time.Now()
	p.engine.SetGrants(grantsOf(t, strings.Replace(granted, `"claude","right":"read","allow":true`, `"claude","right":"read"`, 1)))
	if got := receive(t, answers); !strings.Contains(got, `"reason":"revoked"`) {
		t.Errorf("the read that waits is answered %s", got)
	}
	took := time.Since(started)
	if t.Logf("the read ended after %v", took); took > time.Second {
		t.Error("the read ended too late")
	}
	if msg := receive(t, stream); !strings.Contains(msg, "list_changed") {
		t.Errorf("the listen: %s", msg)
	}
	receive(t, otherStream) // its list may have changed, too
	if t.Logf("the gateway announced it after %v", time.Since(started)); time.Since(started) > time.Second {
		t.Error("the gateway announced it too late")
	}
	p.write("note:a", "2")
	for msg := ""; !strings.Contains(msg, "updated"); msg = receive(t, otherStream) {
	}
	for _, way := range []wayIn{modernWay, session} {
		if got := way.ask("tools/call", `"name":"wait_for_change","arguments":{"uris":["notes+note:a"],"timeoutSeconds":0.01}`); strings.Contains(got, `"changed":["notes`) {
			t.Errorf("%s: wait_for_change is answered %s", way.name, got)
		}
		if got := way.ask("resources/read", `"uri":"notes+note:a"`); !strings.Contains(got, "The user declined") {
			t.Errorf("%s: a read is answered %s", way.name, got)
		}
		if got := way.ask("resources/list", ""); strings.Contains(got, "note:a") {
			t.Errorf("%s: the list is %s", way.name, got)
		}
	}
	for what, messages := range map[string]<-chan string{"listen": stream, "session": sessionStream} {
		for waits := true; waits; {
			select {
			case msg := <-messages:
				if strings.Contains(msg, "updated") {
					t.Errorf("%s, after it was revoked: %s", what, msg)
				}
			default:
				waits = false
			}
		}
	}
}
