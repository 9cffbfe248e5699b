package engine

import (
	"encoding/base64"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What sources describe and answer is in the shape of 2026-07-28. Here it becomes
// that of the revision of a request, and gets the prefix of a mount. What an older
// revision does not have is left out, or becomes text; revision.go knows what each has.

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

// beginRead begins a result with the members of a _meta, a JSON object or nil.
func (e *Engine) beginRead(rev revision, cache Cache, meta []byte) []byte {
	if rev != modern && meta == nil {
		return append(make([]byte, 0, 256), `{"contents":[`...)
	}
	o := e.begin(rev, meta)
	if rev == modern {
		o = appendCache(o, cache)
	}
	o.name("contents")
	o.text("[")
	return o
}

// beginList begins the result of a list, up to its first entry.
func (e *Engine) beginList(rev revision, kind byte) []byte {
	begin := []byte("{")
	if rev == modern {
		begin = append(appendCache(e.fixed.Load().begin(), e.options.Cache), ',')
	}
	name := "resources"
	switch kind {
	case listOfTemplates:
		name = "resourceTemplates"
	case listOfPrompts:
		name = "prompts"
	case listOfTools:
		name = "tools"
	case listOfSkills:
		name = "skills"
	}
	return append(append(append(begin, '"'), name...), `":[`...)
}

// appendInfo appends an Implementation object.
func appendInfo(dst []byte, info Info, rev revision) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"name":`...), info.Name)
	dst = appendText(dst, "version", info.Version)
	if rev.hasTitles() {
		dst = appendText(dst, "title", info.Title)
	}
	if rev.hasIcons() {
		dst = appendText(dst, "websiteUrl", info.WebsiteURL)
		dst = appendRaw(dst, "icons", info.Icons)
	}
	return append(dst, '}')
}

// appendResource appends a resource in the shape of a revision.
func appendResource(dst []byte, r *Resource, prefix string, rev revision) []byte {
	dst = appendURI(append(dst, `{"uri":`...), prefix, r.URI)
	dst = jsonrpc.AppendString(append(dst, `,"name":`...), r.Name)
	if rev.hasTitles() {
		dst = appendText(dst, "title", r.Title)
	}
	dst = appendText(dst, "description", r.Description)
	dst = appendText(dst, "mimeType", r.MIMEType)
	if r.Size > 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), r.Size, 10)
	}
	return appendExtras(dst, r.Annotations, r.Icons, r.Meta, rev)
}

// appendTemplate appends a template in the shape of a revision.
func appendTemplate(dst []byte, t *Template, prefix string, rev revision) []byte {
	dst = appendURI(append(dst, `{"uriTemplate":`...), prefix, t.URITemplate)
	dst = jsonrpc.AppendString(append(dst, `,"name":`...), t.Name)
	if rev.hasTitles() {
		dst = appendText(dst, "title", t.Title)
	}
	dst = appendText(dst, "description", t.Description)
	dst = appendText(dst, "mimeType", t.MIMEType)
	return appendExtras(dst, t.Annotations, t.Icons, t.Meta, rev)
}

func appendExtras(dst, annotations, icons, meta []byte, rev revision) []byte {
	if annotations != nil {
		o := out(dst)
		o.annotations(annotations, rev)
		dst = o
	}
	if rev.hasIcons() {
		dst = appendRaw(dst, "icons", icons)
	}
	if rev.hasTitles() {
		dst = appendRaw(dst, "_meta", meta)
	}
	return append(dst, '}')
}

// appendContents appends an item of contents. With a Ref it has neither text nor
// blob, and an empty _meta for the Sink to put the version into.
func appendContents(dst []byte, c *Contents, prefix string, rev revision) []byte {
	dst = appendURI(append(dst, `{"uri":`...), prefix, c.URI)
	dst = appendText(dst, "mimeType", plainMember("mimeType", c.MIMEType))
	var version string
	switch {
	case c.Ref != 0:
	case c.body != nil && c.isBlob:
		dst = appendRaw(dst, "blob", c.body)
	case c.body != nil:
		dst = appendRaw(dst, "text", c.body)
	case c.Blob != nil:
		dst = append(dst, `,"blob":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, c.Blob)
		dst = append(dst, '"')
		version = fingerprint(c.Blob)
	default:
		dst = jsonrpc.AppendString(append(dst, `,"text":`...), c.Text)
		version = fingerprint(c.Text)
	}
	switch {
	case !rev.hasTitles():
	case c.Meta != nil && (version == "" || hasVersion(c.Meta)):
		dst = appendRaw(dst, "_meta", c.Meta)
	case c.Meta != nil && string(c.Meta) != "{}":
		dst = append(dst, `,"_meta":{"`+metaVersion+`":"`...)
		dst = append(append(dst, version...), `",`...)
		dst = append(dst, c.Meta[1:]...)
	case version != "":
		dst = append(dst, `,"_meta":{"`+metaVersion+`":"`...)
		dst = append(append(dst, version...), `"}`...)
	case c.Ref != 0:
		dst = append(dst, `,"_meta":{}`...)
	}
	return append(dst, '}')
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
	if isTool && structured != nil && (rev == modern || rev.hasStructured() && structured[0] == '{') {
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

// block adds a block of content, which has been checked. A kind that the revision
// does not know becomes text.
func (o *out) block(block []byte, prefix string, rev revision) {
	kind, _ := jsonrpc.Text(jsonrpc.Member(block, "type"))
	isLink := kind == "resource_link"
	switch {
	case rev.hasAllOfBlocks() && !isLink && kind != "resource":
		o.raw(block)
		return
	case kind == "audio" && !rev.hasAudio():
		text, _ := jsonrpc.Text(jsonrpc.Member(block, "mimeType"))
		o.text(`{"type":"text","text":`)
		o.quote("[audio " + PlainText(text, MaxTitle) + "]")
	case isLink && !rev.hasLinks():
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

func hasVersion(meta []byte) bool {
	found := false
	jsonrpc.Members(meta, func(name string, _ []byte) *jsonrpc.Error {
		found = found || name == metaVersion
		return nil
	})
	return found
}

// fingerprint is the content version of what is known here: 64 bits of FNV-1a
// over its bytes, in hexadecimal. It distinguishes versions; it is not for security.
func fingerprint[T string | []byte](content T) string {
	hash := uint64(14695981039346656037)
	for i := 0; i < len(content); i++ {
		hash = (hash ^ uint64(content[i])) * 1099511628211
	}
	return strconv.FormatUint(hash, 16)
}
