package server

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// offer gives a page a skill with one further file.
func (p *testPage) offer(name string) {
	p.t.Helper()
	files := map[string]string{
		"SKILL.md":      "---\nname: \"" + name + "\"\ndescription: \"About " + name + "\"\n---\n\nRead `more/facts.md`.\n",
		"more/facts.md": "Facts of " + p.id + ": 1 < 2, \u00e9\n",
	}
	root := "skill://" + name + "/"
	var resources []string
	for path, text := range files {
		p.write(root+path, text)
		resources = append(resources, fmt.Sprintf(`{"uri":"%s","digest":"sha256:%x","size":%d}`, root+path, sha256.Sum256([]byte(text)), len(text)))
	}
	skill, err := engine.ParseSkill([]byte(`{"uri":"` + root + `SKILL.md","frontmatter":{"name":"` + name + `","description":"About ` + name + `"},"resources":[` + strings.Join(resources, ",") + `]}`))
	p.must(err)
	p.table.PutSkill(skill)
	p.engine.SetSkills(true)
}

func (p *testPage) withdrawSkill(name string) {
	p.table.RemoveSkill("skill://" + name + "/SKILL.md")
	p.engine.SetSkills(p.table.HasSkills())
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

// skills returns the list at path; status 404 is an empty one.
func (c testCaller) skills(path string) (all []skillEntry) {
	c.t.Helper()
	response, body := c.do(c.t.Context(), "POST", path, modern("1", "skills/list", ""), v2026, "Mcp-Method: skills/list")
	if response.StatusCode == http.StatusNotFound && strings.Contains(body, "-32601") {
		return nil
	}
	var answer struct {
		Result struct {
			TTLMs      *int
			CacheScope string
			Skills     []skillEntry
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Result.TTLMs == nil || answer.Result.CacheScope == "" {
		c.t.Fatalf("skills/list at %s: %d %s", path, response.StatusCode, body)
	}
	return answer.Result.Skills
}

// declaresSkills reports what discover declares at path.
func (c testCaller) declaresSkills(path string) bool {
	c.t.Helper()
	_, body := c.do(c.t.Context(), "POST", path, discover, v2026, "Mcp-Method: server/discover")
	return strings.Contains(body, `"io.modelcontextprotocol/skills":{}`)
}

// verify reads every file of a skill, and compares digest, size and frontmatter.
func (c testCaller) verify(path string, skill skillEntry) {
	c.t.Helper()
	for _, file := range skill.Resources {
		_, body := c.read(path, file.URI)
		var answer struct {
			Result struct{ Contents []struct{ URI, Text string } }
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Result.Contents) != 1 || answer.Result.Contents[0].URI != file.URI {
			c.t.Fatalf("%s at %s: %s", file.URI, path, body)
		}
		text := answer.Result.Contents[0].Text
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); got != file.Digest || len(text) != file.Size {
			c.t.Errorf("%s: digest %s and %d bytes, not %s and %d", file.URI, got, len(text), file.Digest, file.Size)
		}
		if file.URI == skill.URI && !strings.HasPrefix(text, fmt.Sprintf("---\nname: %q\ndescription: %q\n---\n", skill.Frontmatter["name"], skill.Frontmatter["description"])) {
			c.t.Errorf("%s begins otherwise than its frontmatter %v: %s", file.URI, skill.Frontmatter, text)
		}
	}
}

// At /mcp are the skills of all pages, each under the prefix of its page, and at /mcp/{page}
// those of that page; all files can be read and have digest and size of the entry. The
// extension is declared while there is a skill, also for a page that had none when it
// joined; subscribers get the change of the list. R-361 R-362.
func TestSkillsOfAllPages(t *testing.T) {
	g := startGateway(t, Options{})
	c := testCaller{t, g}
	one, two := newPage(t, testOrigin, "one"), newPage(t, testOrigin, "two")
	one.join(g)
	two.join(g)
	if c.declaresSkills("/mcp") || c.skills("/mcp") != nil {
		t.Error("skills are declared before there are any")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	listen := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + envelope + `,"notifications":{"resourcesListChanged":true}}}`
	stream, _ := c.do(ctx, "POST", "/mcp", listen, v2026, "Mcp-Method: subscriptions/listen", "Accept: application/json, text/event-stream")
	defer stream.Body.Close()
	events := bufio.NewScanner(stream.Body)
	await := func(part string) {
		t.Helper()
		for events.Scan() {
			if strings.Contains(events.Text(), part) {
				return
			}
		}
		t.Fatalf("the stream ended without %s: %v", part, events.Err())
	}
	await("acknowledged")
	one.offer("list")
	await("resources/list_changed")
	eventually(t, "the extension is declared", func() bool { return c.declaresSkills("/mcp") && c.declaresSkills("/mcp/"+one.name) })
	if c.declaresSkills("/mcp/" + two.name) {
		t.Error("declared for a page without skills")
	}
	two.offer("list") // with the same name
	two.offer("trip")
	eventually(t, "all skills are listed", func() bool { return len(c.skills("/mcp")) == 3 })
	for _, skill := range c.skills("/mcp") {
		c.verify("/mcp", skill)
	}
	own := c.skills("/mcp/" + two.name)
	if len(own) != 2 || own[0].URI != "skill://list/SKILL.md" || own[1].URI != "skill://trip/SKILL.md" {
		t.Fatalf("at the page: %v", own)
	}
	c.verify("/mcp/"+two.name, own[0])
	if all := c.skills("/mcp"); all[0].URI == all[1].URI || !strings.HasSuffix(all[1].URI, "+skill://list/SKILL.md") {
		t.Errorf("at /mcp: %v", all)
	}

	get := func(path, uri, want string) {
		t.Helper()
		_, body := c.do(t.Context(), "POST", path, modern("1", "skills/get", `"uri":"`+uri+`"`), v2026, "Mcp-Method: skills/get")
		if !strings.Contains(body, want) {
			t.Errorf("skills/get %s at %s: %s", uri, path, body)
		}
	}
	get("/mcp", two.name+"+skill://trip/SKILL.md", `"uri":"`+two.name+`+skill://trip/more/facts.md"`)
	get("/mcp/"+two.name, "skill://trip/SKILL.md", `"uri":"skill://trip/more/facts.md"`)
	get("/mcp", one.name+"+skill://trip/SKILL.md", "-32602")
	get("/mcp", "skill://trip/SKILL.md", "-32602")
	get("/mcp", two.name+"+skill://../SKILL.md", "-32602")
	get("/mcp", two.name+"+skill://trip%2FSKILL.md", "-32602")
	eventually(t, "the audit log has a skills/get with its URI", func() bool {
		return strings.Contains(audited(t, g), `"verb":"skills/get","uri":"`+two.name+`+skill://trip/SKILL.md"`)
	})

	two.withdrawSkill("list")
	eventually(t, "the skill is gone", func() bool { return len(c.skills("/mcp")) == 2 })
	two.withdrawSkill("trip")
	eventually(t, "the page declares no skills", func() bool { return !c.declaresSkills("/mcp/" + two.name) })
	if !c.declaresSkills("/mcp") || len(c.skills("/mcp")) != 1 {
		t.Error("the skill of the other page is gone, too")
	}
	one.leave()
	one.awaitAway(g)
	if len(c.skills("/mcp")) != 1 {
		t.Error("the skills of a page that reloads are gone at once")
	}
	g.core.Views("").ExpireGrace(one.name)
	eventually(t, "no page with skills is left", func() bool { return !c.declaresSkills("/mcp") && c.skills("/mcp") == nil })
}

// Skills do not count as the extensions that only one page may have at /mcp; both are
// declared beside each other. A policy applies to the URIs at /mcp.
func TestSkillsBesideOtherExtensions(t *testing.T) {
	g := startGateway(t, Options{Allow: func(_ engine.Principal, _ engine.Verb, uri string) bool {
		return !strings.Contains(uri, "skill://private/")
	}})
	c := testCaller{t, g}
	one := newPage(t, testOrigin, "one").extending(`{"level":7}`)
	two := newPage(t, testOrigin, "two")
	one.offer("list")
	two.offer("trip")
	two.offer("private")
	one.join(g)
	two.join(g)
	_, body := c.do(t.Context(), "POST", "/mcp", discover, v2026, "Mcp-Method: server/discover")
	if !strings.Contains(body, `"extensions":{"com.acme/ext":{"level":7},"io.modelcontextprotocol/skills":{}}`) {
		t.Errorf("discover: %s", body)
	}
	for path, want := range map[string]int{"/mcp": 2, "/mcp/" + two.name: 1} {
		if all := c.skills(path); len(all) != want || strings.Contains(fmt.Sprint(all), "private") {
			t.Errorf("%s: %v", path, all)
		}
	}
	_, body = c.do(t.Context(), "POST", "/mcp", modern("1", "acme/x", `"a":[1]`), v2026, "Mcp-Method: acme/x")
	if !strings.Contains(body, `"page":"`+one.name+`"`) {
		t.Errorf("the other extension: %s", body)
	}
}

// A page may send false digests: the client, who reads the file, finds out. What is not a
// digest at all, or not a file of the skill, costs the page this skill; the gateway and other
// pages go on.
func TestForgedSkills(t *testing.T) {
	for name, forge := range map[string]func(string) string{
		"a long digest": func(msg string) string { return strings.ReplaceAll(msg, "sha256:", "sha256:00") },
		"no digest":     func(msg string) string { return strings.ReplaceAll(msg, `"digest"`, `"sum"`) },
		"a file of another": func(msg string) string {
			return strings.Replace(msg, `skill://bad/more/facts.md`, `skill://list/SKILL.md`, 1)
		},
		"a path upwards":   func(msg string) string { return strings.Replace(msg, `bad/more/facts.md`, `bad/../../facts.md`, 1) },
		"an encoded slash": func(msg string) string { return strings.Replace(msg, `more/facts.md`, `..%2F..%2Ffacts.md`, 1) },
		"a huge size":      func(msg string) string { return strings.ReplaceAll(msg, `"size":`, `"size":9999999`) },
		"another frontmatter": func(msg string) string {
			return strings.Replace(msg, `"frontmatter":{"name":"bad"`, `"frontmatter":{"name":"good"`, 1)
		},
		"no entries": func(msg string) string { return strings.Replace(msg, `"skills":[`, `"skills":[7,null,[],`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			g := startGateway(t, Options{})
			c := testCaller{t, g}
			bad, good := newPage(t, testOrigin, "bad"), newPage(t, testOrigin, "good")
			bad.forge = func(msg []byte) []byte {
				if strings.Contains(string(msg), `"skills":[`) {
					return []byte(forge(string(msg)))
				}
				return msg
			}
			bad.offer("bad")
			good.offer("list")
			bad.join(g)
			good.join(g)
			all := c.skills("/mcp")
			want := 1
			if name == "no entries" {
				want = 2
			}
			if len(all) != want || !strings.HasPrefix(all[len(all)-1].URI, good.name+"+") {
				t.Fatalf("%v", all)
			}
			c.verify("/mcp", all[len(all)-1])
		})
	}
}

// An assistant on standard streams gets the skills of the gateway.
func TestStdioOffersSkills(t *testing.T) {
	state := t.TempDir()
	g := startGateway(t, Options{State: state})
	page := newPage(t, testOrigin, "tab")
	page.offer("list")
	page.join(g)
	p := startStdio(t, StdioOptions{Gateway: Options{State: state}})
	if got := p.ask(modern("1", "server/discover", "")); !strings.Contains(got, `"io.modelcontextprotocol/skills":{}`) {
		t.Errorf("discover: %s", got)
	}
	if got := p.ask(modern("2", "skills/list", "")); !strings.Contains(got, page.name+"+skill://list/SKILL.md") || !strings.Contains(got, "ttlMs") {
		t.Errorf("skills/list: %s", got)
	}
	if got := p.ask(modern("3", "skills/get", `"uri":"`+page.name+`+skill://list/SKILL.md"`)); !strings.Contains(got, "facts.md") {
		t.Errorf("skills/get: %s", got)
	}
	if got := p.ask(modern("4", "skills/get", `"uri":"`+page.name+`+skill://none/SKILL.md"`)); !strings.Contains(got, "-32602") {
		t.Errorf("an unknown skill: %s", got)
	}
	p.end()
}
