package engine

import (
	"bytes"
	"errors"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What sources describe and answer is in the shape of 2026-07-28. Here it becomes
// that of an older revision, and gets the prefix of a mount.

// since returns the revision that a member of a description, or of a block of
// content, appeared in.
func since(name string, isTool bool) revision {
	switch name {
	case "title", "_meta", "outputSchema":
		return rev2025June
	case "icons":
		return rev2025November
	case "annotations":
		if isTool {
			return rev2025March
		}
	}
	return rev2024
}

// appendName appends a comma, if one is due, and the name of a member.
func appendName(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' {
		dst = append(dst, ',')
	}
	return append(jsonrpc.AppendString(dst, name), ':')
}

// appendNamed appends the description of a prompt or tool.
func appendNamed(dst, object []byte, prefix string, rev revision, isTool bool) []byte {
	if rev == modern && prefix == "" {
		return append(dst, object...)
	}
	dst = append(dst, '{')
	s := jsonrpc.Scan(object)
	for s.Next() {
		name := string(s.Name)
		if since(name, isTool) > rev {
			continue
		}
		switch {
		case name == "name":
			text, _ := jsonrpc.Text(s.Value)
			dst = jsonrpc.AppendString(appendName(dst, name), prefix+text)
		case name == "arguments" && !rev.hasTitles():
			dst = append(appendName(dst, name), '[')
			arguments, _ := jsonrpc.Elements(s.Value)
			for i, argument := range arguments {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = appendNamed(dst, argument, "", rev, false)
			}
			dst = append(dst, ']')
		case name == "outputSchema" && rev != modern && string(member(s.Value, "type")) != `"object"`:
			// Only 2026-07-28 has results that are no objects.
		default:
			dst = append(appendName(dst, name), s.Value...)
		}
	}
	return append(dst, '}')
}

// appendAnnotations appends the member annotations; lastModified is known since
// 2025-06-18.
func appendAnnotations(dst, annotations []byte, rev revision) []byte {
	if annotations == nil {
		return dst
	}
	if rev.hasTitles() || member(annotations, "lastModified") == nil {
		return append(appendName(dst, "annotations"), annotations...)
	}
	dst = append(appendName(dst, "annotations"), '{')
	s := jsonrpc.Scan(annotations)
	for s.Next() {
		if name := string(s.Name); name != "lastModified" {
			dst = append(appendName(dst, name), s.Value...)
		}
	}
	return append(dst, '}')
}

var errResult = errors.New("what a source answered is no valid result")

// namedResult makes the result of tools/call or prompts/get of what a source
// answered.
func (e *Engine) namedResult(rev revision, m *mount, answer []byte, isTool bool) (Result, error) {
	doc := []byte{'{'}
	meta := member(answer, "_meta")
	if rev == modern {
		doc = e.fixed.beginWith(meta)
	} else if meta = without(meta, keyServerInfo); meta != nil {
		doc = append(appendName(doc, "_meta"), meta...)
	}
	list, structured := []byte(nil), []byte(nil)
	s := jsonrpc.Scan(answer)
	for s.Next() {
		switch name := string(s.Name); name {
		case "content", "messages":
			if isTool == (name == "content") {
				list = s.Value
			}
		case "structuredContent":
			if structured = s.Value; isTool && (rev == modern || rev.hasTitles() && s.Value[0] == '{') {
				doc = append(appendName(doc, name), s.Value...)
			}
		case "isError":
			if isTool {
				doc = append(appendName(doc, name), s.Value...)
			}
		case "description":
			if !isTool && s.Value[0] == '"' {
				doc = append(appendName(doc, name), s.Value...)
			}
		}
	}
	if list == nil && isTool {
		list = []byte("[]")
		if structured != nil { // clients that know no structuredContent read its text
			list = append(jsonrpc.AppendString([]byte(`[{"type":"text","text":`), string(structured)), "}]"...)
		}
	}
	elements, ok := jsonrpc.Elements(list)
	if !ok || s.Err() != nil {
		return Result{}, errResult
	}
	name := "messages"
	if isTool {
		name = "content"
	}
	doc = append(appendName(doc, name), '[')
	for i, element := range elements {
		if i > 0 {
			doc = append(doc, ',')
		}
		if isTool {
			doc, ok = appendBlock(doc, element, m.prefix, rev)
		} else {
			role := member(element, "role")
			if string(role) != `"user"` && string(role) != `"assistant"` {
				return Result{}, errResult
			}
			doc = append(append(append(doc, `{"role":`...), role...), `,"content":`...)
			doc, ok = appendBlock(doc, member(element, "content"), m.prefix, rev)
			doc = append(doc, '}')
		}
		if !ok {
			return Result{}, errResult
		}
	}
	return Result{Document: &Document{JSON: append(doc, "]}"...)}}, nil
}

// appendBlock appends a block of content; false: it is none. A kind that the
// revision does not know becomes text.
func appendBlock(dst, block []byte, prefix string, rev revision) ([]byte, bool) {
	kind, ok := jsonrpc.Text(member(block, "type"))
	if !ok {
		return dst, false
	}
	if rev >= rev2025November && (prefix == "" || kind != "resource" && kind != "resource_link") {
		return append(dst, block...), true
	}
	if kind == "audio" && rev < rev2025March || kind == "resource_link" && !rev.hasTitles() {
		text, _ := jsonrpc.Text(member(block, "name"))
		uri, isLink := jsonrpc.Text(member(block, "uri"))
		if isLink {
			text += " " + prefix + uri
		} else {
			text, _ = jsonrpc.Text(member(block, "mimeType"))
			text = "[audio " + text + "]"
		}
		dst = jsonrpc.AppendString(append(dst, `{"type":"text","text":`...), text)
		return append(dst, '}'), true
	}
	dst = append(dst, '{')
	s := jsonrpc.Scan(block)
	for s.Next() {
		name := string(s.Name)
		switch {
		case since(name, false) > rev:
		case name == "annotations":
			dst = appendAnnotations(dst, s.Value, rev)
		case name == "uri" && kind == "resource_link":
			uri, _ := jsonrpc.Text(s.Value)
			dst = appendURI(appendName(dst, name), prefix, uri)
		case name == "resource" && kind == "resource":
			dst = append(appendName(dst, name), '{')
			inner := jsonrpc.Scan(s.Value)
			for inner.Next() {
				name := string(inner.Name)
				if since(name, false) > rev {
					continue
				}
				dst = appendName(dst, name)
				if uri, isText := jsonrpc.Text(inner.Value); name == "uri" && isText {
					dst = appendURI(dst, prefix, uri)
				} else {
					dst = append(dst, inner.Value...)
				}
			}
			dst = append(dst, '}')
		default:
			dst = append(appendName(dst, name), s.Value...)
		}
	}
	return append(dst, '}'), s.Err() == nil
}

// without returns a JSON object without one of its members; nil if it is nil, or
// nothing is left.
func without(object []byte, name string) []byte {
	if object == nil || member(object, name) == nil {
		return bytes.Clone(object)
	}
	rest := []byte{'{'}
	s := jsonrpc.Scan(object)
	for s.Next() {
		if string(s.Name) != name {
			rest = append(appendName(rest, string(s.Name)), s.Value...)
		}
	}
	if len(rest) == 1 {
		return nil
	}
	return append(rest, '}')
}
