package engine

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Table is a source in memory: what a web app registers by itself. It answers
// from memory ([Immediate]) and lists in the order of registration. Its methods may
// be called concurrently.
type Table struct {
	mu           sync.Mutex
	generation   uint64
	last         uint64          // the newest number in use
	rows         []*row          // by number
	mimeType     string          // of the last one
	byURI        map[string]*row // by the canonical form
	templates    []*templateRow
	byPrefix     map[string][]*templateRow // by the literal beginning
	lengths      []int                     // of the keys of byPrefix, longest first
	prompts      []namedRow                // replaced as a whole, as are tools
	tools        []namedRow
	skills       []Skill // by URI
	observers    map[int]func(Change)
	nextObserver int
}

// An Entry is a resource and how to read it: by Ref, where the Sink has it, or by
// Read.
type Entry struct {
	Resource
	Ref   sink.Ref
	Read  func(ctx context.Context, uri string) ([]Contents, error)
	Cache Cache // of what Ref refers to
}

// A TemplateEntry is a template and how to read what it describes. Read gets the
// variables as a JSON object. Complete suggests values for them; it may be nil.
type TemplateEntry struct {
	Template
	Ref  sink.Ref
	Read func(ctx context.Context, uri string, variables []byte) ([]Contents, error)

	Complete func(ctx context.Context, c CompletionRequest) (Completion, error)
	Cache    Cache // of what Ref refers to
}

type row struct {
	Entry
	number uint64 // the place in the list: kept when the entry is replaced
}

type templateRow struct {
	TemplateEntry
	canonical string // the template, as it is compared
	matcher   *matcher
}

// NewTable returns an empty Table.
func NewTable() *Table {
	return &Table{byURI: map[string]*row{}, byPrefix: map[string][]*templateRow{}, observers: map[int]func(Change){}}
}

// check returns why an entry cannot be registered, or nil.
func (e *Entry) check() error {
	var err error
	switch fault := schema.CheckURI(e.URI); {
	case fault != nil:
		err = schema.Wrong("its URI", fault.Error())
	case e.Name == "":
		err = errors.New("its name is missing")
	case e.MIMEType != "" && !schema.ValidMediaType(e.MIMEType):
		err = schema.Wrong("its mimeType", schema.MediaTypeRule)
	default:
		return nil
	}
	return jsonrpc.Wrap("resource "+jsonrpc.Quoted(e.URI), err)
}

// Put registers entries, or replaces those with the same URI. Those that are not valid are
// left out: the error names each.
func (t *Table) Put(entries ...Entry) (refused error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		err := e.check()
		refused = errors.Join(refused, err)
		return err != nil
	})
	if len(entries) == 0 {
		return refused // and nothing is announced
	}
	t.update(Change{List: true}, func() {
		for _, e := range entries {
			plain.Members(e.URI, &e.Name, &e.Title, &e.Description, &e.MIMEType)
			if e.MIMEType == t.mimeType {
				e.MIMEType = t.mimeType // one text, which each read compares by its address
			}
			t.mimeType = e.MIMEType
			key := CanonicalURI(e.URI)
			if old := t.byURI[key]; old != nil {
				old.Entry = e
				continue
			}
			t.last++
			r := &row{e, t.last}
			t.rows = append(t.rows, r)
			t.byURI[key] = r
		}
	})
	return refused
}

// matcher returns what matches URIs with a template, or why that cannot be registered.
func (e *TemplateEntry) matcher() (m *matcher, err error) {
	m, fault := newMatcher(e.URITemplate)
	switch {
	case fault != nil:
		err = jsonrpc.Wrap("it cannot be matched", fault)
	case schema.SchemeLength(m.prefix) == 0:
		err = errors.New("it must begin with a scheme such as notes: or idb:///")
	case e.Name == "":
		err = errors.New("its name is missing")
	case e.MIMEType != "" && !schema.ValidMediaType(e.MIMEType):
		err = schema.Wrong("its mimeType", schema.MediaTypeRule)
	default:
		return m, nil
	}
	return nil, jsonrpc.Wrap("template "+jsonrpc.Quoted(e.URITemplate), err)
}

// PutTemplate registers templates, or replaces equal ones. Those that are not valid are left
// out: the error names each.
func (t *Table) PutTemplate(entries ...TemplateEntry) (refused error) {
	var rows []*templateRow
	for _, e := range entries {
		m, err := e.matcher()
		if err != nil {
			refused = errors.Join(refused, err)
			continue
		}
		plain.Members(e.URITemplate, &e.Name, &e.Title, &e.Description, &e.MIMEType)
		rows = append(rows, &templateRow{e, canonicalTemplate(e.URITemplate), m})
	}
	if len(rows) == 0 {
		return refused
	}
	t.update(Change{List: true}, func() {
		for _, r := range rows {
			at := slices.IndexFunc(t.templates, func(old *templateRow) bool { return old.canonical == r.canonical })
			if at >= 0 {
				t.templates[at] = r
			} else {
				t.templates = append(t.templates, r)
			}
		}
		t.index()
	})
	return refused
}

