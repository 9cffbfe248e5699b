package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of all links of a node.
const (
	maxLinks    = 65_536    // of the node
	maxOfPage   = 256       // of one page that this node serves: at most a few per other node
	maxUnread   = 256 << 20 // bytes of messages that arrived and are not read; a link above it ends
	maxPeers    = 1_024     // nodes with links or a recent question
	dialTime    = 250 * time.Millisecond
	lingerTime  = 250 * time.Millisecond // of links to a page that another node has now
	pingEvery   = time.Second
	silenceTime = 5 * time.Second // without a frame or ping of a node all links with it end
)

// A carrier publishes NATS messages. Publish does not keep the payload.
type carrier interface {
	Publish(subject, reply string, payload []byte) error
	MaxPayload() int64 // bytes; of the server that the node is connected to
}

// links are the links of one node.
type links struct {
	node     string // own id
	subjects subjects
	versions []byte // link versions that this node speaks
	carrier  carrier
	started  time.Time

	// serve decides about a link that another node opens, and returns what serves it until
	// the port is closed, or a refusal.
	serve func(owner, page string, epoch int64) (func(context.Context, jsonrpc.Port), error)

	unread atomic.Int64 // bytes of messages that arrived and are not read

	mu     sync.Mutex
	byID   map[string]*link
	ofPage map[string]int // links that serve a page, by its key
	peers  map[string]*peer
	closed bool
}

// A peer is another node with which there are links.
type peer struct {
	node  string
	heard atomic.Int64       // when its last frame or ping arrived, in ns since links.started
	links map[*link]struct{} // guarded by mu of the links
}

func newLinks(node string, s subjects, c carrier) *links {
	return &links{
		node: node, subjects: s, versions: []byte{linkVersion}, carrier: c, started: time.Now(),
		byID: map[string]*link{}, ofPage: map[string]int{}, peers: map[string]*peer{},
	}
}

// now returns a time that does not depend on the wall clock.
func (s *links) now() int64 { return int64(time.Since(s.started)) }

func (s *links) speaks(version byte) bool { return slices.Contains(s.versions, version) }

func (s *links) chunkSize() int {
	return int(max(1<<10, min(maxChunk, s.carrier.MaxPayload()-chunkSlack)))
}

// buffers hold frames while they are published.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the capacity up to which a buffer is used again.
const maxPooled = 64 << 10 // bytes

func (s *links) publish(subject, reply string, f frame) error {
	buffer := buffers.Get().(*[]byte)
	*buffer = appendFrame((*buffer)[:0], f)
	err := s.carrier.Publish(subject, reply, *buffer)
	if cap(*buffer) <= maxPooled {
		buffers.Put(buffer)
	}
	return err
}

// Why another node refuses a link. The texts are sent.
var (
	errAbsent      = errors.New("absent")  // it does not have the page
	errMoved       = errors.New("moved")   // it knows that another node has the page
	errLinkVersion = errors.New("version") // there is no common link version
	errBusy        = errors.New("busy")    // it has too many links
)

func refusalOf(reason string) error {
	for _, refusal := range []error{errAbsent, errMoved, errLinkVersion, errBusy} {
		if refusal.Error() == reason {
			return refusal
		}
	}
	return errPeerClosed
}

// An opening is the question for a link, in JSON. Its reply subject is that of the link.
type opening struct {
	Owner    string `json:"owner"`
	Page     string `json:"page"` // key
	Epoch    int64  `json:"epoch"`
	Versions []byte `json:"versions"` // that the other node speaks; base64
}

// dial opens a link to the node that holds a page. A question can be lost without a trace,
// so it fails after dialTime.
func (s *links) dial(ctx context.Context, node string, ask opening) (jsonrpc.Port, error) {
	if !isKey(node, idSize) || node == s.node {
		return nil, fmt.Errorf("dial node %q: %w", node, errAbsent)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	l, err := s.add(node, ask.Page, false)
	if err != nil {
		return nil, err
	}
	ask.Versions = s.versions
	err = s.carrier.Publish(s.subjects.control(node), s.subjects.link(s.node, l.id), encode(control{Node: s.node, Open: &ask}))
	if err != nil {
		l.end(err)
	}
	select {
	case <-l.settled:
	case <-l.done:
	case <-ctx.Done():
		l.end(ctx.Err()) // if the node accepts late, its first frame finds no link
	}
	select {
	case <-l.settled: // the link may have ended since: what it has brought can be read
		l.scheduleProbe() // the other node waits for a frame
		return l, nil
	default:
		return nil, fmt.Errorf("open a link to node %s: %w", node, l.why())
	}
}

// add registers a new link.
func (s *links) add(node, page string, serves bool) (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.peers[node]
	switch {
	case s.closed:
		return nil, jsonrpc.ErrClosed
	case len(s.byID) >= maxLinks, serves && s.ofPage[page] >= maxOfPage, p == nil && len(s.peers) >= maxPeers:
		return nil, errBusy
	}
	if p == nil {
		p = &peer{node: node, links: map[*link]struct{}{}}
		s.peers[node] = p
	}
	if len(p.links) == 0 {
		p.heard.Store(s.now())
	}
	l := newLink(s, page, p)
	l.serves = serves
	if serves {
		s.ofPage[page]++
	}
	p.links[l] = struct{}{}
	s.byID[l.id] = l
	return l, nil
}

// remove removes a link that has ended.
func (s *links) remove(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, l.id)
	delete(l.peer.links, l)
	if len(l.peer.links) == 0 {
		delete(s.peers, l.peer.node)
	}
	if l.serves {
		if s.ofPage[l.page]--; s.ofPage[l.page] == 0 {
			delete(s.ofPage, l.page)
		}
	}
}

