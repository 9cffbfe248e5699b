package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
)

// Each assistant gets by every method, in both eras, what the rights of its token say, and nothing
// else. On the twin without restrictions every request succeeds.
func TestAssistantsGetWhatTheirRightsSay(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{ReadsPerSecond: 1e6})
	assistantPage(t, g, "notes", false)
	assistantPage(t, g, "mail", true)
	for _, rights := range []NewToken{{Name: "all"}, {Name: "reader", ReadOnly: true}, {Name: "noter", Apps: []string{"notes"}}, {Name: "both", ReadOnly: true, Apps: []string{"notes", "other"}}} {
		token := mustAdd(t, g, rights)
		for _, way := range []wayIn{byHTTP(t, g, token), bySession(t, g, token, "2025-11-25")} {
			check := func(page string, acts bool, method, params, want string) {
				t.Helper()
				may := (page == "notes" || len(rights.Apps) == 0) && !(acts && rights.ReadOnly)
				if got := way.ask(method, params); strings.Contains(got, want) != may {
					t.Errorf("%s by %s: %s {%s} is answered %.300s; may: %v", rights.Name, way.name, method, params, got, may)
				}
			}
			for _, page := range []string{"notes", "mail"} {
				name := func(own string) string { return `"name":"` + page + "__" + own + `"` }
				uri := `"` + page + `+note:a"`
				check(page, false, "resources/list", "", uri)
				check(page, false, "resources/read", `"uri":`+uri, "secret of "+page)
				check(page, false, "resources/templates/list", "", page+"+note:x/{id}")
				check(page, false, "completion/complete", `"ref":{"type":"ref/resource","uri":"`+page+`+note:x/{id}"},"argument":{"name":"id","value":""}`, "value of "+page)
				check(page, false, "completion/complete", `"ref":{"type":"ref/prompt",`+name("ask")+`},"argument":{"name":"a","value":""}`, "value of "+page)
				check(page, false, "prompts/list", "", name("ask"))
				check(page, false, "prompts/get", name("ask"), "prompt of "+page)
				check(page, false, "prompts/get", `"name":"`+page+`.ask"`, "prompt of "+page) // as older clients and policies have it
				check(page, false, "tools/list", "", name("look"))
				check(page, false, "tools/call", name("look")+`,"arguments":{}`, "look of "+page)
				check(page, false, "tools/call", `"name":"list_resources","arguments":{}`, page+"+note:a")
				check(page, false, "tools/call", `"name":"read_resource","arguments":{"uri":`+uri+`}`, "secret of "+page)
				check(page, false, "tools/call", `"name":"wait_for_change","arguments":{"uris":[`+uri+`],"timeoutSeconds":0.01}`, "Nothing changed")
				for _, tool := range []string{"act", "bare"} {
					check(page, true, "tools/list", "", name(tool))
					check(page, true, "tools/call", name(tool)+`,"arguments":{}`, tool+" of "+page)
				}
				if way.classic {
					check(page, false, "resources/subscribe", `"uri":`+uri, `"result"`)
				} else {
					check(page, false, "subscriptions/listen", `"notifications":{"resourceSubscriptions":[`+uri+`]}`, uri)
				}
			}
			if !way.classic {
				check("mail", false, "skills/list", "", "mail+skill://list/SKILL.md")
				check("mail", false, "skills/get", `"uri":"mail+skill://list/SKILL.md"`, "facts.md")
			}
		}
	}
}

// skill registers a skill.
func (p *testPage) skill() {
	p.t.Helper()
	entry := fmt.Appendf(nil, `{"uri":"skill://list/SKILL.md","frontmatter":{"name":"list","description":"About lists"},"resources":[`+
		`{"uri":"skill://list/SKILL.md","digest":"sha256:%s","size":1},{"uri":"skill://list/facts.md","digest":"sha256:%s","size":1}]}`, strings.Repeat("0", 64), strings.Repeat("1", 64))
	p.must(p.table.Put(engine.Entry{Kind: skill.Kind, JSON: entry}))
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
