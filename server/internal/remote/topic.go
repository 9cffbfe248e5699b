package remote

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// A topic is what followers want of the other engine, which decides what of it a principal hears.
// A topic has a listen on the present link. The first reference opens the listen, the acknowledgement
// arms the topic, and a new link opens listens for all topics. Topics that are queued at the same
// moment for one principal share a listen; it is cancelled when the last of them has no reference left.
//
// A listen that is refused or ends is opened again, with back-off. A topic that may have
// changed without a listen is announced once it has one.
type topic struct {
	engine.Topic
	refs    int     // followers that want it; 0: it is over
	listen  *listen // nil: not opened yet, or it has ended
	isAcked bool
	missed  bool      // it may have changed without a listen
	refused bool      // the last answer was no acknowledgement; it is asked for again later
	waiting []*waiter // for an answer
}

// A listen is one of a link, which its topics share.
type listen struct {
	pending *jsonrpc.Pending
	topics  []*topic // of one principal
	live    int      // topics that are still wanted
	isAcked bool     // or refused: it has an answer
}

// A waiter waits until topics are acknowledged or refused.
type waiter struct {
	left int
	done chan struct{}
}

// listens has the listens of a link. The Remote's mu guards it.
type listens struct {
	byID    map[jsonrpc.ID]*listen
	opening int                     // of them that have no answer yet
	queue   map[engine.Topic]*topic // that wait for a listen
	over    []*listen               // that the other engine has ended
	unused  []*jsonrpc.Pending      // to be cancelled
	wake    chan struct{}           // has room for one: keepListening has something to do

	delay    time.Duration // of the back-off
	failedAt time.Time
	retryAt  time.Time // for refused topics; zero: there are none
}

const (
	// maxOpening is how many listens wait for their answers: the other engine limits requests.
	maxOpening = 64

	maxListenBytes = 256 << 10        // of the URIs of topics that share a listen
	writeTimeout   = 30 * time.Second // for a listen to be written
)

func newListens() listens {
	return listens{byID: map[jsonrpc.ID]*listen{}, queue: map[engine.Topic]*topic{}, wake: make(chan struct{}, 1)}
}

func (s *listens) work() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *listens) open(t *topic) {
	s.queue[t.Topic] = t
	s.work()
}

// answered counts the answer to a listen; the Remote's mu is held.
func (s *listens) answered(h *listen) {
	if !h.isAcked {
		h.isAcked = true
		s.opening--
		s.work()
	}
}

// leave takes a topic from its listen, which is cancelled after the last one. The Remote's mu is held.
func (s *listens) leave(t *topic) {
	h := t.listen
	if h == nil {
		return
	}
	t.listen, t.isAcked = nil, false
	if h.live--; h.live > 0 || h.pending == nil { // open ends one that is being sent
		return
	}
	if _, is := s.byID[h.pending.ID]; is {
		delete(s.byID, h.pending.ID)
		s.answered(h)
		s.unused = append(s.unused, h.pending)
		s.work()
	}
}

// answered lets waiters go on.
func (t *topic) answered() {
	for _, w := range t.waiting {
		if w.left--; w.left == 0 {
			close(w.done)
		}
	}
	t.waiting = nil
}

// want adds a topic for a follower. w waits for it. r.mu is held.
func (r *Remote) want(f *following, key engine.Topic, w *waiter) {
	t := r.topics[key]
	if _, has := f.wants[key]; !has {
		if t == nil {
			t = &topic{Topic: key}
			r.topics[key] = t
			if r.link != nil {
				r.link.listens.open(t)
			}
		}
		f.wants[key] = struct{}{}
		t.refs++
	}
	if r.link != nil && !t.isAcked && !t.refused {
		t.waiting = append(t.waiting, w)
		w.left++
	}
}

// unwant takes a topic from a follower; r.mu is held.
func (r *Remote) unwant(f *following, key engine.Topic) {
	t := r.topics[key]
	if _, has := f.wants[key]; !has {
		return
	}
	delete(f.wants, key)
	if t.refs--; t.refs > 0 {
		return
	}
	delete(r.topics, key)
	t.answered()
	if r.link != nil {
		delete(r.link.listens.queue, key)
		r.link.listens.leave(t)
	}
}

// wanted returns all topics.
func (r *Remote) wanted() []engine.Topic {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.topics))
}

// reopen opens the listens of all topics on a new link: whatever is wanted may have changed
// meanwhile. r.mu is held.
func (r *Remote) reopen(l *link) {
	for _, t := range r.topics {
		t.listen, t.isAcked, t.refused, t.missed = nil, false, false, true
		l.listens.open(t)
	}
}

