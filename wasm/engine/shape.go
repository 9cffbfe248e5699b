package engine

import (
	"encoding/base64"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// What sources describe and answer is in the shape of 2026-07-28. Here it becomes
// that of the revision of a request, and gets the prefix of a mount. What an older
// revision does not have is left out, or becomes text; revision.go knows what each has.

// begin begins a result with the members of a _meta, a JSON object or nil, and has room for so many bytes.
func (e *Engine) begin(rev revision, meta []byte, room int) emit.JSON {
	keep := func(name string) bool { return name != hop.KeyServerInfo } // that of a Remote's engine
	if rev == modern {
		o := emit.JSON(e.fixed.Load().begin(room + len(meta)))
		if meta != nil {
			o = o[:len(o)-1]
			o.Members(meta, keep)
			o.Text("}")
		}
		return o
	}
	inner := emit.JSON("{")
	inner.Members(meta, keep)
	o := append(make(emit.JSON, 0, len(inner)+room), '{')
	if len(inner) > 1 {
		inner.Text("}")
		o.Member("_meta", inner)
	}
	return o
}

// beginRead is begin for the result of a read, up to its first item.
func (e *Engine) beginRead(rev revision, cache Cache, meta []byte, room int) []byte {
	if rev != modern && meta == nil {
		return append(make([]byte, 0, room+len(`{"contents":[]}`)), `{"contents":[`...)
	}
	o := e.begin(rev, meta, room+readOverhead)
	if rev == modern {
		o = appendCache(o, e.private(cache))
	}
	o.Name("contents")
	o.Text("[")
	return o
}

// readOverhead is about what a modern result of a read has before its first item, besides what all results have.
const readOverhead = 64 // bytes

// beginList begins the result of a method that lists, up to its first entry.
func (e *Engine) beginList(rev revision, k Kind) []byte {
	begin := []byte("{")
	if rev == modern {
		begin = append(appendCache(e.fixed.Load().begin(0), e.private(e.options.Cache)), ',')
	}
	return append(append(append(begin, '"'), k.Member...), `":[`...)
}

// appendInfo appends an Implementation object.
func appendInfo(dst []byte, info Info, rev revision) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"name":`...), info.Name)
	dst = emit.AppendText(dst, "version", info.Version)
	if rev.hasTitles() {
		dst = emit.AppendText(dst, "title", info.Title)
	}
	if rev.hasIcons() {
		dst = emit.AppendText(dst, "websiteUrl", info.WebsiteURL)
		dst = emit.AppendRaw(dst, "icons", info.Icons)
	}
	return append(dst, '}')
}

// appendContents appends an item of contents. With a Ref it has neither text nor
// blob, and a _meta, perhaps an empty one, which the Sink may add to.
func appendContents(dst []byte, c *Contents, prefix string, rev revision) []byte {
	dst = appendURI(append(dst, `{"uri":`...), prefix, c.URI)
	dst = emit.AppendText(dst, "mimeType", plain.Member("mimeType", c.MIMEType))
	switch {
	case c.Ref != 0:
	case c.Relayed.Body != nil && c.Relayed.IsBlob:
		dst = emit.AppendRaw(dst, "blob", c.Relayed.Body)
	case c.Relayed.Body != nil:
		dst = emit.AppendRaw(dst, "text", c.Relayed.Body)
	case c.Blob != nil:
		dst = append(dst, `,"blob":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, c.Blob)
		dst = append(dst, '"')
	default:
		dst = jsonrpc.AppendString(append(dst, `,"text":`...), c.Text)
	}
	switch {
	case !rev.hasTitles():
	case c.Meta != nil:
		dst = emit.AppendRaw(dst, "_meta", c.Meta)
	case c.Ref != 0:
		dst = append(dst, `,"_meta":{}`...)
	}
	return append(dst, '}')
}

// addAnnotations adds the member of that name, unless it is nil; lastModified is
// known since 2025-06-18.
func addAnnotations(o *emit.JSON, annotations []byte, rev revision) {
	if annotations == nil {
		return
	}
	o.Name("annotations")
	if rev.hasTitles() {
		o.Raw(annotations)
		return
	}
	o.Text("{")
	o.Members(annotations, func(name string) bool { return name != "lastModified" })
	o.Text("}")
}

