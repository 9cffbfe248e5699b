package engine

import (
	"encoding/base64"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// JSON is written by append functions: no reflection, and one allocation a
// document.

// fixed has the documents that never change while the engine lives.
type fixed struct {
	empty       *Document // {} of classic methods
	discover    *Document
	initialize  [modern]*Document           // by classic revision
	listChanged [len(listKeys)][2]*Document // the notifications: classic, modern

	head []byte // how each modern result begins: resultType and _meta
	meta []byte // its _meta alone, as a member
}

const (
	listChanged  = "notifications/resources/list_changed"
	updated      = "notifications/resources/updated"
	acknowledged = "notifications/subscriptions/acknowledged"
)

func newFixed(info Info, o *Options) fixed {
	var f fixed
	server := appendInfo(nil, info, true)
	f.meta = append([]byte(`"_meta":{"`+keyServerInfo+`":`), server...)
	f.meta = append(f.meta, '}')
	f.head = append([]byte(`{"resultType":"complete",`), f.meta...)

	// Capabilities equal what handlers honour; they do not depend on what
	// is mounted, for classic sessions fix them at initialize and sources come
	// and go.
	instructions := []byte(nil)
	if info.Instructions != "" {
		instructions = jsonrpc.AppendString([]byte(`,"instructions":`), info.Instructions)
	}

	f.empty = &Document{JSON: []byte(`{}`), Kept: true}
	d := append(appendCache(f.begin(), o.Cache), `,"supportedVersions":[`...)
	for r := modern; r >= rev2024; r-- { // modern first: decision 6.2
		if r != modern {
			d = append(d, ',')
		}
		d = jsonrpc.AppendString(d, r.String())
	}
	d = o.appendCapabilities(append(d, `],`...), modern)
	d = append(appendRaw(d, "extensions", o.Extensions), '}')
	f.discover = &Document{JSON: append(append(d, instructions...), '}'), Kept: true}

	for r := rev2024; r < modern; r++ {
		i := o.appendCapabilities([]byte(`{"protocolVersion":"`+r.String()+`",`), r)
		i = append(i, `},"serverInfo":`...)
		i = appendInfo(i, info, r.hasIcons())
		if !r.hasIcons() && r.hasTitles() {
			i = i[:len(i)-1]
			i = append(appendText(i, "title", info.Title), '}')
		}
		f.initialize[r] = &Document{JSON: append(append(i, instructions...), '}'), Kept: true}
	}

	for i, method := range listMethods {
		f.listChanged[i] = [2]*Document{
			{JSON: jsonrpc.AppendNotification(nil, method, nil), Kept: true},
			{JSON: jsonrpc.AppendNotification(nil, method, []byte(`{"_meta":{}}`)), Kept: true},
		}
	}
	return f
}

// listMethods are the notifications about lists, in the order of [lists].
var listMethods = [...]string{listChanged, "notifications/prompts/list_changed", "notifications/tools/list_changed"}

// appendCapabilities appends the member capabilities, all but its last bracket.
func (o *Options) appendCapabilities(dst []byte, rev revision) []byte {
	changes := `{"listChanged":true}`
	if o.NoListChanged {
		changes = "{}"
	}
	dst = append(dst, `"capabilities":{"resources":{`...)
	if !o.NoSubscribe {
		dst = append(dst, `"subscribe":true`...)
	}
	if !o.NoListChanged {
		dst = append(appendName(dst, "listChanged"), "true"...)
	}
	dst = append(dst, '}')
	if o.Prompts {
		dst = append(append(dst, `,"prompts":`...), changes...)
	}
	if o.Tools {
		dst = append(append(dst, `,"tools":`...), changes...)
	}
	if o.Completions && rev > rev2024 {
		dst = append(dst, `,"completions":{}`...)
	}
	if o.Logging {
		dst = append(dst, `,"logging":{}`...)
	}
	return dst
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

// beginWith is begin with further members of _meta: meta is a JSON object, or nil.
func (f *fixed) beginWith(meta []byte) []byte {
	if meta == nil {
		return f.begin()
	}
	dst := f.begin()[:len(f.head)-1]
	s := jsonrpc.Scan(meta)
	for s.Next() {
		if name := string(s.Name); name != keyServerInfo { // that of a Remote's engine
			dst = append(appendName(dst, name), s.Value...)
		}
	}
	return append(dst, '}')
}

// appendInfo appends an Implementation object; whole with the fields that
// revisions since 2025-11-25 know.
func appendInfo(dst []byte, info Info, whole bool) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"name":`...), info.Name)
	dst = jsonrpc.AppendString(append(dst, `,"version":`...), info.Version)
	if whole {
		dst = appendText(dst, "title", info.Title)
		dst = appendText(dst, "websiteUrl", info.WebsiteURL)
		dst = appendRaw(dst, "icons", info.Icons)
	}
	return append(dst, '}')
}

// appendText appends a further member, unless its text is empty.
func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return jsonrpc.AppendString(dst, text)
}

// appendRaw appends a further member of JSON text, unless it is nil.
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
	dst = appendAnnotations(dst, annotations, rev)
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
	dst = appendText(dst, "mimeType", c.MIMEType)
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
