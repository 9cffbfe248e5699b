package remote

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// Skills of another engine are checked here: a client may store their files.

// Limits of a skill that every client supports: SEP-2640, Limits.
const (
	maxSkillFiles = 512
	maxSkillBytes = 16 << 20 // of all files

	maxFrontmatter = 16 << 10 // bytes of JSON
	maxSkillPath   = 1_000    // characters, below the skill
)

// whole returns the entries of a whole list: of skills, without those in the directory of another one, which it
// reports. A client that stores both would mix their files.
func (w *pager) whole() []engine.Item {
	if w.key.kind != skill.Kind {
		return w.items
	}
	const file = "/skill.md"
	roots := map[string]bool{}
	for _, s := range w.items {
		roots[strings.TrimSuffix(strings.ToLower(s.Key), file)] = true
	}
	return slices.DeleteFunc(w.items, func(s engine.Item) bool {
		dir := strings.TrimSuffix(strings.ToLower(s.Key), file)
		for i := strings.LastIndexByte(dir, '/'); i >= 0; i = strings.LastIndexByte(dir, '/') {
			if dir = dir[:i]; roots[dir] {
				w.remote.report(schema.Wrong("uri", "is in the directory of another skill: "+jsonrpc.Brief(s.Key)))
				return true
			}
		}
		return false
	})
}

// parseSkill reads an entry as skills/list has it. The error names what is wrong: nothing is corrected, because clients
// compare the entry with the files.
func parseSkill(object []byte) (engine.Item, error) {
	item, err := skill.Kind.Parse(object)
	if err == nil {
		err = checkSkill(item)
	}
	return item, err
}

// checkSkill checks what SEP-2640 requires of an entry.
func checkSkill(item engine.Item) error {
	root, ok := strings.CutSuffix(item.Key, "/SKILL.md")
	if !ok || !validSkillURI(item.Key) {
		return schema.Wrong("uri", "is not that of a SKILL.md, as skill://refunds/SKILL.md is")
	}
	frontmatter, resources := jsonrpc.Member(item.JSON, "frontmatter"), jsonrpc.Member(item.JSON, "resources")
	if err := checkFrontmatter(frontmatter); err != nil {
		return err
	}
	name, _ := jsonrpc.Text(jsonrpc.Member(frontmatter, "name"))
	description, _ := jsonrpc.Text(jsonrpc.Member(frontmatter, "description"))
	files, isArray := jsonrpc.Elements(resources)
	switch {
	case description == "":
		return schema.Wrong("frontmatter.description", "is missing")
	case !validSkillName(name):
		return schema.Wrong("frontmatter.name", "is not 1 to 64 of a-z, 0-9 and single hyphens between them")
	case !strings.HasSuffix(root, "/"+name):
		return schema.Wrong("uri", "does not end in the name of the skill and /SKILL.md")
	case string(resources) == `"dynamic"`: // they are generated
		return nil
	case !isArray:
		return schema.Wrong("resources", `is neither an array with a SKILL.md nor "dynamic"`)
	case len(files) > maxSkillFiles:
		return schema.Wrong("resources", "are more than 512")
	}
	total, own := int64(0), false
	paths := skillPaths{}
	for i, file := range files {
		uri, _ := jsonrpc.Text(jsonrpc.Member(file, "uri"))
		digest, _ := jsonrpc.Text(jsonrpc.Member(file, "digest"))
		size, isSize := jsonrpc.Int(jsonrpc.Member(file, "size"))
		path, inside := strings.CutPrefix(uri, root+"/")
		switch {
		case !inside || !paths.add(path):
			return schema.Wrong(schema.Element("resources", i)+".uri", "is not that of a further file of the skill")
		case !validDigest(digest):
			return schema.Wrong(schema.Element("resources", i)+".digest", "is not sha256: and 64 hexadecimal digits")
		case !isSize || size < 0 || size > maxSkillBytes:
			return schema.Wrong(schema.Element("resources", i)+".size", "is not a number of bytes up to 16 MiB")
		}
		total += size
		own = own || uri == item.Key
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
