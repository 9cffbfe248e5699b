package engine

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// A Table is a source in memory: what a web app registers by itself. It answers
// from memory ([Immediate]) and lists in the order of registration. Its methods may
// be called concurrently.
type Table struct {
	mu           sync.Mutex
	generation   uint64
	last         uint64 // the newest number in use
	kinds        map[Kind]*rows
	mimeType     string            // of the last one
	byPrefix     map[string][]*row // templates by the literal beginning
	lengths      []int             // of the keys of byPrefix, longest first
	observers    map[int]func(Change)
	nextObserver int
}

// An Entry is an item of a [Table], and what answers for it. Without a Ref, which the Sink has, a
// resource has Read and a template has Expand, neither of which may wait: the next message of the client
// is read after them. A prompt and a tool have Call. Complete, of templates and prompts, may be nil.
type Entry struct {
	Kind Kind   // nil: Resources
	JSON []byte // the description: see [Kind.Parse]

	Ref   sink.Ref
	Cache Cache // of what Ref refers to
	Read  func(ctx context.Context, uri string) ([]Contents, error)

	// Expand reads what a template describes. variables is a JSON object.
	Expand func(ctx context.Context, uri string, variables []byte) ([]Contents, error)

	// Call renders a prompt or runs a tool: see [Prompter] and [Tooler].
	Call  func(ctx context.Context, arguments []byte) ([]byte, error)
	Extra any // of an extension: see [Table.Extra]

	// Complete suggests values for the arguments of a prompt, or the variables of a template.
	Complete func(ctx context.Context, c CompletionRequest) (Completion, error)
}

// rows are those of a kind.
type rows struct {
	byNumber []*row
	byKey    map[string]*row // by the form in which keys are compared
}

type row struct {
	Entry
	key      string // of the Item
	number   uint64 // the place in the list: kept when the entry is replaced
	mimeType string
	matcher  *matcher // of a template
}

// NewTable returns an empty Table.
func NewTable() *Table {
	return &Table{kinds: map[Kind]*rows{}, byPrefix: map[string][]*row{}, observers: map[int]func(Change){}}
}

// compared returns the form in which keys of a kind are compared.
func (k *ListKind) compared(key string) string {
	switch k.Key {
	case "uri":
		return CanonicalURI(key)
	case "uriTemplate":
		return canonicalTemplate(key)
	}
	return key
}

// newRow checks an entry.
func newRow(e Entry) (*row, error) {
	e.Kind = cmp.Or(e.Kind, Resources)
	item, err := e.Kind.Parse(e.JSON)
	r := &row{Entry: e, key: item.Key}
	r.JSON = item.JSON
	switch {
	case err != nil:
	case e.Kind == Templates:
		r.matcher, err = templateMatcher(item.Key)
	case e.Kind.hasNames() && e.Call == nil:
		err = errors.New("it has no handler: register a function with it")
	}
	if err != nil {
		return nil, jsonrpc.Wrap(e.Kind.One+" "+jsonrpc.Quoted(item.Key), err)
	}
	r.mimeType, _ = jsonrpc.Text(jsonrpc.Member(item.JSON, "mimeType"))
	return r, nil
}

// templateMatcher returns what matches URIs with a template, or why that cannot be registered.
func templateMatcher(template string) (*matcher, error) {
	m, fault := newMatcher(template)
	switch {
	case fault != nil:
		return nil, jsonrpc.Wrap("it cannot be matched", fault)
	case schema.SchemeLength(m.prefix) == 0:
		return nil, errors.New("it must begin with a scheme such as notes: or idb:///")
	}
	return m, nil
}

// Put registers entries, or replaces those with the same key. Those that are not valid are left out: the
// error names each.
func (t *Table) Put(entries ...Entry) (refused error) {
	var valid []*row
	var change Change
	templates := false
	for _, e := range entries {
		r, err := newRow(e)
		if err != nil {
			refused = errors.Join(refused, err)
			continue
		}
		valid = append(valid, r)
		change = change.and(r.Kind.Changed())
		templates = templates || r.Kind == Templates
	}
	if valid == nil {
		return refused // and nothing is announced
	}
	t.update(change, func() {
		for _, r := range valid {
			t.put(r)
		}
		if templates {
			t.index()
		}
	})
	return refused
}

