package server

import (
	"context"
	"strings"
	"testing"

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
