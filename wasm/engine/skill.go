package engine

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Skills are instructions for models, served as resources: extension
// io.modelcontextprotocol/skills, SEP-2640. A client gets their entries by skills/list and
// skills/get, and their files by resources/read.

// ExtensionSkills is the id of the extension.
const ExtensionSkills = "io.modelcontextprotocol/skills"

// Limits of a skill that every client supports: SEP-2640, Limits.
const (
	maxSkillFiles = 512
	maxSkillBytes = 16 << 20 // of all files

	maxFrontmatter = 16 << 10 // bytes of JSON
	maxSkillPath   = 1_000    // characters, below the skill
)

// A Skill is the entry of a skill. Use [ParseSkill].
type Skill struct {
	URI         string // of its SKILL.md
	Frontmatter []byte // of that file, a JSON object with name and description
	Files       []SkillFile
	Dynamic     bool // its files are generated: there is no list of them
}

// A SkillFile is a file of a skill.
type SkillFile struct {
	URI    string
	Digest string // of its bytes: "sha256:" and 64 hexadecimal digits
	Size   int64  // bytes
}

// A Skiller is a Source that also has skills. It serves their files as resources.
type Skiller interface {
	// Skills returns all of them in a stable order.
	Skills(ctx context.Context) ([]Skill, error)

	// Skill returns the one whose SKILL.md has a URI. If there is none, the error
	// wraps [ErrNotFound].
	Skill(ctx context.Context, uri string) (Skill, error)
}

// listSkills answers skills/list.
func (e *Engine) listSkills(ctx context.Context, req *request) (sink.Result, error) {
	return e.listItems(ctx, req, listSkillsMethod, func(ctx context.Context, m *mount) (items []item, err error) {
		source, ok := m.source.(Skiller)
		if !ok {
			return nil, nil
		}
		all, err := source.Skills(ctx)
		for i := range all {
			s := &all[i]
			if e.options.Allow(req.who, VerbList, m.prefix+s.URI) {
				items = append(items, item{s.URI, func(dst []byte) []byte { return appendSkill(dst, s, m.prefix) }})
			}
		}
		return items, err
	})
}

// getSkill answers skills/get.
func (e *Engine) getSkill(ctx context.Context, req *request) (sink.Result, error) {
	uri, err := req.readURI()
	if err != nil {
		return sink.Result{}, err
	}
	if !e.options.Allow(req.who, VerbRead, uri) {
		return sink.Result{}, errDenied
	}
	for l := e.lookup(uri); l.next(); {
		source, ok := l.mount.source.(Skiller)
		if !ok {
			continue
		}
		if l.mount.immediate == nil && !req.mayWait {
			return sink.Result{}, errMustWait
		}
		s, err := source.Skill(ctx, strings.Clone(l.own))
		switch {
		case err == nil:
			o := emit.JSON(appendCache(e.fixed.Load().begin(0), e.private(e.options.Cache)))
			o.Name("skill")
			return sink.Result{Document: &sink.Document{JSON: append(appendSkill(o, &s, l.mount.prefix), '}')}}, nil
		case !tryNextSource(err):
			return sink.Result{}, jsonrpc.Wrap("skill "+jsonrpc.Quoted(uri), err)
		}
	}
	return sink.Result{}, ErrNotFound
}

// appendSkill appends the entry of a skill.
func appendSkill(dst []byte, s *Skill, prefix string) []byte {
	o := emit.JSON(appendURI(append(dst, `{"uri":`...), prefix, s.URI))
	o.Member("frontmatter", s.Frontmatter)
	o.Name("resources")
	if s.Dynamic {
		return append(o, `"dynamic"}`...)
	}
	if len(s.Files) == 0 {
		o.Text("[")
	}
	for i, f := range s.Files {
		o.Text(emit.Separator(i))
		o.Text(`{"uri":`)
		o.Quote(prefix + f.URI)
		o.Name("digest")
		o.Quote(f.Digest)
		o.Name("size")
		o = append(o, jsonrpc.IDOf(f.Size)...)
		o.Text("}")
	}
	return append(o, `]}`...)
}

