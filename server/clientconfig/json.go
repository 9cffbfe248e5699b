package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// byteOrderMark is what some editors of Windows write first.
var byteOrderMark = []byte("\ufeff")

// parse returns a document of JSON with comments, and the objects that contain the servers.
// parent is nil if the document has no such member. An empty text is an empty object.
func parse(source []byte, name string) (document hujson.Value, root, parent *hujson.Object, err error) {
	if bytes.HasPrefix(source, []byte{0xff, 0xfe}) || bytes.HasPrefix(source, []byte{0xfe, 0xff}) {
		return document, nil, nil, errors.New("it is encoded as UTF-16: save it as UTF-8")
	}
	source = bytes.TrimPrefix(source, byteOrderMark)
	if len(bytes.TrimSpace(source)) == 0 {
		source = []byte("{\n}\n")
	}
	if document, err = hujson.Parse(source); err != nil { // it quotes the text, which may be a secret
		return document, nil, nil, fmt.Errorf("it does not parse (%s): correct it, then try again", regexp.MustCompile(`line \d+, column \d+`).FindString(err.Error()))
	}
	root, ok := document.Value.(*hujson.Object)
	if !ok {
		return document, nil, nil, errors.New("the document is not an object")
	}
	at, err := indexOf(root, name)
	if err != nil || at < 0 {
		return document, root, nil, err
	}
	if parent, ok = root.Members[at].Value.Value.(*hujson.Object); !ok {
		return document, root, nil, fmt.Errorf("%q is not an object: correct it by hand", name)
	}
	return document, root, parent, nil
}

// indexOf returns the index of a member, or -1.
func indexOf(o *hujson.Object, name string) (int, error) {
	found := -1
	for i, member := range o.Members {
		if literal, ok := member.Name.Value.(hujson.Literal); ok && literal.String() == name {
			if found >= 0 {
				return -1, fmt.Errorf("there are two members %q: correct it by hand", name)
			}
			found = i
		}
	}
	return found, nil
}

// findMember returns the value of a member of parent as JSON, or nil.
func findMember(source []byte, parent, name string) ([]byte, error) {
	_, _, o, err := parse(source, parent)
	if err != nil || o == nil {
		return nil, err
	}
	at, err := indexOf(o, name)
	if err != nil || at < 0 {
		return nil, err
	}
	value := o.Members[at].Value.Clone()
	value.Standardize()
	return value.Pack(), nil
}

// setMember adds or replaces a member of parent, and returns the new text and the member as it
// is written. Nothing else changes.
func setMember(source []byte, parent, name, value string) (after []byte, added string, err error) {
	document, root, o, err := parse(source, parent)
	if err != nil {
		return nil, "", err
	}
	unit := lineOf(root, "\n  ")
	if o == nil {
		if o, err = patch(&document, "/"+parent, `{}`, unit); err != nil {
			return nil, "", err
		}
	}
	indent := strings.TrimLeft(unit, "\r\n")
	deeper := lineOf(o, unit+indent)
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(value), strings.TrimLeft(deeper, "\r\n"), indent); err != nil {
		return nil, "", err
	}
	value = strings.ReplaceAll(lines.String(), "\n", deeper[:strings.IndexByte(deeper, '\n')+1])
	if _, err := patch(&document, "/"+parent+"/"+name, value, deeper); err != nil {
		return nil, "", err
	}
	return packed(document, source), text(name) + ": " + value, nil
}

// patch adds or replaces the member that path names, and returns its value if that is an
// object. line is the white space before a new member.
func patch(document *hujson.Value, path, value, line string) (*hujson.Object, error) {
	at := strings.LastIndexByte(path, '/')
	o, ok := document.Find(path[:at]).Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is not an object", path[:at])
	}
	before := len(o.Members)
	hasComma := before > 0 && o.Members[before-1].Value.AfterExtra != nil
	operation := fmt.Sprintf(`[{"op": "add", "path": %s, "value": %s}]`, text(path), value)
	if err := document.Patch([]byte(operation)); err != nil {
		return nil, err
	}
	if len(o.Members) > before {
		added := &o.Members[before]
		added.Name.BeforeExtra = append(bytes.TrimRight(added.Name.BeforeExtra, " \t\r\n"), line...)
		added.Value.BeforeExtra = hujson.Extra(" ")
		if hasComma {
			added.Value.AfterExtra = hujson.Extra{}
		}
		if end := &o.AfterExtra; !bytes.Contains(*end, []byte("\n")) { // the closing bracket gets a line of its own
			*end = append(bytes.TrimRight(*end, " \t"), strings.TrimSuffix(line, "  ")...)
		}
	}
	inner, _ := document.Find(path).Value.(*hujson.Object)
	return inner, nil
}

// lineOf returns the line break and indentation before the first member of an object, or else
// fallback.
func lineOf(o *hujson.Object, fallback string) string {
	if len(o.Members) == 0 {
		return fallback
	}
	before := string(o.Members[0].Name.BeforeExtra)
	at := len(strings.TrimRight(before, " \t"))
	switch {
	case strings.HasSuffix(before[:at], "\r\n"):
		return before[at-2:]
	case strings.HasSuffix(before[:at], "\n"):
		return before[at-1:]
	}
	return fallback
}

// removeMember removes a member of parent, with the comments that belong to it.
func removeMember(source []byte, parent, name string) ([]byte, error) {
	document, _, o, err := parse(source, parent)
	if err != nil || o == nil {
		return source, err
	}
	last := len(o.Members) - 1
	hasComma := o.Members[last].Value.AfterExtra != nil
	if err := document.Patch(fmt.Appendf(nil, `[{"op": "remove", "path": %s}]`, text("/"+parent+"/"+name))); err != nil {
		return nil, err
	}
	if last > 0 && hasComma {
		o.Members[last-1].Value.AfterExtra = hujson.Extra{}
	}
	return packed(document, source), nil
}

// packed returns the text of a document, with the byte order mark of the source.
func packed(document hujson.Value, source []byte) []byte {
	if bytes.HasPrefix(source, byteOrderMark) {
		return slices.Concat(byteOrderMark, document.Pack())
	}
	return document.Pack()
}

func sameEntry(a, b []byte) bool {
	var first, second any
	return json.Unmarshal(a, &first) == nil && json.Unmarshal(b, &second) == nil && reflect.DeepEqual(first, second)
}

// commandOf returns the program and arguments of an entry of any client.
func commandOf(value []byte) []string {
	var parsed struct {
		Command any      `json:"command"`
		Args    []string `json:"args"`
	}
	if json.Unmarshal(value, &parsed) != nil {
		return nil
	}
	switch command := parsed.Command.(type) {
	case string:
		return append([]string{command}, parsed.Args...)
	case []any:
		var words []string
		for _, one := range command {
			if word, ok := one.(string); ok {
				words = append(words, word)
			}
		}
		return words
	}
	return nil
}
