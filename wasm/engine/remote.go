package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Remote is a source that is another engine, at the far end of a port. It
// outlives the port: while the engine is away, because its page reloads, reads
// wait for it to come back by [Remote.Reattach], lists are answered from the last
// good copy, and subscriptions stay.
type Remote struct {
	mu         sync.Mutex
	link       *link         // nil: away
	back       chan struct{} // closed when there is a link, or none will come
	closed     bool
	given      bool                  // up: nobody expects it back
	kept       map[string]Listing    // the last good answers, by principal and cursor
	keptTpl    map[string][]Template // by principal
	keptNamed  map[string][]Named    // by list and principal
	extensions []byte                // of the other engine: a JSON object, or nil
	follows    map[*following]struct{}
}

// A link is one port of a Remote.
type link struct {
	conn *jsonrpc.Conn
	down chan struct{} // closed when the port has ended
	wake chan struct{} // has room for one: what is wanted changed

	// Guarded by the Remote's mu.
	listens   map[jsonrpc.ID]*hopListen
	asked     map[jsonrpc.ID]*Invocation // by the hop's id
	tokens    map[string]*Invocation     // by the hop's progress token
	lastToken int
	begun     int           // passes of arm that have begun
	done      int           // and those that are over
	pass      chan struct{} // closed at the end of a pass
}

const (
	remoteGrace = 10 * time.Second // how long a read waits for a page that left; security.md §8
	remoteSlow  = 2 * time.Second  // after which a list is answered from the copy
	maxKept     = 256              // list pages
)

// Attach makes a Remote of the engine at the far end of p, which speaks
// 2026-07-28. It returns when that engine has answered, or ctx ends. The port is
// the Remote's from then on, also after an error.
func Attach(ctx context.Context, p jsonrpc.Port) (*Remote, error) {
	r := NewRemote()
	if err := r.Reattach(ctx, p); err != nil {
		return nil, err
	}
	return r, nil
}

// NewRemote returns a Remote that is away, of an engine that is expected: what is
// asked of it waits for the first Reattach, as for a page that reloads.
// [Remote.Forget] says that it is not.
func NewRemote() *Remote {
	return &Remote{
		back:      make(chan struct{}),
		kept:      map[string]Listing{},
		keptTpl:   map[string][]Template{},
		keptNamed: map[string][]Named{},
		follows:   map[*following]struct{}{},
	}
}

// Reattach gives the Remote a new port to the same engine, or to the one that
// came after it. A port it still has is closed. What is watched is subscribed to
// again, and announced as changed, since nobody knows what happened meanwhile
// (P3).
func (r *Remote) Reattach(ctx context.Context, p jsonrpc.Port) error {
	l := &link{
		down:    make(chan struct{}),
		wake:    make(chan struct{}, 1),
		listens: map[jsonrpc.ID]*hopListen{},
		asked:   map[jsonrpc.ID]*Invocation{},
		tokens:  map[string]*Invocation{},
		pass:    make(chan struct{}),
	}
	l.conn = jsonrpc.NewConn(p, func(msg jsonrpc.Message) { r.notified(l, msg) })
	go func() { // ends with the port
		l.conn.Run(context.Background())
		l.conn.Close()
		r.lost(l)
		close(l.down)
	}()
	discovered, err := l.conn.Call(ctx, "server/discover", envelope("", nil))
	if err != nil {
		l.conn.Close()
		return err
	}
	r.mu.Lock()
	r.extensions = extensionsOf(discovered)
	old := r.link
	if r.closed {
		r.mu.Unlock()
		l.conn.Close()
		return ErrAway
	}
	select {
	case <-l.down: // over before it began
		r.mu.Unlock()
		return ErrAway
	default:
	}
	r.link = l
	r.given = false
	if old == nil {
		close(r.back)
	}
	again := len(r.kept) > 0 || len(r.follows) > 0
	r.mu.Unlock()
	if old != nil {
		old.conn.Close()
	}
	go r.keepArmed(l, again) // ends with the link
	return nil
}

// lost takes note that a port has ended.
func (r *Remote) lost(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link == l {
		r.link = nil
		if !r.closed {
			r.back = make(chan struct{})
		}
	}
}

// Gone is closed when the port that the Remote has now has ended; at once if it
// has none.
func (r *Remote) Gone() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil {
		return r.link.down
	}
	gone := make(chan struct{})
	close(gone)
	return gone
}

// Forget gives the engine up: its lists become empty, and reads no longer wait
// for it. It may still come back.
func (r *Remote) Forget() {
	r.mu.Lock()
	if r.link != nil {
		r.mu.Unlock()
		return // it came back meanwhile
	}
	if !r.given && !r.closed {
		r.given = true
		close(r.back) // whoever waits looks again
		r.back = make(chan struct{})
	}
	clear(r.kept)
	clear(r.keptTpl)
	clear(r.keptNamed)
	r.mu.Unlock()
	r.tell(Change{List: true, Prompts: true, Tools: true})
}

// Close ends the Remote for good: what waits for it fails.
func (r *Remote) Close() {
	r.mu.Lock()
	l := r.link
	if !r.closed && l == nil {
		close(r.back)
	}
	r.closed = true
	r.mu.Unlock()
	if l != nil {
		l.conn.Close()
	}
}