// keepListening opens and ends the listens of a link, until the link is down.
func (r *Remote) keepListening(l *link) {
	defer r.releaseWaiters(l)
	for {
		do, wait := r.next(l)
		if do != nil {
			do()
			continue
		}
		var retry <-chan time.Time
		if wait > 0 {
			retry = time.After(wait)
		}
		select {
		case <-l.listens.wake:
		case <-retry:
			r.retry(l)
		case <-l.down:
			return
		}
	}
}

// next returns what is to be done for the listens of a link; nil: nothing now, or to ask again for
// refused topics after a time, if that is not 0.
func (r *Remote) next(l *link) (do func(), retry time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	here := &l.listens
	if r.link != l {
		return nil, 0
	}
	if unused := here.unused; unused != nil {
		here.unused = nil
		return func() {
			for _, p := range unused {
				l.conn.Cancel(p)
			}
		}, 0
	}
	if len(here.over) > 0 {
		topics := here.over[0].topics
		here.over = here.over[1:]
		return func() { r.refused(l, topics, byAnswer) }, 0
	}
	if h := here.take(); h != nil {
		return func() { r.open(l, h) }, 0
	}
	if !here.retryAt.IsZero() {
		retry = max(time.Until(here.retryAt), time.Millisecond)
	}
	return nil, retry
}

// take makes a listen of the topics that wait for one; nil: none does. The Remote's mu is held.
func (s *listens) take() *listen {
	if s.opening >= maxOpening {
		return nil
	}
	h, size := &listen{}, 0
	add := func(t *topic) {
		delete(s.queue, t.Topic)
		t.listen = h
		h.topics = append(h.topics, t)
		h.live++
		size += len(t.URI)
	}
	for _, t := range s.queue {
		isFirst := h.topics == nil
		if !isFirst && (t.URI == "" || t.Who != h.topics[0].Who) {
			continue
		}
		if add(t); t.URI == "" || size >= maxListenBytes { // that of the lists is alone: it outlives all others
			break
		}
	}
	if h.topics == nil {
		return nil
	}
	return h
}

// open sends a listen.
func (r *Remote) open(l *link, h *listen) {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	_, err := l.conn.Begin(ctx, engine.MethodListen, func(p *jsonrpc.Pending) []byte {
		p.OnAnswer = func(int) { r.ended(l, p) }
		r.expect(l, h, p)
		return listenParams(h.topics)
	})
	if err != nil {
		r.refused(l, h.topics, unsent)
	}
}

// expect records a listen before it is sent.
func (r *Remote) expect(l *link, h *listen, p *jsonrpc.Pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.pending = p
	if h.live == 0 || r.link != l {
		l.listens.unused = append(l.listens.unused, p)
		return
	}
	l.listens.byID[p.ID] = h
	l.listens.opening++
}

// ended records that the other engine has answered a listen, which ends it. It does not block.
func (r *Remote) ended(l *link, p *jsonrpc.Pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := l.listens.byID[p.ID]; h != nil {
		delete(l.listens.byID, p.ID)
		l.listens.answered(h)
		l.listens.over = append(l.listens.over, h)
		l.listens.work()
	}
}

// A refusal is how a topic was refused.
type refusal int

const (
	unsent   refusal = iota // the listen could not be written
	byAnswer                // of the listen
	byDenial                // the listen was acknowledged without it: its principal may not hear of it
)

// refused records that topics have no listen, and when they will be asked for again. At the
// beginning of a link, which may be to another document than before, they are announced
// nevertheless, if not denied. A task that is refused has ended with its engine.
func (r *Remote) refused(l *link, topics []*topic, how refusal) {
	for _, t := range topics {
		announce, interrupt := r.markRefused(l, t, how)
		if interrupt {
			r.interrupt([]engine.Topic{t.Topic})
		}
		if announce {
			r.announceTopic(t.Topic)
		}
	}
}

func (r *Remote) markRefused(l *link, t *topic, how refusal) (announce, interrupt bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != l || t.refs == 0 {
		return false, false
	}
	announce = how == byAnswer && t.missed && !t.refused
	interrupt = how != unsent && !t.isAcked && task.OfKey(t.URI) != ""
	l.listens.leave(t)
	t.refused, t.missed = true, true
	t.answered()
	if l.listens.retryAt.IsZero() {
		l.listens.backOff()
	}
	return announce, interrupt
}

func (s *listens) backOff() {
	delay, wait := nextDelay(s.delay, s.failedAt)
	s.delay, s.failedAt = delay, time.Now()
	s.retryAt = s.failedAt.Add(wait)
}

// retry asks again for what was refused.
func (r *Remote) retry(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.listens.retryAt = time.Time{}
	for _, t := range r.topics {
		if t.refused && t.listen == nil {
			l.listens.open(t)
		}
	}
}

