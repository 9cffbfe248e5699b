package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// A skill without files has an empty list of them.
func TestSkillWithoutFilesIsValidJSON(t *testing.T) {
	table := engine.NewTable()
	entry := []byte(`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"d"},"resources":[]}`)
	if err := table.Put(engine.Entry{Kind: skill.Kind, JSON: entry}); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Extensions: enginetest.Extensions()})
	e.Mount("p+", table)
	d := enginetest.NewDialogue(t, e)
	if got := d.Modern("skills/list", ""); !strings.Contains(got, `"resources":[]}`) {
		t.Error(got)
	}
}

// A policy hides a skill from the list, and answers for it as for an unknown one.
func TestPolicyOfSkills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]engine.Verb{}
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Extensions: enginetest.Extensions(), Allow: func(_ engine.Principal, verb engine.Verb, uri string) bool {
			asked[uri] |= 1 << verb
			return !strings.Contains(uri, "s1")
		}})
		e.Mount("p+", enginetest.TableOfSkills(t, 3))
		d := enginetest.NewDialogue(t, e)
		if got := d.Modern("skills/list", ""); strings.Contains(got, "s1") || !strings.Contains(got, "p+skill://s0/SKILL.md") || !strings.Contains(got, "s2") {
			t.Errorf("skills/list: %s", got)
		}
		denied, missing := d.Modern("skills/get", `"uri":"p+skill://s1/SKILL.md"`), d.Modern("skills/get", `"uri":"p+skill://x1/SKILL.md"`)
		if same := strings.NewReplacer("s1", "x1", `"id":2`, `"id":3`).Replace(denied); same != missing || !strings.Contains(denied, "-32602") {
			t.Errorf("denied: %s\nmissing: %s", denied, missing)
		}
		if got := asked["p+skill://s1/SKILL.md"]; got != 1<<engine.VerbList|1<<engine.VerbRead {
			t.Errorf("verbs %b", got)
		}
		d.Port.Close()
		synctest.Wait()
	})
}
