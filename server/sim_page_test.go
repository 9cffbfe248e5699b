package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/remote/remotetest"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A simStore is the data of one app in one browser profile: all documents of the
// app share it, as they share IndexedDB.
type simStore struct {
	w           *simWorld
	origin, app string
	uris        []string // of its resources

	mu       sync.Mutex
	versions map[string]int
	docs     map[*simDocument]struct{}

	// The profile's pairing with the gateway.
	keyID string
	key   []byte
}

func (s *simStore) name() string { return s.origin + " " + s.app }

func (s *simStore) write(uri string) {
	s.mu.Lock()
	s.versions[uri]++
	version := s.versions[uri]
	s.w.history.Add(history.Event{Kind: history.Write, Who: s.name(), URI: uri, Version: version})
	docs := make([]*simDocument, 0, len(s.docs))
	for d := range s.docs {
		docs = append(docs, d)
	}
	s.mu.Unlock()
	for _, d := range docs {
		d.changed(uri)
	}
}

func (s *simStore) version(uri string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions[uri]
}

// A simTab is a tab: its page id survives reloads.
type simTab struct {
	store *simStore
	id    string
	rand  *simRand

	mu   sync.Mutex
	docs int
	doc  *simDocument // nil: closed
}

// A simDocument is one document of a tab: an engine that joins, and comes back
// when the connection ends.
type simDocument struct {
	tab    *simTab
	id     string
	table  *engine.Table
	engine *engine.Engine
	ctx    context.Context
	end    context.CancelFunc

	mu        sync.Mutex
	publisher *remotetest.Publisher // of the present connection; nil before the first
	silent    chan struct{}         // closed when sources answer again; nil: they do
	frozen    time.Time             // no code of the document runs before
}

// open loads a document into the tab.
func (t *simTab) open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.doc != nil || t.store.w.ctx.Err() != nil {
		return
	}
	t.docs++
	d := &simDocument{tab: t, id: t.id + "." + strconv.Itoa(t.docs), table: engine.NewTable()}
	d.ctx, d.end = context.WithCancel(t.store.w.ctx)
	d.engine = engine.New(engine.Info{Name: t.store.app, Version: "0.0.0-sim"}, &engine.Options{
		MaxMessage: limits.MaxMessage + 64<<10, Tools: true, Prompts: true, Completions: true,
	})
	d.fill()
	d.engine.Mount("", d.table)
	context.AfterFunc(d.ctx, d.engine.Mount("", &simClock{d}))
	t.doc = d
	s := t.store
	s.mu.Lock()
	s.docs[d] = struct{}{}
	s.mu.Unlock()
	s.w.parties.Go(d.run)
}

// close ends the document. crash breaks its connection instead of closing it.
func (t *simTab) close(crash bool) {
	t.mu.Lock()
	d := t.doc
	t.doc = nil
	t.mu.Unlock()
	if d == nil {
		return
	}
	s := t.store
	s.mu.Lock()
	delete(s.docs, d)
	s.mu.Unlock()
	if crash {
		s.w.network.reset(t.id)
	}
	d.end()
}

func (t *simTab) document() *simDocument {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.doc
}

