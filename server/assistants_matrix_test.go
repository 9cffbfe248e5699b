package server

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/quotas"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An act is a request and what its response has if the assistant may do it.
type act struct {
	method, params, want string
	page                 string // that it concerns
	acts                 bool   // it may change something
	modern, classic      bool   // it exists in this era alone
}

// actsOn are the requests of all methods about one page.
func actsOn(app string) []act {
	name := func(own string) string { return `"name":"` + app + "__" + own + `"` }
	dotted := func(own string) string { return `"name":"` + app + "." + own + `"` } // as older clients and policies have it
	uri := `"` + app + `+note:a"`
	return []act{
		{method: "resources/list", want: uri, page: app},
		{method: "resources/read", params: `"uri":` + uri, want: "secret of " + app, page: app},
		{method: "resources/templates/list", want: app + "+note:x/{id}", page: app},
		{method: "resources/subscribe", params: `"uri":` + uri, want: `"result"`, page: app, classic: true},
		{method: "subscriptions/listen", params: `"notifications":{"resourceSubscriptions":[` + uri + `]}`, want: uri, page: app, modern: true},
		{method: "completion/complete", params: `"ref":{"type":"ref/resource","uri":"` + app + `+note:x/{id}"},"argument":{"name":"id","value":""}`, want: "value of " + app, page: app},
		{method: "completion/complete", params: `"ref":{"type":"ref/prompt",` + name("ask") + `},"argument":{"name":"a","value":""}`, want: "value of " + app, page: app},
		{method: "prompts/list", want: name("ask"), page: app},
		{method: "prompts/get", params: name("ask"), want: "prompt of " + app, page: app},
		{method: "tools/list", want: name("look"), page: app},
		{method: "tools/list", want: name("act"), page: app, acts: true},
		{method: "tools/list", want: name("bare"), page: app, acts: true},
		{method: "tools/call", params: name("look") + `,"arguments":{}`, want: "look of " + app, page: app},
		{method: "tools/call", params: name("act") + `,"arguments":{}`, want: "act of " + app, page: app, acts: true},
		{method: "prompts/get", params: dotted("ask"), want: "prompt of " + app, page: app},
		{method: "completion/complete", params: `"ref":{"type":"ref/prompt",` + dotted("ask") + `},"argument":{"name":"a","value":""}`, want: "value of " + app, page: app},
		{method: "tools/call", params: dotted("look") + `,"arguments":{}`, want: "look of " + app, page: app},
		{method: "tools/call", params: dotted("act") + `,"arguments":{}`, want: "act of " + app, page: app, acts: true},
		{method: "tools/call", params: name("bare") + `,"arguments":{}`, want: "bare of " + app, page: app, acts: true},
		{method: "tools/call", params: `"name":"list_resources","arguments":{}`, want: app + "+note:a", page: app},
		{method: "tools/call", params: `"name":"read_resource","arguments":{"uri":` + uri + `}`, want: "secret of " + app, page: app},
		{method: "tools/call", params: `"name":"wait_for_change","arguments":{"uris":[` + uri + `],"timeoutSeconds":0.01}`, want: "Nothing changed", page: app},
		{method: "tools/list", want: `"name":"wait_for_change"`},
	}
}

// matrixActs are the requests about both pages; that of mail alone has an extension and skills.
func matrixActs() []act {
	return append(append(actsOn("notes"), actsOn("mail")...),
		act{method: "acme/x", params: `"a":[2]`, want: `"a":[2]`, page: "mail", acts: true, modern: true},
		act{method: "skills/list", want: "mail+skill://list/SKILL.md", page: "mail", modern: true},
		act{method: "skills/get", params: `"uri":"mail+skill://list/SKILL.md"`, want: "facts.md", page: "mail", modern: true},
	)
}

// A restricted assistant has rights on the pages notes and mail, by its token or by the grants of
// the pages.
type restricted struct {
	NewToken
	notes, mail int
}

const mayRead, mayAct = 1, 2

func (r restricted) on(page string) int {
	if page == "mail" {
		return r.mail
	}
	return r.notes
}

// may reports whether the assistant gets what it asks for.
func (r restricted) may(x act, byToken bool) bool {
	right := mayRead
	if x.acts && (x.method != "tools/list" || byToken) { // a page lists tools that are asked about when they are called
		right = mayAct
	}
	return x.page == "" || r.on(x.page)&right != 0
}

// grantsOn makes the grants of a page. Others than the assistants are asked for.
func grantsOn(t *testing.T, page string, all []restricted) *engine.Grants {
	t.Helper()
	text := `{"default":"ask","grants":[{"assistant":"nobody","right":"read","allow":true}`
	for _, one := range all {
		for bit, right := range map[int]string{mayRead: "read", mayAct: "act"} {
			if allowed := one.on(page)&bit != 0; allowed || one.Name == "denied" {
				text += fmt.Sprintf(`,{"assistant":%q,"right":%q,"allow":%v}`, one.Name, right, allowed)
			}
		}
	}
	return grantsOf(t, text+"]}")
}

// Each assistant gets by every method, in both eras, on every way in, what its rights say and the
// user of the page has granted, and nothing else. Each request that needs a right is one entry of
// the audit log, with the right, the page and the reason of a denial; a generated tool needs none:
// the requests that it sends are entries of their own. On the twin without restrictions every
// request succeeds.
func TestEveryWayInAgreesWithRightsAndGrants(t *testing.T) {
	t.Parallel()
	const all = mayRead | mayAct
	byToken := []restricted{
		{NewToken{Name: "all"}, all, all},
		{NewToken{Name: "reader", ReadOnly: true}, mayRead, mayRead},
		{NewToken{Name: "noter", Apps: []string{"notes"}}, all, 0},
		{NewToken{Name: "both", ReadOnly: true, Apps: []string{"notes", "other"}}, mayRead, 0},
	}
	byGrants := []restricted{
		{NewToken{Name: "reader"}, mayRead, 0},
		{NewToken{Name: "actor"}, all, mayRead},
		{NewToken{Name: "stranger"}, 0, 0},
		{NewToken{Name: "denied"}, 0, all},
	}
	for name, assistants := range map[string][]restricted{"tokens": byToken, "grants": byGrants} {
		for _, guarded := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, guarded %v", name, guarded), func(t *testing.T) {
				t.Parallel()
				agreeOnEveryWay(t, assistants, name == "tokens", guarded)
			})
		}
	}
}