// ParseSkill reads an entry as skills/list has it. The error names what is wrong: nothing is
// corrected, because clients compare the entry with the files.
func ParseSkill(object []byte) (Skill, error) {
	s := TrustedSkill(object)
	return s, s.check()
}

// TrustedSkill is ParseSkill without checks, for entries of the package's own code: it has
// checked them, and every page pays for the size of the checks. A gateway checks them again.
func TrustedSkill(object []byte) (s Skill) {
	s.URI, _ = jsonrpc.Text(jsonrpc.Member(object, "uri"))
	s.Frontmatter = bytes.Clone(jsonrpc.Member(object, "frontmatter"))
	resources := jsonrpc.Member(object, "resources")
	s.Dynamic = string(resources) == `"dynamic"`
	files, _ := jsonrpc.Elements(resources)
	for _, file := range files {
		f := SkillFile{Size: -1}
		f.URI, _ = jsonrpc.Text(jsonrpc.Member(file, "uri"))
		f.Digest, _ = jsonrpc.Text(jsonrpc.Member(file, "digest"))
		if size, ok := jsonrpc.Int(jsonrpc.Member(file, "size")); ok {
			f.Size = size
		}
		s.Files = append(s.Files, f)
	}
	return s
}

// check checks what SEP-2640 requires of an entry.
func (s *Skill) check() error {
	root, ok := strings.CutSuffix(s.URI, "/SKILL.md")
	if !ok || !validSkillURI(s.URI) {
		return schema.Wrong("uri", "is not that of a SKILL.md, as skill://refunds/SKILL.md is")
	}
	if err := checkFrontmatter(s.Frontmatter); err != nil {
		return err
	}
	name, _ := jsonrpc.Text(jsonrpc.Member(s.Frontmatter, "name"))
	description, _ := jsonrpc.Text(jsonrpc.Member(s.Frontmatter, "description"))
	switch {
	case description == "":
		return schema.Wrong("frontmatter.description", "is missing")
	case !validSkillName(name):
		return schema.Wrong("frontmatter.name", "is not 1 to 64 of a-z, 0-9 and single hyphens between them")
	case !strings.HasSuffix(root, "/"+name):
		return schema.Wrong("uri", "does not end in the name of the skill and /SKILL.md")
	case s.Dynamic:
		return nil
	case s.Files == nil:
		return schema.Wrong("resources", `is neither an array with a SKILL.md nor "dynamic"`)
	case len(s.Files) > maxSkillFiles:
		return schema.Wrong("resources", "are more than 512")
	}
	total, own := int64(0), false
	paths := skillPaths{}
	for i, f := range s.Files {
		path, inside := strings.CutPrefix(f.URI, root+"/")
		switch {
		case !inside || !paths.add(path):
			return schema.Wrong(schema.Element("resources", i)+".uri", "is not that of a further file of the skill")
		case !validDigest(f.Digest):
			return schema.Wrong(schema.Element("resources", i)+".digest", "is not sha256: and 64 hexadecimal digits")
		case f.Size < 0 || f.Size > maxSkillBytes:
			return schema.Wrong(schema.Element("resources", i)+".size", "is not a number of bytes up to 16 MiB")
		}
		total += f.Size
		own = own || f.URI == s.URI
	}
	switch {
	case !own:
		return schema.Wrong("resources", "have no SKILL.md")
	case total > maxSkillBytes:
		return schema.Wrong("resources", "have more than 16 MiB")
	}
	return nil
}