// put registers one row; t.mu is held.
func (t *Table) put(r *row) {
	if r.mimeType == t.mimeType {
		r.mimeType = t.mimeType // one text, which each read compares by its address
	}
	t.mimeType = r.mimeType
	all, key := t.of(r.Kind), r.Kind.compared(r.key)
	if old := all.byKey[key]; old != nil {
		r.number = old.number
		at, _ := slices.BinarySearchFunc(all.byNumber, r.number, byNumber)
		all.byNumber[at] = r
	} else {
		t.last++
		r.number = t.last
		all.byNumber = append(all.byNumber, r)
	}
	all.byKey[key] = r
}

// of returns the rows of a kind; t.mu is held.
func (t *Table) of(k Kind) *rows {
	all := t.kinds[k]
	if all == nil {
		all = &rows{byKey: map[string]*row{}}
		t.kinds[k] = all
	}
	return all
}

func byNumber(r *row, number uint64) int { return cmp.Compare(r.number, number) }

// Remove takes entries out. Unknown keys are ignored.
func (t *Table) Remove(k Kind, keys ...string) {
	if len(keys) == 0 {
		return
	}
	t.update(k.Changed(), func() {
		gone, all := map[*row]bool{}, t.of(k)
		for _, key := range keys {
			key = k.compared(key)
			gone[all.byKey[key]] = true
			delete(all.byKey, key)
		}
		all.byNumber = slices.DeleteFunc(all.byNumber, func(r *row) bool { return gone[r] })
		if k == Templates {
			t.index()
		}
	})
}

// Changed announces that a copy of uri may be stale; "": one of the list.
func (t *Table) Changed(uri string) {
	if uri == "" {
		t.Announce(Change{List: true})
		return
	}
	t.Announce(Change{URI: uri})
}

// Announce announces that lists, or copies, may be stale.
func (t *Table) Announce(change Change) { t.update(change, func() {}) }

// index builds byPrefix and lengths anew; t.mu is held.
func (t *Table) index() {
	clear(t.byPrefix)
	t.lengths = t.lengths[:0]
	for _, r := range t.of(Templates).byNumber {
		prefix := r.matcher.prefix
		t.byPrefix[prefix] = append(t.byPrefix[prefix], r)
		if slices.Contains(t.lengths, len(prefix)) {
			continue
		}
		t.lengths = append(t.lengths, len(prefix))
		for at := len(t.lengths) - 1; at > 0 && t.lengths[at-1] < t.lengths[at]; at-- { // there are few: a sort of package slices is 15 KB of engine.wasm
			t.lengths[at-1], t.lengths[at] = t.lengths[at], t.lengths[at-1]
		}
	}
}

// update changes the table and announces it, with the lock released.
func (t *Table) update(change Change, apply func()) {
	for _, changed := range t.apply(change, apply) {
		changed(change)
	}
}

// apply is update for what t.mu guards. It returns the observers.
func (t *Table) apply(change Change, apply func()) []func(Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	apply()
	if change.lists() != 0 {
		t.generation++
	}
	return slices.Collect(maps.Values(t.observers))
}

// Generation counts changes of the lists.
func (t *Table) Generation() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.generation
}

// tablePage is how many resources List returns at a time: few, since the engine
// takes as many pieces as it needs.
const tablePage = 10 // resources

// List continues behind the number in the cursor, so that entries that come and go
// neither hide nor repeat others.
func (t *Table) List(_ context.Context, k Kind, cursor string) (listing Listing, err error) {
	behind := uint64(0)
	if cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || len(raw) != 8 {
			return Listing{}, ErrBadCursor
		}
		behind = binary.BigEndian.Uint64(raw)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.of(k).byNumber
	from, _ := slices.BinarySearchFunc(all, behind+1, byNumber)
	part := all[from:]
	if k == Resources && len(part) > tablePage {
		part = part[:tablePage]
		next := binary.BigEndian.AppendUint64(nil, part[tablePage-1].number)
		listing.Next = base64.RawURLEncoding.EncodeToString(next)
	}
	listing.Items = make([]Item, len(part))
	for i, r := range part {
		for k.Raw && i > 0 && r.key < listing.Items[i-1].Key { // in order: that of registration differs from page load to page load
			listing.Items[i] = listing.Items[i-1]
			i--
		}
		listing.Items[i] = Item{r.key, r.JSON}
	}
	return listing, nil
}

// Read finds uri among the resources, then among what templates describe.
func (t *Table) Read(ctx context.Context, uri string) ([]Contents, error) {
	r, variables := t.find(CanonicalURI(uri))
	switch {
	case r == nil:
		return nil, ErrNotFound
	case r.Read != nil:
		return r.Read(ctx, uri)
	case r.Expand != nil:
		return r.Expand(ctx, uri, variables)
	}
	return []Contents{{URI: uri, MIMEType: r.mimeType, Ref: r.Ref, Cache: r.Cache, variables: variables}}, nil
}