// Remove takes resources out. Unknown URIs are ignored.
func (t *Table) Remove(uris ...string) {
	if len(uris) == 0 {
		return
	}
	t.update(Change{List: true}, func() {
		gone := map[*row]bool{}
		for _, uri := range uris {
			key := CanonicalURI(uri)
			gone[t.byURI[key]] = true
			delete(t.byURI, key)
		}
		t.rows = slices.DeleteFunc(t.rows, func(r *row) bool { return gone[r] })
	})
}

// RemoveTemplate takes templates out.
func (t *Table) RemoveTemplate(uriTemplates ...string) {
	if len(uriTemplates) == 0 {
		return
	}
	gone := make([]string, len(uriTemplates))
	for i, template := range uriTemplates {
		gone[i] = canonicalTemplate(template)
	}
	t.update(Change{List: true}, func() {
		t.templates = slices.DeleteFunc(t.templates, func(r *templateRow) bool { return slices.Contains(gone, r.canonical) })
		t.index()
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
	for _, r := range t.templates {
		prefix := r.matcher.prefix
		t.byPrefix[prefix] = append(t.byPrefix[prefix], r)
		if !slices.Contains(t.lengths, len(prefix)) {
			t.lengths = append(t.lengths, len(prefix))
		}
	}
	slices.SortFunc(t.lengths, func(a, b int) int { return b - a })
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

// Generation counts changes of the list and of the templates.
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
func (t *Table) List(_ context.Context, cursor string) (Listing, error) {
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
	from, _ := slices.BinarySearchFunc(t.rows, behind+1, func(r *row, number uint64) int {
		return cmp.Compare(r.number, number)
	})
	part := t.rows[from:min(from+tablePage, len(t.rows))]
	listing := Listing{Resources: make([]Resource, len(part))}
	for i, r := range part {
		listing.Resources[i] = r.Resource
	}
	if from+len(part) < len(t.rows) {
		next := binary.BigEndian.AppendUint64(nil, part[len(part)-1].number)
		listing.Next = base64.RawURLEncoding.EncodeToString(next)
	}
	return listing, nil
}

// Templates returns all templates in the order of registration.
func (t *Table) Templates(context.Context) ([]Template, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Template, len(t.templates))
	for i, r := range t.templates {
		all[i] = r.Template
	}
	return all, nil
}

// Read finds uri among the resources, then among what templates describe.
func (t *Table) Read(ctx context.Context, uri string) ([]Contents, error) {
	r, template, variables := t.find(uri)
	switch {
	case r != nil && r.Read == nil:
		return []Contents{{URI: uri, MIMEType: r.MIMEType, Ref: r.Ref, Cache: r.Cache}}, nil
	case r != nil:
		return r.Read(ctx, uri)
	case template != nil && template.Read == nil:
		return []Contents{{
			URI: uri, MIMEType: template.MIMEType, Ref: template.Ref, Cache: template.Cache, variables: variables,
		}}, nil
	case template != nil:
		return template.Read(ctx, uri, variables)
	}
	return nil, ErrNotFound
}

// Refer implements [Referrer]: the short way for what Read would return as a Ref.
func (t *Table) Refer(uri string) Reference {
	t.mu.Lock() // uri is canonical already
	defer t.mu.Unlock()
	if r := t.byURI[uri]; r != nil {
		return Reference{r.Ref, r.MIMEType, r.Cache, nil}
	}
	if r, variables := t.match(uri); r != nil {
		return Reference{r.Ref, r.MIMEType, r.Cache, variables}
	}
	return Reference{}
}

// Has reports whether a resource or a template is there for uri.
func (t *Table) Has(_ context.Context, uri string) (bool, error) {
	r, template, _ := t.find(uri)
	return r != nil || template != nil, nil
}

// find returns copies, which may be used without t.mu.
func (t *Table) find(uri string) (*Entry, *TemplateEntry, []byte) {
	uri = CanonicalURI(uri)
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.byURI[uri]; r != nil {
		entry := r.Entry
		return &entry, nil, nil
	}
	if r, variables := t.match(uri); r != nil {
		return nil, &r.TemplateEntry, variables
	}
	return nil, nil, nil
}

// match finds the first template that a canonical URI is an expansion of; t.mu is held. It
// looks at those with the same literal beginning only, however many there are.
func (t *Table) match(uri string) (*templateRow, []byte) {
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
