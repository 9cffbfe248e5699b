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

// Each assistant gets by every method, in both eras, on every way in, what the user of the page
// has granted and nothing else. On the twin, whose pages have no grants, every request succeeds.
func TestEveryWayInAgreesWithTheGrants(t *testing.T) {
	t.Parallel()
	const read, act = 1, 2
	cells := []struct {
		assistant   string
		notes, mail int // rights there
	}{
		{"reader", read, 0},
		{"actor", read | act, read},
		{"stranger", 0, 0},
		{"denied", 0, read | act},
	}
	var tables [2]strings.Builder
	for i, app := range []string{"notes", "mail"} {
		tables[i].WriteString(`{"default":"ask","grants":[{"assistant":"nobody","right":"read","allow":true}`)
		for _, cell := range cells {
			rights := cell.notes
			if app == "mail" {
				rights = cell.mail
			}
			for bit, right := range map[int]string{read: "read", act: "act"} {
				switch {
				case rights&bit != 0:
					tables[i].WriteString(`,{"assistant":"` + cell.assistant + `","right":"` + right + `","allow":true}`)
				case cell.assistant == "denied":
					tables[i].WriteString(`,{"assistant":"denied","right":"` + right + `","allow":false}`)
				}
			}
		}
		tables[i].WriteString("]}")
	}
	for _, guarded := range []bool{true, false} {
		g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 1e6, CallsPerSecond: 1e6, CompletionsPerSecond: 1e6}})
		for i, app := range []string{"notes", "mail"} {
			var grants *engine.Grants
			if guarded {
				grants = grantsOf(t, tables[i].String())
			}
			grantedPage(t, g, app, app == "mail", grants)
		}
		for _, cell := range cells {
			added, err := g.named.add(NewToken{Name: cell.assistant})
			if err != nil {
				t.Fatal(err)
			}
			for _, way := range waysOf(t, g, cell.assistant, added.Token) {
				for _, x := range matrixActs() {
					if way.classic && x.modern || !way.classic && x.classic {
						continue
					}
					if way.hop && x.method == "subscriptions/listen" {
						continue // as in TestEveryWayInAgreesWithTheRights
					}
					rights := cell.notes
					if x.page == "mail" {
						rights = cell.mail
					}
					may := !guarded || x.page == "" || rights&read != 0
					if x.acts && x.method != "tools/list" { // the list has tools that are asked about when they are called
						may = !guarded || rights&act != 0
					}
					got := way.ask(x.method, x.params)
					if strings.Contains(got, x.want) != may {
						t.Errorf("guarded %v, %s by %s: %s {%s} is answered %.300s; may: %v", guarded, cell.assistant, way.name, x.method, x.params, got, may)
					}
					if may || strings.HasSuffix(x.method, "/list") || x.method == "subscriptions/listen" || strings.Contains(x.params, "list_resources") || strings.Contains(x.params, "wait_for_change") {
						continue
					}
					if !strings.Contains(got, "The user declined") {
						t.Errorf("%s by %s: the refusal of %s does not say why: %.300s", cell.assistant, way.name, x.method, got)
					}
				}
				if got := way.ask("resources/list", ""); guarded && cell.notes == 0 && !strings.Contains(got, `"notes: not shared with you yet"`) {
					t.Errorf("%s by %s: the list does not say that there is a page: %.300s", cell.assistant, way.name, got)
				}
			}
		}
	}
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
