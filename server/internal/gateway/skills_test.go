package gateway

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
)

// offer gives a page a skill with one further file.
func (p *testPage) offer(name string) {
	p.t.Helper()
	files := map[string]string{
		"SKILL.md":      "---\nname: \"" + name + "\"\ndescription: \"About " + name + "\"\n---\n\nRead `more/facts.md`.\n",
		"more/facts.md": "Facts of " + p.hello.Page + ": 1 < 2, \u00e9\n",
	}
	root := "skill://" + name + "/"
	var resources []string
	for path, text := range files {
		p.write(root+path, text)
		resources = append(resources, fmt.Sprintf(`{"uri":"%s","digest":"sha256:%x","size":%d}`, root+path, sha256.Sum256([]byte(text)), len(text)))
	}
	entry := []byte(`{"uri":"` + root + `SKILL.md","frontmatter":{"name":"` + name + `","description":"About ` + name + `"},"resources":[` + strings.Join(resources, ",") + `]}`)
	p.must(p.table.Put(engine.Entry{Kind: skill.Kind, JSON: entry}))
	settle()
}

func (p *testPage) withdrawSkill(name string) {
	p.table.Remove(skill.Kind, "skill://"+name+"/SKILL.md")
	settle()
}

// A skillEntry is what a client reads of skills/list.
type skillEntry struct {
	URI         string
	Frontmatter map[string]string
	Resources   []struct {
		URI, Digest string
		Size        int
	}
}

// skills returns the list at path.
func (g *testGateway) skills(path string) (all []skillEntry) {
	g.t.Helper()
	status, body := g.Ask(path, skill.MethodList, "")
	var answer struct {
		Result struct {
			TTLMs      *int
			CacheScope string
			Skills     []skillEntry
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Result.TTLMs == nil || answer.Result.CacheScope == "" {
		g.t.Fatalf("skills/list at %s: %d %s", path, status, body)
	}
	return answer.Result.Skills
}

// verify reads every file of a skill, and compares digest, size and frontmatter.
func (g *testGateway) verify(path string, skill skillEntry) {
	g.t.Helper()
	for _, file := range skill.Resources {
		_, body := g.Read(path, file.URI)
		var answer struct {
			Result struct{ Contents []struct{ URI, Text string } }
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Result.Contents) != 1 || answer.Result.Contents[0].URI != file.URI {
			g.t.Fatalf("%s at %s: %s", file.URI, path, body)
		}
		text := answer.Result.Contents[0].Text
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); got != file.Digest || len(text) != file.Size {
			g.t.Errorf("%s: digest %s and %d bytes, not %s and %d", file.URI, got, len(text), file.Digest, file.Size)
		}
		if file.URI == skill.URI && !strings.HasPrefix(text, fmt.Sprintf("---\nname: %q\ndescription: %q\n---\n", skill.Frontmatter["name"], skill.Frontmatter["description"])) {
			g.t.Errorf("%s begins otherwise than its frontmatter %v: %s", file.URI, skill.Frontmatter, text)
		}
	}
}

// At /mcp are the skills of all pages, each under the prefix of its page, and at /mcp/{page}
// those of that page; all files can be read and have digest and size of the entry. Subscribers get the change of the
// list, also of a page that had none when it joined. R-361 R-362.
func TestSkillsOfAllPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		one, two := newPage(t, "one"), newPage(t, "two")
		one.join(g)
		two.join(g)
		if len(g.skills("/mcp")) != 0 {
			t.Error("skills before there are any")
		}
		events := g.Listen(t.Context(), "/mcp", `"resourcesListChanged":true`)
		one.offer("list")
		if got := events.Next(); !strings.Contains(got, engine.MethodResourcesChanged) {
			t.Errorf("subscribers get %s", got)
		}
		two.offer("list") // with the same name
		two.offer("trip")
		all := g.skills("/mcp")
		if len(all) != 3 || all[0].URI == all[1].URI || !strings.HasSuffix(all[1].URI, "+skill://list/SKILL.md") {
			t.Fatalf("at /mcp: %v", all)
		}
		for _, skill := range all {
			g.verify("/mcp", skill)
		}
		own := g.skills("/mcp/two")
		if len(own) != 2 || own[0].URI != "skill://list/SKILL.md" || own[1].URI != "skill://trip/SKILL.md" {
			t.Fatalf("at the page: %v", own)
		}
		g.verify("/mcp/two", own[0])

		for _, x := range []struct{ path, uri, want string }{
			{"/mcp", "two+skill://trip/SKILL.md", `"uri":"two+skill://trip/more/facts.md"`},
			{"/mcp/two", "skill://trip/SKILL.md", `"uri":"skill://trip/more/facts.md"`},
			{"/mcp", "one+skill://trip/SKILL.md", "-32602"},
			{"/mcp", "skill://trip/SKILL.md", "-32602"},
			{"/mcp", "two+skill://../SKILL.md", "-32602"},
			{"/mcp", "two+skill://trip%2FSKILL.md", "-32602"},
		} {
			if _, body := g.Ask(x.path, skill.MethodGet, `"uri":"`+x.uri+`"`); !strings.Contains(body, x.want) {
				t.Errorf("skills/get %s at %s: %s", x.uri, x.path, body)
			}
		}
		if g.audited(func(e access.Entry) bool {
			return e.Verb == skill.MethodGet && e.URI == "two+skill://trip/SKILL.md" && e.Outcome == "ok"
		}) != 1 {
			t.Errorf("the audit log has no skills/get with its URI: %+v", g.entries)
		}

		two.withdrawSkill("list")
		if all := g.skills("/mcp"); len(all) != 2 {
			t.Errorf("the skill stays: %v", all)
		}
		two.withdrawSkill("trip")
		if len(g.skills("/mcp")) != 1 {
			t.Error("the skill of the other page is gone, too")
		}
		one.leave(g, false)
		if len(g.skills("/mcp")) != 1 {
			t.Error("the skills of a page that reloads are gone at once")
		}
		g.Views("o").ExpireGrace("one")
		synctest.Wait()
		if len(g.skills("/mcp")) != 0 {
			t.Error("skills without a page")
		}
	})
}

// A policy applies to the URIs at /mcp.
func TestPolicyOfSkills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t, func(o *Options) {
			o.Allow = func(_ engine.Principal, _ engine.Verb, uri string) bool {
				return !strings.Contains(uri, "skill://private/")
			}
		})
		one, two := newPage(t, "one"), newPage(t, "two")
		one.offer("list")
		two.offer("trip")
		two.offer("private")
		one.join(g)
		two.join(g)
		for path, want := range map[string]int{"/mcp": 2, "/mcp/two": 1} {
			if all := g.skills(path); len(all) != want || strings.Contains(fmt.Sprint(all), "private") {
				t.Errorf("%s: %v", path, all)
			}
		}
	})
}