// acknowledged records the acknowledgement of a listen, and announces what may have changed
// before. filter, of the other engine, may be without some of what was asked for; one of another
// engine than ours may be nil, which grants everything.
func (r *Remote) acknowledged(l *link, subscription jsonrpc.ID, filter []byte) {
	granted, err := schema.ReadFilter(filter)
	if err != nil {
		granted = schema.Filter{}
	}
	keys := map[string]bool{"": granted.Lists != 0}
	for _, uri := range granted.URIs {
		keys[uri] = true
	}
	tasks, _ := schema.FilterTexts(filter, "taskIds")
	for _, id := range tasks {
		keys[task.Key(id)] = true
	}
	missed, refused := r.markAcked(l, subscription, func(key string) bool { return filter == nil || keys[key] })
	r.refused(l, refused, byDenial)
	for _, key := range missed {
		r.announceTopic(key)
	}
}

func (r *Remote) markAcked(l *link, subscription jsonrpc.ID, grants func(key string) bool) (missed []engine.Topic, refused []*topic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := l.listens.byID[subscription]
	if h == nil || h.isAcked || r.link != l {
		return nil, nil
	}
	l.listens.answered(h)
	for _, t := range h.topics {
		switch {
		case t.listen != h: // dropped
		case !grants(t.URI):
			refused = append(refused, t)
		default:
			if t.missed {
				missed = append(missed, t.Topic)
			}
			t.isAcked, t.missed, t.refused = true, false, false
			t.answered()
		}
	}
	return missed, refused
}

// listensTo returns the principal of a listen of the present link; false: it is none, or was cancelled meanwhile.
func (r *Remote) listensTo(l *link, subscription jsonrpc.ID) (who engine.Principal, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := l.listens.byID[subscription]
	if h == nil || r.link != l {
		return "", false
	}
	return h.topics[0].Who, true
}

// releaseWaiters ends the waits for a link that is down: its return is announced.
func (r *Remote) releaseWaiters(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil && r.link != l {
		return // they wait for the new one
	}
	for _, t := range r.topics {
		t.answered()
	}
}

// announceTopic announces that a topic may have changed.
func (r *Remote) announceTopic(t engine.Topic) {
	isLists := t.URI == ""
	r.announce(engine.Change{URI: t.URI, List: isLists, Prompts: isLists, Tools: isLists, Only: true, Who: t.Who})
}

// listenParams returns the params of a listen.
func listenParams(topics []*topic) []byte {
	capabilities, uris, tasks, all := "{}", []byte(nil), []byte(nil), ""
	for _, t := range topics {
		switch id := task.OfKey(t.URI); {
		case t.URI == "":
			all = `,"resourcesListChanged":true,"promptsListChanged":true,"toolsListChanged":true`
		case id != "":
			tasks = jsonrpc.AppendString(append(tasks, ','), id)
		default:
			uris = jsonrpc.AppendString(append(uris, ','), t.URI)
		}
	}
	filter := []byte(`"notifications":{"resourceSubscriptions":[`)
	filter = append(append(filter, bytes.TrimPrefix(uris, []byte(","))...), ']')
	if tasks != nil {
		capabilities = `{"extensions":{"` + task.ID + `":{}}}`
		filter = append(append(append(filter, `,"taskIds":[`...), tasks[1:]...), ']')
	}
	return envelopeWith(capabilities, topics[0].Who, append(append(filter, all...), '}'))
}

// A following is one engine's interest in a Remote.
type following struct {
	remote  *Remote
	changed func(engine.Change)
	report  func(error)
	wants   map[engine.Topic]struct{} // guarded by the Remote's mu
	isOver  bool                      // likewise
}

// Follow implements [engine.Follower]. Nothing is listened to before the first Want.
func (r *Remote) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	f := &following{remote: r, changed: changed}
	f.report, _ = ctx.Value(hop.Report{}).(func(error))
	r.add(f)
	context.AfterFunc(ctx, func() { r.remove(f) })
	return f
}

func (r *Remote) add(f *following) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.follows[f] = struct{}{}
}

func (r *Remote) remove(f *following) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.follows, f)
	f.isOver = true
	for key := range f.wants {
		r.unwant(f, key)
	}
}

// Want implements [engine.Following]. While the engine is away there is nothing to wait
// for: its return is announced for every URI.
func (f *following) Want(add, drop []engine.Topic) (armed <-chan struct{}) {
	r := f.remote
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.isOver {
		return nil
	}
	w := &waiter{done: make(chan struct{})}
	if f.wants == nil {
		f.wants = make(map[engine.Topic]struct{}, len(add))
	}
	for _, t := range add {
		r.want(f, t, w)
	}
	for _, t := range drop {
		r.unwant(f, t)
	}
	if w.left == 0 {
		return nil
	}
	return w.done
}

// Refuses implements [engine.Refuser].
func (f *following) Refuses(t engine.Topic) bool {
	f.remote.mu.Lock()
	defer f.remote.mu.Unlock()
	own := f.remote.topics[t]
	return f.remote.link != nil && own != nil && own.refused
}
