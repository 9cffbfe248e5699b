package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What sources describe and answer is in the shape of 2026-07-28. Here it becomes
// that of an older revision, and gets the prefix of a mount.

// introducedIn returns the revision that a member of a description, or of a block of
// content, appeared in.
func introducedIn(name string, isTool bool) revision {
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

// named adds the description of a prompt or tool.
func (o *out) named(object []byte, prefix string, rev revision, isTool bool) {
	if rev == modern && prefix == "" {
		o.raw(object)
		return
	}
	o.text("{")
	s := jsonrpc.Scan(object)
	for s.Next() {
		name := string(s.Name)
		if introducedIn(name, isTool) > rev {
			continue
		}
		switch {
		case name == "name":
			text, _ := jsonrpc.Text(s.Value)
			o.name(name)
			o.quote(prefix + text)
		case name == "arguments" && !rev.hasTitles():
			o.name(name)
			arguments, _ := jsonrpc.Elements(s.Value)
			for i, argument := range arguments {
				o.text(separator(i))
				o.named(argument, "", rev, false)
			}
			o.text("]")
		case name == "outputSchema" && rev != modern && string(jsonrpc.Member(s.Value, "type")) != `"object"`:
			// Only 2026-07-28 has results that are no objects.
		default:
			o.member(name, s.Value)
		}
	}
	o.text("}")
}

// separator returns what stands before the i-th element of an array.
func separator(i int) string {
	if i == 0 {
		return "["
	}
	return ","
}

// annotations adds the member of that name, unless it is nil; lastModified is
// known since 2025-06-18.
func (o *out) annotations(annotations []byte, rev revision) {
	if annotations == nil {
		return
	}
	o.name("annotations")
	if rev.hasTitles() {
		o.raw(annotations)
		return
	}
	o.text("{")
	o.members(annotations, func(name string) bool { return name != "lastModified" })
	o.text("}")
}

// namedResult makes the result of tools/call or prompts/get of what a source
// answered.
func (e *Engine) namedResult(rev revision, m *mount, answer []byte, isTool bool) (sink.Result, error) {
	list := "messages"
	if isTool {
		list = "content"
	}
	if err := checkResult(answer, isTool); err != nil {
		return sink.Result{}, err
	}
	o := e.begin(rev, jsonrpc.Member(answer, "_meta"))
	if isTool {
		o.members(answer, func(name string) bool { return name == "isError" })
	} else if description, ok := jsonrpc.Text(jsonrpc.Member(answer, "description")); ok {
		o.name("description")
		o.quote(PlainLines(description, MaxDescription))
	}
	structured := jsonrpc.Member(answer, "structuredContent")
	if isTool && structured != nil && (rev == modern || rev.hasTitles() && structured[0] == '{') {
		o.member("structuredContent", structured)
	}
	blocks := jsonrpc.Member(answer, list)
	if blocks == nil && isTool {
		blocks = []byte("[]")
		if structured != nil { // clients that know no structuredContent read its text
			text := out(`[{"type":"text","text":`)
			text.quote(string(structured))
			text.text("}]")
			blocks = text
		}
	}
	elements, ok := jsonrpc.Elements(blocks)
	if !ok {
		return sink.Result{}, wrong(list, missingOr(blocks, "is not an array"))
	}
	o.name(list)
	if len(elements) == 0 {
		o.text("[")
	}
	for i, one := range elements {
		o.text(separator(i))
		path, block := element(list, i), one
		if !isTool {
			role := jsonrpc.Member(one, "role")
			if string(role) != `"user"` && string(role) != `"assistant"` {
				return sink.Result{}, wrong(path+".role", "is neither user nor assistant")
			}
			path, block = path+".content", jsonrpc.Member(one, "content")
			o.text(`{"role":`)
			o.raw(role)
			o.text(`,"content":`)
		}
		if err := within(path, checkBlock(block)); err != nil {
			return sink.Result{}, err
		}
		o.block(block, m.prefix, rev)
		if !isTool {
			o.text("}")
		}
	}
	o.text("]}")
	return sink.Result{Document: &sink.Document{JSON: o}}, nil
}

// begin begins a result with the members of a _meta, a JSON object or nil.
func (e *Engine) begin(rev revision, meta []byte) out {
	keep := func(name string) bool { return name != keyServerInfo } // that of a Remote's engine
	if rev == modern {
		o := out(e.fixed.Load().begin())
		if meta != nil {
			o = o[:len(o)-1]
			o.members(meta, keep)
			o.text("}")
		}
		return o
	}
	inner := out("{")
	inner.members(meta, keep)
	o := out("{")
	if len(inner) > 1 {
		inner.text("}")
		o.member("_meta", inner)
	}
	return o
}

// block adds a block of content, which has been checked. A kind that the revision
// does not know becomes text.
func (o *out) block(block []byte, prefix string, rev revision) {
	kind, _ := jsonrpc.Text(jsonrpc.Member(block, "type"))
	isLink := kind == "resource_link"
	switch {
	case rev >= rev2025November && !isLink && kind != "resource":
		o.raw(block)
		return
	case kind == "audio" && rev < rev2025March:
		text, _ := jsonrpc.Text(jsonrpc.Member(block, "mimeType"))
		o.text(`{"type":"text","text":`)
		o.quote("[audio " + PlainText(text, MaxTitle) + "]")
	case isLink && !rev.hasTitles():
		name, _ := jsonrpc.Text(jsonrpc.Member(block, "name"))
		name = PlainText(name, MaxName)
		uri, _ := jsonrpc.Text(jsonrpc.Member(block, "uri"))
		o.text(`{"type":"text","text":`)
		o.quote(name + " " + prefix + uri)
	default:
		o.text("{")
		o.content(block, prefix, rev, isLink)
	}
	o.text("}")
}

// content adds the members of a block of content, or of the resource in it. isNamed:
// it describes a resource, whose uri gets the prefix.
func (o *out) content(block []byte, prefix string, rev revision, isNamed bool) {
	s := jsonrpc.Scan(block)
	for s.Next() {
		name := string(s.Name)
		switch {
		case introducedIn(name, false) > rev:
		case name == "annotations":
			o.annotations(s.Value, rev)
		case name == "uri" && isNamed:
			uri, _ := jsonrpc.Text(s.Value)
			o.name(name)
			o.quote(prefix + uri)
		case isNamed && (name == "name" || name == "title" || name == "description" || name == "mimeType"):
			text, _ := jsonrpc.Text(s.Value)
			o.name(name)
			o.quote(plainMember(name, text))
		case name == "resource" && !isNamed:
			o.name(name)
			o.text("{")
			o.content(s.Value, prefix, rev, true)
			o.text("}")
		default:
			o.member(name, s.Value)
		}
	}
}
