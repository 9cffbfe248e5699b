package server

import (
	"strings"
	"testing"
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

// Each assistant gets by every method, in both eras, on every way in, what its rights say and
// nothing else. On the twin, where the same tokens have no restrictions, every request
// succeeds.
func TestEveryWayInAgreesWithTheRights(t *testing.T) {
	t.Parallel()
	restricted := []NewToken{
		{Name: "reader", ReadOnly: true},
		{Name: "noter", Apps: []string{"notes"}},
		{Name: "both", ReadOnly: true, Apps: []string{"notes", "other"}},
	}
	for _, guarded := range []bool{true, false} {
		g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 1e6, CallsPerSecond: 1e6, CompletionsPerSecond: 1e6}})
		assistantPage(t, g, "notes", false)
		assistantPage(t, g, "mail", true)
		for _, rights := range restricted {
			given := rights
			if !guarded {
				given = NewToken{Name: rights.Name}
			}
			added, err := g.named.add(given)
			if err != nil {
				t.Fatal(err)
			}
			for _, way := range waysOf(t, g, rights.Name, added.Token) {
				for _, x := range matrixActs() {
					if way.classic && x.modern || !way.classic && x.classic {
						continue
					}
					if way.hop && x.method == "subscriptions/listen" {
						continue // it acknowledges what it requests of the gateway: see TestNotificationsAgreeWithTheRights
					}
					may := !guarded || !(x.acts && rights.ReadOnly) && (x.page == "" || len(rights.Apps) == 0 || x.page == "notes")
					got := way.ask(x.method, x.params)
					if strings.Contains(got, x.want) != may {
						t.Errorf("guarded %v, %s by %s: %s {%s} is answered %.300s; may: %v", guarded, rights.Name, way.name, x.method, x.params, got, may)
					}
					if !may && x.method == "tools/call" && x.acts && x.page == "notes" && !strings.Contains(got, `"reason":"read-only"`) {
						t.Errorf("%s by %s: the refusal %s does not say why", rights.Name, way.name, got)
					}
				}
			}
		}
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
	options := StdioOptions{Gateway: Options{State: g.state.dir}, As: name}
	return []wayIn{
		byHTTP(t, g, token),
		bySession(t, g, token, "2025-11-25"),
		bySession(t, g, token, "2025-03-26"), // by batches
		open(), bySocket(t, classic, true),
		byStdio(t, "stdio", startStdio(t, options), false),
		byStdio(t, "stdio", startStdio(t, options), true),
		ownPort(t, g, name, false), ownPort(t, g, name, true),
	}
}

// ownPort is the way of a stdio process that is the gateway itself.
func ownPort(t *testing.T, g *Gateway, name string, classic bool) wayIn {
	t.Helper()
	port, err := g.serveOwnPort(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { port.Close() })
	way := "own port"
	if classic {
		way += ", classic"
	}
	return byLines(t, way, classic, func(line string) {
		if err := port.Write(t.Context(), []byte(line)); err != nil {
			t.Fatal(err)
		}
	}, func() string {
		msg, err := port.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(msg)
	})
}