// namedResult makes the result of tools/call or prompts/get of what a source
// answered.
func (e *Engine) namedResult(rev revision, m *mount, answer []byte, isTool bool) (sink.Result, error) {
	list := "messages"
	if isTool {
		list = "content"
	}
	if err := schema.CheckResult(answer, isTool); err != nil {
		return sink.Result{}, err
	}
	o := e.begin(rev, jsonrpc.Member(answer, "_meta"), len(answer))
	if isTool {
		o.Members(answer, func(name string) bool { return name == "isError" })
	} else if description, ok := jsonrpc.Text(jsonrpc.Member(answer, "description")); ok {
		o.Name("description")
		o.Quote(plain.Lines(description, plain.MaxDescription))
	}
	structured := jsonrpc.Member(answer, "structuredContent")
	if isTool && structured != nil && (rev == modern || rev.hasStructured() && structured[0] == '{') {
		o.Member("structuredContent", structured)
	}
	blocks := jsonrpc.Member(answer, list)
	if blocks == nil && isTool {
		blocks = []byte("[]")
		if structured != nil { // clients that know no structuredContent read its text
			text := emit.JSON(`[{"type":"text","text":`)
			text.Quote(string(structured))
			text.Text("}]")
			blocks = text
		}
	}
	elements, ok := jsonrpc.Elements(blocks)
	if !ok {
		return sink.Result{}, schema.Wrong(list, schema.MissingOr(blocks, "is not an array"))
	}
	o.Name(list)
	if len(elements) == 0 {
		o.Text("[")
	}
	for i, one := range elements {
		o.Text(emit.Separator(i))
		path, block := schema.Element(list, i), one
		if !isTool {
			role := jsonrpc.Member(one, "role")
			if string(role) != `"user"` && string(role) != `"assistant"` {
				return sink.Result{}, schema.Wrong(path+".role", "is neither user nor assistant")
			}
			path, block = path+".content", jsonrpc.Member(one, "content")
			o.Text(`{"role":`)
			o.Raw(role)
			o.Text(`,"content":`)
		}
		if err := schema.Within(path, schema.CheckBlock(block)); err != nil {
			return sink.Result{}, err
		}
		addBlock(&o, block, m.prefix, rev)
		if !isTool {
			o.Text("}")
		}
	}
	o.Text("]}")
	return sink.Result{Document: &sink.Document{JSON: o}}, nil
}

// addBlock adds a block of content, which has been checked. A kind that the revision
// does not know becomes text.
func addBlock(o *emit.JSON, block []byte, prefix string, rev revision) {
	kind, _ := jsonrpc.Text(jsonrpc.Member(block, "type"))
	isLink := kind == "resource_link"
	switch {
	case rev.hasAllOfBlocks() && !isLink && kind != "resource":
		o.Raw(block)
		return
	case kind == "audio" && !rev.hasAudio():
		text, _ := jsonrpc.Text(jsonrpc.Member(block, "mimeType"))
		o.Text(`{"type":"text","text":`)
		o.Quote("[audio " + plain.Text(text, plain.MaxTitle) + "]")
	case isLink && !rev.hasLinks():
		name, _ := jsonrpc.Text(jsonrpc.Member(block, "name"))
		name = plain.Text(name, plain.MaxName)
		uri, _ := jsonrpc.Text(jsonrpc.Member(block, "uri"))
		o.Text(`{"type":"text","text":`)
		o.Quote(name + " " + prefix + uri)
	default:
		o.Text("{")
		addContent(o, block, prefix, rev, isLink)
	}
	o.Text("}")
}

// addContent adds the members of a block of content, or of the resource in it. isNamed:
// it describes a resource, whose uri gets the prefix.
func addContent(o *emit.JSON, block []byte, prefix string, rev revision, isNamed bool) {
	s := jsonrpc.Scan(block)
	for s.Next() {
		name := string(s.Name)
		switch {
		case introducedIn(name, false) > rev:
		case name == "annotations":
			addAnnotations(o, s.Value, rev)
		case name == "uri" && isNamed:
			uri, _ := jsonrpc.Text(s.Value)
			o.Name(name)
			o.Quote(prefix + uri)
		case isNamed && (name == "name" || name == "title" || name == "description" || name == "mimeType"):
			text, _ := jsonrpc.Text(s.Value)
			o.Name(name)
			o.Quote(plain.Member(name, text))
		case name == "resource" && !isNamed:
			o.Name(name)
			o.Text("{")
			addContent(o, s.Value, prefix, rev, true)
			o.Text("}")
		default:
			o.Member(name, s.Value)
		}
	}
}

func appendURI(dst []byte, prefix, uri string) []byte {
	if prefix != "" {
		uri = prefix + uri
	}
	return jsonrpc.AppendString(dst, uri)
}