func agreeOnEveryWay(t *testing.T, assistants []restricted, byToken, guarded bool) {
	g := startGateway(t, Options{})
	g.core.Gate.Limits.(*quotas.Quotas).SetLimits(quotas.Local(quotas.Limits{ReadsPerSecond: 1e6, CallsPerSecond: 1e6, CompletionsPerSecond: 1e6}))
	for _, app := range []string{"notes", "mail"} {
		var grants *engine.Grants
		if guarded && !byToken {
			grants = grantsOn(t, app, assistants)
		}
		grantedPage(t, g, app, app == "mail", grants)
	}
	log, err := os.Open(g.state.path(auditFile))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, one := range assistants {
		token := one.NewToken
		if !guarded {
			token = NewToken{Name: one.Name}
		}
		for _, way := range waysOf(t, g, one.Name, mustAdd(t, g, token)) {
			for _, x := range matrixActs() {
				if way.classic && x.modern || !way.classic && x.classic {
					continue
				}
				what := fmt.Sprintf("%s by %s: %s {%s}", one.Name, way.name, x.method, x.params)
				may := !guarded || one.may(x, byToken)
				got := way.ask(x.method, x.params)
				if strings.Contains(got, x.want) != may {
					t.Errorf("%s is answered %.300s; may: %v", what, got, may)
				}
				if why := one.refusal(x, byToken); !may && !strings.Contains(got, why) {
					t.Errorf("%s: the refusal does not say %q: %.300s", what, why, got)
				}
				if guarded && x.method != engine.MethodListen {
					one.checkEntries(t, what, x, byToken, func() []access.Entry {
						g.audit.Flush(t.Context())
						text, err := io.ReadAll(log)
						if err != nil {
							t.Fatal(err)
						}
						return entriesIn(t, string(text))
					})
				}
			}
		}
	}
}

// refusal is what the answer to a request says that the assistant may not make; "" may be anything.
func (r restricted) refusal(x act, byToken bool) string {
	switch {
	case byToken && x.method == engine.MethodCallTool && x.acts && x.page == "notes":
		return `"reason":"read-only"`
	case !byToken && x.method == "resources/list" && x.page == "notes":
		return "notes: not shared with you yet"
	case byToken, strings.HasSuffix(x.method, "/list"), x.method == engine.MethodListen, strings.Contains(x.params, "list_resources"), strings.Contains(x.params, "wait_for_change"):
		return ""
	}
	return "The user declined"
}

// checkEntries checks what a request has left in the audit log; next returns the new entries.
func (r restricted) checkEntries(t *testing.T, what string, x act, byToken bool, next func() []access.Entry) {
	t.Helper()
	var decisions []access.Entry
	gatewaytest.Eventually(t, what+" is recorded", func() bool {
		for _, e := range next() {
			if e.Right != "" && e.Verb != engine.MethodInitialize && (e.Verb != engine.MethodListen || e.Client == "wait_for_change") {
				decisions = append(decisions, e)
			}
		}
		return len(decisions) > 0
	})
	if strings.Contains(strings.ReplaceAll(x.params, "__", ""), "_") { // a generated tool
		for _, e := range decisions {
			if e.Right != access.RightRead || e.Principal != r.Name {
				t.Errorf("%s is recorded as %+v", what, e)
			}
		}
		return
	}
	isList := strings.HasSuffix(x.method, "/list")
	want := access.Entry{Right: access.RightRead}
	if x.method == engine.MethodCallTool || !engine.MethodOf(x.method).IsKnown() {
		want.Right = access.RightAct
	}
	if !isList && x.method != "acme/x" { // for one page
		want.App = x.page
	}
	switch {
	case byToken && (want.App == "mail" || x.method == "acme/x") && len(r.Apps) > 0, byToken && want.Right == access.RightAct && x.acts && r.ReadOnly:
		want.Reason = access.ReasonRights
	case !byToken && !isList && !r.may(x, byToken):
		want.Reason = access.ReasonDeclined
	}
	if e := decisions[0]; len(decisions) != 1 || e.Right != want.Right || e.App != want.App || e.Reason != want.Reason || e.Principal != r.Name {
		t.Errorf("%s is recorded as %+v, want %+v once", what, decisions, want)
	}
}

// waysOf returns all ways in of one assistant. All but those of stdio use its token.
func waysOf(t *testing.T, g *Gateway, name, token string) []wayIn {
	t.Helper()
	open := func() wayIn {
		s, err := dialAs(t, g, token)
		if err != nil {
			t.Fatal(err)
		}
		return bySocket(t, s, false)
	}
	classic, err := dialAs(t, g, token)
	if err != nil {
		t.Fatal(err)
	}
	options := StdioOptions{State: g.state.dir, As: name}
	return []wayIn{
		byHTTP(t, g, token),
		bySession(t, g, token, "2025-11-25"),
		bySession(t, g, token, "2025-03-26"), // by batches
		open(), bySocket(t, classic, true),
		byStdio(t, "stdio", startStdio(t, options), false),
		byStdio(t, "stdio", startStdio(t, options), true),
	}
}

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