// current returns the link, or waits for one until the grace time is over.
func (r *Remote) current(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, remoteGrace)
	defer cancel()
	for {
		r.mu.Lock()
		l, back, closed := r.link, r.back, r.closed || r.given
		r.mu.Unlock()
		switch {
		case l != nil:
			return l, nil
		case closed:
			return nil, ErrAway
		}
		select {
		case <-back:
		case <-ctx.Done():
			return nil, ErrAway
		}
	}
}

// call asks the engine for what is safe to ask twice.
func (r *Remote) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	return r.send(ctx, false, func(l *link) ([]byte, error) { return l.conn.Call(ctx, method, params) })
}

// send exchanges a request for its result. When the port breaks under it, it is
// sent again, one time, after the engine's return. once: it must not be, for it may
// have taken effect.
func (r *Remote) send(ctx context.Context, once bool, exchange func(*link) ([]byte, error)) ([]byte, error) {
	for again := false; ; again = true {
		l, err := r.current(ctx)
		if err != nil {
			return nil, err
		}
		result, err := exchange(l)
		switch {
		case !errors.Is(err, jsonrpc.ErrClosed):
			return result, err
		case once:
			return nil, ErrInterrupted
		case again:
			return nil, ErrAway
		}
		select { // the Conn knows a moment before the Remote
		case <-l.down:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// envelope returns the params of a request: the envelope, on whose behalf, and
// further members.
func envelope(who Principal, members []byte) []byte {
	params := []byte(`{"_meta":{"` + keyVersion + `":"` + LatestModern + `","` + keyCapabilities + `":{}`)
	if who != "" {
		params = jsonrpc.AppendString(append(params, `,"`+MetaPrincipal+`":`...), string(who))
	}
	params = append(params, '}')
	if members != nil {
		params = append(append(params, ','), members...)
	}
	return append(params, '}')
}

// List asks for a part of the list. While the engine is away, or slow, the last
// good answer stands in; without one the list is empty, so that one page never
// holds up the lists of all.
func (r *Remote) List(ctx context.Context, cursor string) (Listing, error) {
	who := PrincipalOf(ctx)
	return standIn(ctx, r, string(who)+"\x00"+cursor, r.kept, Change{List: true}, func(ctx context.Context) (Listing, error) {
		return r.list(ctx, who, cursor)
	}, sameListing)
}

// Templates asks for all templates, page by page.
func (r *Remote) Templates(ctx context.Context) ([]Template, error) {
	who := PrincipalOf(ctx)
	return standIn(ctx, r, string(who), r.keptTpl, Change{List: true}, func(ctx context.Context) ([]Template, error) {
		return r.templates(ctx, who)
	}, func(a, b []Template) bool { return slices.EqualFunc(a, b, sameTemplate) })
}

// standIn asks, and answers from what is kept if the engine is away or takes
// longer than remoteSlow. If the late answer differs, the change is announced.
func standIn[T any](ctx context.Context, r *Remote, key string, kept map[string]T, change Change,
	ask func(context.Context) (T, error), same func(a, b T) bool) (T, error) {
	r.mu.Lock()
	copied, have := kept[key]
	away := r.link == nil
	r.mu.Unlock()
	if away {
		return copied, nil
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() { // ends with the answer or its timeout
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), defaultTimeout)
		defer cancel()
		value, err := ask(ctx)
		if err == nil {
			r.mu.Lock()
			if len(kept) >= maxKept {
				clear(kept)
			}
			kept[key] = value
			r.mu.Unlock()
		}
		select {
		case answers <- answer{value, err}:
		default:
		}
	}()
	slow := time.NewTimer(remoteSlow)
	defer slow.Stop()
	patience := slow.C
	for {
		select {
		case a := <-answers:
			if errors.Is(a.err, ErrAway) {
				return copied, nil
			}
			return a.value, a.err
		case <-patience:
			if have {
				go func() { // ends with the answer or its timeout
					select {
					case a := <-answers:
						if a.err == nil && !same(copied, a.value) {
							r.tell(change)
						}
					case <-time.After(defaultTimeout):
					}
				}()
				return copied, nil
			}
			patience = nil
		case <-ctx.Done():
			return copied, ctx.Err()
		}
	}
}

func (r *Remote) list(ctx context.Context, who Principal, cursor string) (Listing, error) {
	result, err := r.call(ctx, "resources/list", envelope(who, cursorMember(cursor)))
	if err != nil {
		return Listing{}, cursorError(err)
	}
	var listing Listing
	err = decodeList(result, "resources", &listing.Next, func(object []byte) *jsonrpc.Error {
		resource, err := ParseResource(object)
		if err != nil {
			return badAnswer()
		}
		listing.Resources = append(listing.Resources, resource)
		return nil
	})
	return listing, err
}

func (r *Remote) templates(ctx context.Context, who Principal) (all []Template, err error) {
	err = r.pages(ctx, who, "resources/templates/list", "resourceTemplates", func(object []byte) *jsonrpc.Error {
		template, err := ParseTemplate(object)
		if err != nil {
			return badAnswer()
		}
		all = append(all, template)
		return nil
	})
	return all, err
}

func cursorError(err error) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams {
		return ErrBadCursor
	}
	return err
}

func cursorMember(cursor string) []byte {
	if cursor == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"cursor":`), cursor)
}
