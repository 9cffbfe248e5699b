package remote_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// All of 10,000 skills of a page come through the gateway's engine, in pages, each once.
func TestManySkillsAreListed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	synctest.Test(t, func(t *testing.T) {
		const count = 10_000
		page := engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Extensions: enginetest.Extensions(), PageSize: 1000})
		page.Mount("", enginetest.TableOfSkills(t, count))
		near, far := jsonrpc.Pipe()
		go page.Serve(t.Context(), far) // ends with near
		r, err := remote.Attach(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Extensions: enginetest.Extensions(), PageSize: 1000})
		e.Mount("p+", r)
		d := enginetest.NewDialogue(t, e)
		seen := map[string]bool{}
		for members, pages := "", 0; ; pages++ {
			result := jsonrpc.Member([]byte(d.Modern("skills/list", members)), "result")
			skills, _ := jsonrpc.Elements(jsonrpc.Member(result, "skills"))
			for _, skill := range skills {
				uri, _ := jsonrpc.Text(jsonrpc.Member(skill, "uri"))
				seen[uri] = true
			}
			next := jsonrpc.Member(result, "nextCursor")
			if next == nil || pages > 20 {
				break
			}
			members = `"cursor":` + string(next)
		}
		if len(seen) != count || !seen["p+skill://s9999/SKILL.md"] {
			t.Errorf("%d of %d skills are listed", len(seen), count)
		}
		d.Port.Close()
		r.Close()
	})
}

// A page that does not check its skills offers some inside others: the gateway's engine lists
// the outer ones only.
func TestNestedSkillsAreNotListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := engine.NewTable()
		for _, uri := range []string{"skill://a/SKILL.md", "skill://a/b/SKILL.md", "skill://A/c/d/SKILL.md", "skill://ab/SKILL.md", "skill://x/y/SKILL.md", "skill://x/z/SKILL.md"} {
			name := strings.TrimSuffix(uri, "/SKILL.md")
			name = name[strings.LastIndexByte(name, '/')+1:]
			entry := engine.Entry{Kind: skill.Kind, JSON: []byte(`{"uri":"` + uri + `","frontmatter":{"name":"` + name + `","description":"d"},"resources":"dynamic"}`)}
			if err := table.Put(entry); err != nil {
				t.Fatal(err)
			}
		}
		page := engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Extensions: enginetest.Extensions()})
		page.Mount("", table)
		near, far := jsonrpc.Pipe()
		go page.Serve(t.Context(), far) // ends with near
		r, err := remote.Attach(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		skills, err := r.List(t.Context(), skill.Kind, "")
		var got []string
		for _, s := range skills.Items {
			got = append(got, s.Key)
		}
		if want := "skill://a/SKILL.md skill://ab/SKILL.md skill://x/y/SKILL.md skill://x/z/SKILL.md"; err != nil || strings.Join(got, " ") != want {
			t.Errorf("%v, %v, want %s", got, err, want)
		}
	})
}

// skills/get answers with the entry in the list of the page of the prefix.
func TestSkillOfAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.page("a", listsOf(nil))
		g.page("b", listsOf(map[string]string{"skills/list": `"result":{"resultType":"complete","skills":[` + enginetest.SkillEntry("one") + `]}`}))
		d := g.client()
		for uri, want := range map[string]string{
			"b+skill://one/SKILL.md": `"skill":{"uri":"b+skill://one/SKILL.md"`,
			"a+skill://one/SKILL.md": `"skill":{"uri":"a+skill://one/SKILL.md"`,
			"b+skill://two/SKILL.md": "Unknown skill",
		} {
			if got := d.Modern("skills/get", `"uri":"`+uri+`"`); !strings.Contains(got, want) {
				t.Errorf("%s: %s", uri, got)
			}
		}
		g.end()
	})
}

// Two pages with a skill of the same name have it under two URIs.
func TestEqualSkillsOfTwoPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.page("a", listsOf(nil))
		g.page("b", listsOf(nil))
		d := g.client()
		got := d.Modern("skills/list", "")
		for _, uri := range []string{"a+skill://one/SKILL.md", "b+skill://one/SKILL.md"} {
			if strings.Count(got, `"`+uri+`"`) != 2 { // of the entry and of its file
				t.Errorf("%s: %s", uri, got)
			}
		}
		g.end()
	})
}