// checkFrontmatter checks the frontmatter: https://agentskills.io/specification.
func checkFrontmatter(object []byte) error {
	if len(object) == 0 || object[0] != '{' {
		return schema.Wrong("frontmatter", "is not an object")
	}
	if len(object) > maxFrontmatter {
		return schema.Wrong("frontmatter", "is larger than 16 KiB")
	}
	if clean, ok := plain.JSON("", object); !ok || !bytes.Equal(clean, object) {
		return schema.Wrong("frontmatter", "has hidden or control characters, or a text that is too long")
	}
	for field, most := range map[string]int{"description": 1024, "compatibility": 500, "license": 1024, "allowed-tools": 1024} { // characters
		value := jsonrpc.Member(object, field)
		text, ok := jsonrpc.Text(value)
		if value != nil && (!ok || utf8.RuneCountInString(text) > most) {
			return schema.Wrong("frontmatter."+field, "is not a text, or is too long")
		}
	}
	if jsonrpc.Member(object, "hooks") != nil { // commands that some clients run
		return schema.Wrong("frontmatter.hooks", "is not allowed")
	}
	metadata := jsonrpc.Member(object, "metadata")
	s := jsonrpc.Scan(metadata)
	for metadata != nil && s.Next() {
		if _, ok := jsonrpc.Text(s.Value); !ok {
			return schema.Wrong("frontmatter.metadata", "is not an object of texts")
		}
	}
	if metadata != nil && s.Err() != nil {
		return schema.Wrong("frontmatter.metadata", "is not an object of texts")
	}
	return nil
}

// skillPaths are the files and directories of a skill in lower case, as some file systems
// know no other; the value is true for files.
type skillPaths map[string]bool

// add adds the path of a file. It returns false if a client could not store the file beside
// the others as it is: the path has other characters than ASCII letters, digits and "._-~+@",
// begins a name with a dot, or is that of another file or directory.
func (p skillPaths) add(path string) bool {
	lower := strings.ToLower(path)
	if _, taken := p[lower]; taken || len(path) > maxSkillPath || lower == "skill.md" && path != "SKILL.md" {
		return false
	}
	for i, c := range []byte(lower) {
		begins := i == 0 || lower[i-1] == '/'
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte("_-~+@", c) >= 0:
		case c == '.' && !begins:
		case c == '/' && !begins:
			if p[lower[:i]] {
				return false
			}
			p[lower[:i]] = false
		default:
			return false
		}
	}
	p[lower] = true
	return lower != "" && lower[len(lower)-1] != '/'
}

// validSkillURI reports whether a URI has the form scheme://path, with a path that a client can
// make directories and a file of.
func validSkillURI(uri string) bool {
	path, ok := strings.CutPrefix(uri[schema.SchemeLength(uri):], "//")
	return ok && schema.CheckURI(uri) == nil && skillPaths{}.add(path)
}

// validSkillName: https://agentskills.io/specification, name field.
func validSkillName(name string) bool {
	if len(name) > 64 {
		return false
	}
	for part := range strings.SplitSeq(name, "-") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			return false
		}
	}
	return true
}

func validDigest(digest string) bool {
	digits, ok := strings.CutPrefix(digest, "sha256:")
	return ok && len(digits) == 64 && !strings.ContainsFunc(digits, func(r rune) bool { return (r < 'a' || r > 'f') && (r < '0' || r > '9') })
}

// PutSkill registers skills, or replaces those with the same URI. Their files are
// resources, registered by Put.
func (t *Table) PutSkill(skills ...Skill) {
	if len(skills) == 0 {
		return // and nothing is announced
	}
	t.update(Change{List: true}, func() {
		for _, s := range skills {
			at, found := slices.BinarySearchFunc(t.skills, s.URI, compareSkill)
			if found {
				t.skills[at] = s
			} else {
				t.skills = slices.Insert(t.skills, at, s)
			}
		}
	})
}

func compareSkill(s Skill, uri string) int { return strings.Compare(s.URI, uri) }

// RemoveSkill takes skills out; their files remain. Unknown URIs are ignored.
func (t *Table) RemoveSkill(uris ...string) {
	t.update(Change{List: true}, func() {
		t.skills = slices.DeleteFunc(t.skills, func(s Skill) bool { return slices.Contains(uris, s.URI) })
	})
}

// HasSkills reports whether any are registered.
func (t *Table) HasSkills() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.skills) > 0
}

// Skills returns all skills by URI.
func (t *Table) Skills(context.Context) ([]Skill, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.skills), nil
}

// Skill returns the entry of a skill.
func (t *Table) Skill(_ context.Context, uri string) (Skill, error) {
	uri = CanonicalURI(uri)
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.IndexFunc(t.skills, func(s Skill) bool { return CanonicalURI(s.URI) == uri })
	if at < 0 {
		return Skill{}, ErrNotFound
	}
	return t.skills[at], nil
}