// Refer implements [Referrer]: the short way for what Read would return as a Ref.
func (t *Table) Refer(uri string) Reference {
	if r, variables := t.find(uri); r != nil { // uri is canonical already
		return Reference{r.Ref, r.mimeType, r.Cache, variables}
	}
	return Reference{}
}

// Has reports whether a resource or a template is there for uri.
func (t *Table) Has(_ context.Context, uri string) (bool, error) {
	r, _ := t.find(CanonicalURI(uri))
	return r != nil, nil
}

// find returns what a canonical URI is read by: a resource, or a template and its variables.
func (t *Table) find(uri string) (r *row, variables []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.of(Resources).byKey[uri]; r != nil {
		return r, nil
	}
	return t.match(uri)
}

// match finds the first template that a canonical URI is an expansion of; t.mu is held. It
// looks at those with the same literal beginning only, however many there are.
func (t *Table) match(uri string) (*row, []byte) {
	for _, length := range t.lengths {
		if length > len(uri) {
			continue
		}
		for _, r := range t.byPrefix[uri[:length]] {
			if variables, ok := r.matcher.match(uri); ok {
				return r, variables
			}
		}
	}
	return nil, nil
}

// row returns an entry by its key, or nil.
func (t *Table) row(k Kind, key string) *row {
	key = k.compared(key)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of(k).byKey[key]
}

// GetPrompt renders a prompt. Missing required arguments, and unknown ones,
// are rejected.
func (t *Table) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	r := t.row(Prompts, name)
	if r == nil {
		return nil, ErrNotFound
	}
	named := 0
	for own, argument := range r.arguments() {
		switch {
		case jsonrpc.Member(arguments, own) != nil:
			named++
		case isTrue(jsonrpc.Member(argument, "required")):
			return nil, BadParams("the argument " + jsonrpc.Brief(own) + " is missing")
		}
	}
	s := jsonrpc.Scan(arguments)
	for s.Next() {
		named--
	}
	if named < 0 {
		return nil, BadParams("arguments has a name that the prompt does not know")
	}
	return r.Call(ctx, arguments)
}

// arguments returns those of a prompt, by name.
func (r *row) arguments() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		all, _ := jsonrpc.Elements(jsonrpc.Member(r.JSON, "arguments"))
		for _, argument := range all {
			if name, _ := jsonrpc.Text(jsonrpc.Member(argument, "name")); !yield(name, argument) {
				return
			}
		}
	}
}

// CallTool runs a tool.
func (t *Table) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	r := t.row(Tools, name)
	if r == nil {
		return nil, ErrNotFound
	}
	return r.Call(ctx, arguments)
}

// Extra returns what an extension keeps with an entry: see [Entry].
func (t *Table) Extra(k Kind, key string) any {
	if r := t.row(k, key); r != nil {
		return r.Extra
	}
	return nil
}

// Complete completes an argument of the prompt or template that c names. Unknown arguments
// are rejected.
func (t *Table) Complete(ctx context.Context, c CompletionRequest) (Completion, error) {
	known := false
	r := t.row(Prompts, c.Prompt)
	switch {
	case r != nil:
		for name := range r.arguments() {
			known = known || name == c.Argument
		}
	case c.Prompt == "":
		r = t.template(c.URI)
	}
	switch {
	case r == nil:
		return Completion{}, ErrNotFound
	case r.matcher != nil:
		known = slices.Contains(r.matcher.names, c.Argument)
	}
	switch {
	case !known:
		return Completion{}, BadParams("argument.name is none of its arguments")
	case r.Complete == nil:
		return Completion{}, nil
	}
	return r.Complete(ctx, c)
}

// template returns the template that uri is, or that uri is an expansion of; else the resource.
func (t *Table) template(uri string) *row {
	if r := t.row(Templates, uri); r != nil {
		return r
	}
	uri = CanonicalURI(uri)
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, _ := t.match(uri); r != nil {
		return r
	}
	return t.of(Resources).byKey[uri]
}

// Follow implements [Follower]: changed is called for every change until ctx ends.
func (t *Table) Follow(ctx context.Context, changed func(Change)) Following {
	t.mu.Lock()
	defer t.mu.Unlock()
	number := t.nextObserver
	t.nextObserver++
	t.observers[number] = changed
	context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.observers, number)
	})
	return AnnouncesAll{}
}