// fill registers what the app offers.
func (d *simDocument) fill() {
	for _, uri := range d.tab.store.uris {
		d.table.Put(engine.Entry{
			JSON: engine.Describe("uri", uri, "name", uri, "mimeType", "application/json"),
			Read: d.read,
		})
	}
	tool := func(name string, wait time.Duration) engine.Entry {
		description := []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`)
		return engine.Entry{Kind: engine.Tools, JSON: description, Call: func(ctx context.Context, arguments []byte) ([]byte, error) {
			id, _ := jsonrpc.Text(jsonrpc.Member(arguments, "id"))
			d.tab.store.w.history.Add(history.Event{Kind: history.Run, ID: id})
			if err := d.pause(ctx, wait); err != nil {
				return nil, err
			}
			return append(jsonrpc.AppendString([]byte(`{"content":[{"type":"text","text":`), id), "}]}"...), nil
		}}
	}
	if err := d.table.Put(tool("echo", 0), tool("slow", 3*time.Second)); err != nil {
		panic(err)
	}
}

// pause waits, and as long as the document's sources are silent.
func (d *simDocument) pause(ctx context.Context, wait time.Duration) error {
	d.mu.Lock()
	silent := d.silent
	d.mu.Unlock()
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if silent != nil {
		select {
		case <-silent:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (d *simDocument) read(ctx context.Context, uri string) ([]engine.Contents, error) {
	if err := d.pause(ctx, 0); err != nil {
		return nil, err
	}
	text := strconv.Itoa(d.tab.store.version(uri)) + " " + d.tab.id
	return []engine.Contents{{URI: uri, MIMEType: "application/json", Text: text}}, nil
}

// changed is the event of a store. A frozen document gets it when it resumes.
func (d *simDocument) changed(uri string) {
	d.mu.Lock()
	wait := time.Until(d.frozen)
	d.mu.Unlock()
	if wait > 0 {
		time.AfterFunc(wait, func() { d.announce(uri) })
		return
	}
	d.announce(uri)
}

// announce tells the gateway that it has an old value, and then clients.
func (d *simDocument) announce(uri string) {
	d.mu.Lock()
	publisher := d.publisher
	d.mu.Unlock()
	if publisher != nil {
		publisher.Change(uri, "")
	}
	d.table.Changed(uri)
}

// hush makes the document's sources hang for a while.
func (d *simDocument) hush(wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.silent != nil {
		return
	}
	silent := make(chan struct{})
	d.silent = silent
	time.AfterFunc(wait, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		close(silent)
		d.silent = nil
	})
}

// freeze stops the document's code, unless it has stopped: nothing is read, sent or announced. A page that is silent for
// longer is gone to the gateway, which gives its name to another one, and does not hear of it.
func (d *simDocument) freeze(wait time.Duration) {
	if d.stopFor(wait) {
		d.tab.store.w.network.stall(d.tab.id, wait)
	}
}

func (d *simDocument) stopFor(wait time.Duration) (wasRunning bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Now().Before(d.frozen) {
		return false
	}
	d.frozen = time.Now().Add(wait)
	return true
}

// run keeps the document connected, and reconnects as the TypeScript client does.
func (d *simDocument) run() {
	pause := 200 * time.Millisecond
	for d.ctx.Err() == nil {
		if d.connect() {
			pause = 200 * time.Millisecond
		}
		wait := pause + d.tab.rand.upTo(pause/2)
		select {
		case <-time.After(wait):
		case <-d.ctx.Done():
		}
		pause = min(2*pause, 2*time.Second)
	}
}

// connect joins once, and returns when the connection has ended; whether it had
// joined.
func (d *simDocument) connect() (joined bool) {
	s, w := d.tab.store, d.tab.store.w
	ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
	defer cancel()
	conn, wire, err := w.network.dialWebSocket(ctx, d.tab.id, "/page", gateway.PageProtocol, http.Header{"Origin": {s.origin}})
	if err != nil {
		return false
	}
	defer conn.CloseNow()
	open, key := s.open(w)
	if key == nil {
		return false
	}
	done, err := prove(ctx, conn, open, s.origin, key, &gateway.Hello{Page: d.tab.id, Instance: d.id, Name: s.app, Title: s.app})
	if err != nil {
		switch code := websocket.CloseStatus(err); {
		case errors.Is(err, errNotOurGateway):
			w.alarm("the gateway has lost its identity, or the page's key: it cannot prove itself to " + s.name())
		case code == socket.CloseRefused:
			w.alarm("the gateway refuses the key of " + s.name())
		}
		return false
	}
	s.keep(done.Key, key)
	name := *done.Joined
	w.arrive(history.Event{Kind: history.Join, Who: d.tab.id, ID: d.id, Name: name, Text: s.name()})
	port := socket.New(conn, limits.MaxMessage+64<<10, false)
	publisher := &remotetest.Publisher{Port: port, Publishes: func(uri string) bool { return uri != simClockURI }}
	d.mu.Lock()
	d.publisher = publisher
	d.mu.Unlock()
	served := make(chan struct{})
	go func() { // ends with the socket
		defer close(served)
		d.engine.Serve(context.Background(), publisher)
	}()
	d.keep(port)
	if d.ctx.Err() != nil && !wire.isFaulty() {
		port.CloseWith(websocket.StatusGoingAway, "")
	} else {
		port.Abort()
	}
	conn.CloseNow()
	// Before sources that are silent let the engine end: a closed tab is gone at once.
	w.depart(history.Event{Kind: history.Leave, Who: d.tab.id, ID: d.id, Name: name})
	<-served
	return true
}

// keep returns when the connection has ended, is silent for 45 s (the timeout
// of a page), or the document ends.
func (d *simDocument) keep(port *socket.Socket) {
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-port.Done():
			return
		case <-d.ctx.Done():
			return
		case <-ticker.C:
			d.mu.Lock()
			frozen := time.Now().Before(d.frozen)
			d.mu.Unlock()
			if !frozen && port.Idle() > 45*time.Second {
				return
			}
		}
	}
}

// open returns what the page proves itself with: its key, or an invitation.
func (s *simStore) open(w *simWorld) (opening, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := opening{Version: 1, Address: "ws://127.0.0.1:8808/page", Key: s.keyID}
	if s.keyID != "" {
		return open, s.key
	}
	g := w.gateway.running()
	if g == nil {
		return open, nil
	}
	var p pass
	data, _ := decodeBinary(strings.TrimPrefix(g.Fragment(), "#pagemcp="))
	if err := json.Unmarshal(data, &p); err != nil {
		panic(err)
	}
	secret, _ := decodeBinary(p.Secret)
	key, err := deriveKey(secret, g.keys.gateway, s.origin)
	if err != nil {
		panic(err)
	}
	open.Secret = p.ID
	return open, key
}

func (s *simStore) keep(id string, key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keyID, s.key = id, key
}

// A simClock is a source that the engine has to watch: it announces changes from
// a goroutine of its own.
type simClock struct{ d *simDocument }

func (c *simClock) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	if k == engine.Resources {
		listing.Items = []engine.Item{{Key: simClockURI, JSON: engine.Describe("uri", simClockURI, "name", "clock")}}
	}
	return listing, nil
}

func (c *simClock) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	if uri != simClockURI {
		return nil, engine.ErrNotFound
	}
	return c.d.read(ctx, uri)
}

func (c *simClock) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	go func() { // ends with ctx
		ticker := time.NewTicker(40 * time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				changed(engine.Change{URI: simClockURI})
			case <-ctx.Done():
				return
			}
		}
	}()
	return engine.AnnouncesAll{}
}

const simClockURI = "clock:///now"
