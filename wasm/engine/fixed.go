package engine

import (
	"errors"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// fixed has the documents that depend on Info and Options alone.
type fixed struct {
	empty       *sink.Document                   // {} of classic methods
	initialize  [modern]*sink.Document           // by classic revision
	listChanged [len(listKeys)][2]*sink.Document // the notifications: classic, modern

	end  []byte // how discover and initialize end: after capabilities
	head []byte // how each modern result begins: resultType and _meta
	meta []byte // its _meta alone, as a member
}

func newFixed(info Info, o *Options) *fixed {
	f := &fixed{}
	if !info.plain() {
		o.Report(errors.New(schema.IconsRule))
	}
	server := appendInfo(nil, info, modern)
	f.meta = append([]byte(`"_meta":{"`+hop.KeyServerInfo+`":`), server...)
	f.meta = append(f.meta, '}')
	f.head = append([]byte(`{"resultType":"complete",`), f.meta...)

	// Capabilities equal what handlers honour; they do not depend on what
	// is mounted, for classic sessions fix them at initialize and sources come
	// and go.
	end := emit.JSON("}")
	if info.Instructions != "" {
		end.Name("instructions")
		end.Quote(info.Instructions)
	}
	end.Text("}")
	f.end = end

	f.empty = &sink.Document{JSON: []byte(`{}`), Kept: true}
	for r := oldest; r < modern; r++ {
		i := emit.JSON(`{"protocolVersion":"` + r.String() + `","serverInfo":`)
		i.Raw(appendInfo(nil, info, r))
		i.Text(`,"capabilities":{`)
		o.capabilities(&i, r)
		i.Raw(end)
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
	d := emit.JSON(appendCache(f.begin(0), o.Cache))
	d.Name("supportedVersions")
	for r := modern; r >= oldest; r-- { // clients take the first that they know
		d.Text(emit.Separator(int(modern - r)))
		d.Quote(r.String())
	}
	d.Text(`],"capabilities":{`)
	o.capabilities(&d, modern)
	d.Raw(f.end)
	return &sink.Document{JSON: d, Kept: true}
}

// listMethods are the notifications about lists, in the order of [lists].
var listMethods = [...]string{MethodResourcesChanged, MethodPromptsChanged, MethodToolsChanged}

// capabilities adds the members of capabilities.
func (o *Options) capabilities(dst *emit.JSON, rev revision) {
	changes := `{"listChanged":true}`
	dst.Text(`"resources":{`)
	if !o.NoSubscribe {
		dst.Text(`"subscribe":true`)
	}
	if o.NoListChanged {
		changes = "{}"
	} else {
		dst.Name("listChanged")
		dst.Text("true")
	}
	dst.Text("}")
	for _, one := range [...]struct {
		name, value string
		offered     bool
	}{
		{"prompts", changes, o.Prompts},
		{"tools", changes, o.Tools},
		{"completions", "{}", o.Completions && rev.hasCompletions()},
		{"logging", "{}", o.Logging},
	} {
		if one.offered {
			dst.Name(one.name)
			dst.Text(one.value)
		}
	}
	if rev != modern || len(o.Extensions) == 0 {
		return
	}
	dst.Name("extensions")
	dst.Text("{")
	for _, x := range o.Extensions {
		dst.Member(x.ID, []byte("{}"))
	}
	dst.Text("}")
}

// appendCache appends the members that a Cache stands for.
func appendCache(dst []byte, c Cache) []byte {
	dst = strconv.AppendInt(append(dst, `,"ttlMs":`...), max(0, c.TTL.Milliseconds()), 10)
	if c.Public {
		return append(dst, `,"cacheScope":"public"`...)
	}
	return append(dst, `,"cacheScope":"private"`...)
}

// begin returns the beginning of a modern result, with room for so many bytes, or at least 512, behind it.
func (f *fixed) begin(room int) []byte {
	return append(make([]byte, 0, len(f.head)+max(room, 512)), f.head...)
}
