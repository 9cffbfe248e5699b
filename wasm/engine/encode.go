package engine

import (
	"encoding/base64"
	"errors"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// JSON is written by append functions: no reflection, and one allocation a
// document.

// fixed has the documents that depend on Info and Options alone.
type fixed struct {
	empty       *sink.Document                   // {} of classic methods
	initialize  [modern]*sink.Document           // by classic revision
	listChanged [len(listKeys)][2]*sink.Document // the notifications: classic, modern

	end  []byte // how discover and initialize end: after capabilities
	head []byte // how each modern result begins: resultType and _meta
	meta []byte // its _meta alone, as a member
}

const (
	listChanged  = "notifications/resources/list_changed"
	updated      = "notifications/resources/updated"
	acknowledged = "notifications/subscriptions/acknowledged"
)

func newFixed(info Info, o *Options) *fixed {
	f := &fixed{}
	if !info.plain() {
		o.Report(errors.New(iconsRule))
	}
	server := appendInfo(nil, info, true)
	f.meta = append([]byte(`"_meta":{"`+keyServerInfo+`":`), server...)
	f.meta = append(f.meta, '}')
	f.head = append([]byte(`{"resultType":"complete",`), f.meta...)

	// Capabilities equal what handlers honour; they do not depend on what
	// is mounted, for classic sessions fix them at initialize and sources come
	// and go.
	end := out("}")
	if info.Instructions != "" {
		end.name("instructions")
		end.quote(info.Instructions)
	}
	end.text("}")
	f.end = end

	f.empty = &sink.Document{JSON: []byte(`{}`), Kept: true}
	for r := rev2024; r < modern; r++ {
		i := out(`{"protocolVersion":"` + r.String() + `","serverInfo":`)
		info := info
		if !r.hasTitles() {
			info.Title = ""
		}
		i.raw(appendInfo(nil, info, r.hasIcons()))
		i.text(`,"capabilities":{`)
		o.capabilities(&i, r)
		i.raw(end)
		f.initialize[r] = &sink.Document{JSON: i, Kept: true}
	}

	for i, method := range listMethods {
		f.listChanged[i] = [2]*sink.Document{
			{JSON: jsonrpc.AppendNotification(nil, method, nil), Kept: true},
			{JSON: jsonrpc.AppendNotification(nil, method, []byte(`{"_meta":{}}`)), Kept: true},
		}
	}
	return f
}

// discover makes the result of server/discover.
func (f *fixed) discover(o *Options) *sink.Document {
	d := out(appendCache(f.begin(), o.Cache))
	d.name("supportedVersions")
	for r := modern; r >= rev2024; r-- { // modern first: decision 6.2
		d.text(separator(int(modern - r)))
		d.quote(r.String())
	}
	d.text(`],"capabilities":{`)
	o.capabilities(&d, modern)
	d.raw(f.end)
	return &sink.Document{JSON: d, Kept: true}
}

// listMethods are the notifications about lists, in the order of [lists].
var listMethods = [...]string{listChanged, "notifications/prompts/list_changed", "notifications/tools/list_changed"}

// capabilities adds the members of capabilities.
func (o *Options) capabilities(dst *out, rev revision) {
	changes := `{"listChanged":true}`
	dst.text(`"resources":{`)
	if !o.NoSubscribe {
		dst.text(`"subscribe":true`)
	}
	if o.NoListChanged {
		changes = "{}"
	} else {
		dst.name("listChanged")
		dst.text("true")
	}
	dst.text("}")
	for _, one := range [...]struct {
		name, value string
		offered     bool
	}{
		{"prompts", changes, o.Prompts},
		{"tools", changes, o.Tools},
		{"completions", "{}", o.Completions && rev > rev2024},
		{"logging", "{}", o.Logging},
	} {
		if one.offered {
			dst.name(one.name)
			dst.text(one.value)
		}
	}
	if rev == modern && o.Extensions != nil {
		dst.member("extensions", o.Extensions)
	}
}

// appendCache appends the members that a Cache stands for.
func appendCache(dst []byte, c Cache) []byte {
	dst = strconv.AppendInt(append(dst, `,"ttlMs":`...), max(0, c.TTL.Milliseconds()), 10)
	if c.Public {
		return append(dst, `,"cacheScope":"public"`...)
	}
	return append(dst, `,"cacheScope":"private"`...)
}

// begin returns the beginning of a modern result, with room behind it.
func (f *fixed) begin() []byte { return append(make([]byte, 0, len(f.head)+512), f.head...) }

// appendInfo appends an Implementation object; whole with the fields that
// revisions since 2025-11-25 know.
func appendInfo(dst []byte, info Info, whole bool) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"name":`...), info.Name)
	dst = appendText(dst, "version", info.Version)
	dst = appendText(dst, "title", info.Title)
	if whole {
		dst = appendText(dst, "websiteUrl", info.WebsiteURL)
		dst = appendRaw(dst, "icons", info.Icons)
	}
	return append(dst, '}')
}

// appendText appends a further member, unless its text is empty.
//
//go:noinline
func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return jsonrpc.AppendString(dst, text)
}

// appendRaw appends a further member of JSON text, unless it is nil.
//
//go:noinline
func appendRaw(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return append(dst, value...)
}

func appendURI(dst []byte, prefix, uri string) []byte {
	if prefix != "" {
		uri = prefix + uri
	}
	return jsonrpc.AppendString(dst, uri)
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
	case c.body != nil:
		dst = append(append(dst, ','), c.body...)
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
		dst = append(dst, `,"_meta":{"`+MetaVersion+`":"`...)
		dst = append(append(dst, version...), `",`...)
		dst = append(dst, c.Meta[1:]...)
	case version != "":
		dst = append(dst, `,"_meta":{"`+MetaVersion+`":"`...)
		dst = append(append(dst, version...), `"}`...)
	case c.Ref != 0:
		dst = append(dst, `,"_meta":{}`...)
	}
	return append(dst, '}')
}

func hasVersion(meta []byte) bool {
	found := false
	jsonrpc.Members(meta, func(name string, _ []byte) *jsonrpc.Error {
		found = found || name == MetaVersion
		return nil
	})
	return found
}

// fingerprint is the content version of what is known here: 64 bits of FNV-1a
// over its bytes, in hexadecimal. It tells versions apart; it protects nothing.
func fingerprint[T string | []byte](content T) string {
	hash := uint64(14695981039346656037)
	for i := 0; i < len(content); i++ {
		hash = (hash ^ uint64(content[i])) * 1099511628211
	}
	return strconv.FormatUint(hash, 16)
}