// open answers a question for a link. reply is the subject of the other end.
func (s *links) open(ask opening, reply string) {
	if err := s.tryOpen(ask, reply); err != nil {
		s.refuse(reply, err)
	}
}

func (s *links) refuse(subject string, reason error) {
	s.publish(subject, "", frame{noVersion, kindEnd, 0, []byte(reason.Error())}) // best effort: the other node does not wait without limit
}

func (s *links) tryOpen(ask opening, reply string) error {
	node, _, ok := s.subjects.parseLink(reply)
	if !ok || !isKey(ask.Page, keySize) || !isKey(ask.Owner, keySize) {
		return errAbsent
	}
	version := s.common(ask.Versions)
	if version == noVersion {
		return errLinkVersion
	}
	serve, err := s.serve(ask.Owner, ask.Page, ask.Epoch)
	if err != nil {
		return err
	}
	l, err := s.add(node, ask.Page, true)
	if err != nil {
		return errBusy
	}
	l.accept(version, reply)
	go func() { // ends with the link
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer l.Close()
		serve(ctx, l)
	}()
	return nil
}

// common returns the highest version that both nodes speak, or noVersion.
func (s *links) common(theirs []byte) (highest byte) {
	for _, version := range theirs {
		if s.speaks(version) {
			highest = max(highest, version)
		}
	}
	return highest
}

// accept tells the other node that it has the link.
func (l *link) accept(version byte, subject string) {
	l.agree(version, subject)
	l.publish(kindAccept, nil)
}

func (l *link) agree(version byte, subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version, l.subject = version, subject
	l.confirm = time.AfterFunc(confirmTime, func() { l.end(errUnconfirmed) })
	close(l.settled)
}

// deliver passes a message on the subject of a link to it. gone says that a frame of the
// link has no receiver.
func (s *links) deliver(subject, reply string, payload []byte, gone bool) {
	_, id, ok := s.subjects.parseLink(subject)
	if !ok {
		return
	}
	l := s.find(id)
	switch {
	case l == nil && !gone && (len(payload) < 2 || kind(payload[1]) != kindEnd):
		if _, _, ok := s.subjects.parseLink(reply); ok {
			s.refuse(reply, errAbsent)
		}
	case l == nil:
	case gone:
		l.end(errNoReceiver)
	default:
		l.peer.heard.Store(s.now())
		l.receive(payload, reply)
	}
}

func (s *links) find(id string) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// heard records a sign of life of a node.
func (s *links) heard(node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.peers[node]; p != nil {
		p.heard.Store(s.now())
	}
}

// tick pings the nodes with which there are links, and ends the links with those that are
// silent. Call it every pingEvery.
func (s *links) tick() {
	pinged, idle, silent := s.due()
	for _, l := range silent {
		l.end(errSilent)
	}
	for _, node := range pinged {
		s.carrier.Publish(s.subjects.control(node), "", encode(control{Node: s.node, Ping: true})) // if it is lost, the next one is not
	}
	for _, l := range idle {
		l.publish(kindPing, nil)
	}
}

func (s *links) due() (pinged []string, idle, silent []*link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for node, p := range s.peers {
		if now-p.heard.Load() >= int64(silenceTime) {
			for l := range p.links {
				silent = append(silent, l)
			}
			continue
		}
		pinged = append(pinged, node)
		for l := range p.links {
			if now-l.lastSent.Load() >= int64(idleProbe) {
				idle = append(idle, l)
			}
		}
	}
	return pinged, idle, silent
}

// endAll ends all links, as after a loss of the NATS connection: frames may be missing.
func (s *links) endAll(reason error) {
	for _, l := range s.all(func(*link) bool { return true }) {
		l.end(reason)
	}
}

// endPage ends the links that serve a page.
func (s *links) endPage(page string, reason error) {
	for _, l := range s.all(func(l *link) bool { return l.serves && l.page == page }) {
		l.end(reason)
	}
}

// endPageSoon is endPage for a page that another node has: the other ends have a moment to
// leave the links, so that a call which is on its way is answered that it has not reached the
// page. Links that are made later stay.
func (s *links) endPageSoon(page string, reason error) {
	ended := s.all(func(l *link) bool { return l.serves && l.page == page })
	if len(ended) == 0 {
		return
	}
	time.AfterFunc(lingerTime, func() {
		for _, l := range ended {
			l.end(reason)
		}
	})
}

func (s *links) all(selects func(*link) bool) (all []*link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.byID {
		if selects(l) {
			all = append(all, l)
		}
	}
	return all
}

// close ends all links. There are none after it.
func (s *links) close() {
	s.markClosed()
	s.endAll(errClosed)
}

func (s *links) markClosed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// count returns the numbers of links and of nodes with links.
func (s *links) count() (links, peers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID), len(s.peers)
}
