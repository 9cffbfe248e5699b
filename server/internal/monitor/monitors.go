// Package monitor shows the traffic between assistants and pages to the playground,
// without secrets. It never slows that traffic down.
package monitor

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of those who look on.
const (
	maxQueued      = 1024                   // frames that wait for one of them
	maxQueuedBytes = 16 << 20               // bytes of these
	stateEvery     = 500 * time.Millisecond // the pages are not told of more often
	closeTooSlow   = websocket.StatusCode(4408)
)

// Monitors are those who look on. Nobody waits for them: one that does not keep up
// is dropped, and while there is none a message costs one look at a number.
type Monitors struct {
	count atomic.Int32

	mu          sync.Mutex
	connections map[*connection]struct{}
	reads       map[string]*pageReads // by name
}

// pageReads counts what assistants have read of a page since the gateway began.
type pageReads struct{ reads, bytes int }

// A connection has a queue, and a goroutine that writes what is in it.
type connection struct {
	socket       *socket.Socket
	queue        chan captured
	queuedBytes  atomic.Int64  // in frames
	pagesChanged chan struct{} // room for one: the pages have changed
}

// A shown message is one that passed between an assistant and its engine.
type captured struct {
	time   time.Time
	client access.Client
	page   string // that it is about; empty: about several, or none
	to     string // "assistant" or "page"
	text   []byte
}

// A frameMessage tells a watcher of one.
type frameMessage struct {
	Frame Frame `json:"frame"`
}

type Frame struct {
	Time      int64  `json:"time"`   // ms since 1970
	Principal string `json:"who"`    // principal
	Client    string `json:"client"` // what it calls itself
	Endpoint  string `json:"door"`
	Page      string `json:"page"`
	To        string `json:"to"`
	Size      int    `json:"size"` // bytes, as it passed
	Text      string `json:"text"` // without secrets
}

// A stateMessage tells a watcher who is there, and who may do what.
type stateMessage struct {
	State State `json:"state"`
}

type State struct {
	Pages    []Page   `json:"pages"`
	MayJoin  []string `json:"mayJoin"`  // origins
	MayWatch []string `json:"mayWatch"` // origins
	NoToken  bool     `json:"noToken"`  // assistants need none
}

type Page struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Origin    string `json:"origin"`
	URL       string `json:"url"`
	Connected bool   `json:"here"`
	Since     int64  `json:"since"` // ms since 1970, of joining
	Reads     int    `json:"reads"` // by assistants, since the gateway began
	Bytes     int    `json:"bytes"` // of the answers
}

// lookOn tells one watcher of everything, until it goes or is too slow.
// state returns who is there now.
func (m *Monitors) Serve(s *socket.Socket, state func() State) {
	go s.KeepAlive(false) // ends with the socket
	go func() {           // likewise; whatever it says is nothing to us
		for {
			if _, err := s.Read(s.Context()); err != nil {
				return
			}
		}
	}()
	c := &connection{socket: s, queue: make(chan captured, maxQueued), pagesChanged: make(chan struct{}, 1)}
	c.pagesChanged <- struct{}{}
	m.add(c)
	defer m.remove(c)
	pause := time.NewTimer(0) // the first state at once
	defer pause.Stop()
	changed, due := false, false
	for {
		select {
		case f := <-c.queue:
			c.queuedBytes.Add(-int64(len(f.text)))
			if c.send(frameMessage{f.frame()}) != nil {
				return
			}
			continue
		case <-c.pagesChanged:
			changed = true
		case <-pause.C:
			due = true
		case <-s.Done():
			return
		}
		if changed && due {
			if c.send(stateMessage{m.withReads(state())}) != nil {
				return
			}
			changed, due = false, false
			pause.Reset(stateEvery)
		}
	}
}

// tell writes one message. It waits for the watcher, whose queue fills meanwhile.
func (c *connection) send(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return c.socket.Write(c.socket.Context(), text)
}

func (m *Monitors) add(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.connections == nil {
		m.connections = map[*connection]struct{}{}
	}
	m.connections[c] = struct{}{}
	m.count.Add(1)
}

func (m *Monitors) remove(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.connections, c)
	m.count.Add(-1)
}

// PagesChanged has each watcher told of the pages, soon. It never blocks.
func (m *Monitors) PagesChanged() {
	if m.count.Load() == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.connections {
		select {
		case c.pagesChanged <- struct{}{}:
		default: // it will look anyway
		}
	}
}

func (m *Monitors) Active() bool { return m.count.Load() > 0 }

// Message shows a message to those who look on; not what they ask themselves, nor what
// a generated tool asks on behalf of an assistant. It never blocks. name is the URI,
// prompt or tool that the message is about, if that is known already.
func (m *Monitors) Message(v access.Client, to, name string, msg []byte) {
	if m.count.Load() == 0 || v.Endpoint == access.MonitorPath || v.Internal {
		return
	}
	if name == "" && to == "assistant" && message.HeadOf(msg).Kind == jsonrpc.Notification {
		note, _ := jsonrpc.Parse(msg)
		name, _ = jsonrpc.Text(jsonrpc.Member(note.Params, "uri"))
	}
	f := captured{time: time.Now(), client: v, page: pageOf(v.Endpoint, name), to: to, text: bytes.Clone(msg)}
	size := int64(len(f.text))
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.connections {
		if c.queuedBytes.Add(size) <= maxQueuedBytes+size { // one frame always fits
			select {
			case c.queue <- f:
				continue
			default:
			}
		}
		c.socket.CloseWith(closeTooSlow, "too slow")
		time.AfterFunc(limits.ShutdownTime, c.socket.Abort) // its reader may not even take the close
	}
}

// frame is what is told of it. Secrets are taken out here, in the watcher's own time.
func (c *captured) frame() Frame {
	return Frame{
		Time: c.time.UnixMilli(), Principal: c.client.Principal, Client: c.client.Name, Endpoint: c.client.Endpoint,
		Page: c.page, To: c.to, Size: len(c.text), Text: strings.ToValidUTF8(string(redactSecrets(c.text)), "\uFFFD"),
	}
}

// aboutPage returns the page that something at a door is about: the door's own, or
// the one whose prefix the name has.
func pageOf(endpoint, name string) string {
	if page, ok := access.PageOf(endpoint); ok && page != "" {
		return page
	}
	if i := strings.IndexAny(name, "+.:"); i > 0 && name[i] != ':' && access.ValidName(name[:i]) {
		return name[:i]
	}
	return ""
}

// Answered counts an answered read, for the pages that watchers are told of.
func (m *Monitors) Answered(v access.Client, method, uri string, size int) {
	page := pageOf(v.Endpoint, uri)
	if method != "resources/read" || page == "" {
		return
	}
	m.mu.Lock()
	if m.reads == nil {
		m.reads = map[string]*pageReads{}
	}
	count := m.reads[page]
	if count == nil {
		count = &pageReads{}
		m.reads[page] = count
	}
	count.reads++
	count.bytes += size
	m.mu.Unlock()
	m.PagesChanged()
}

// readsOf returns the counts of a page.
func (m *Monitors) readsOf(name string) pageReads {
	m.mu.Lock()
	defer m.mu.Unlock()
	if count := m.reads[name]; count != nil {
		return *count
	}
	return pageReads{}
}

// Forget drops the counts of a page that is forgotten.
func (m *Monitors) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.reads, name)
}

// withReads adds what assistants have read of each page.
func (m *Monitors) withReads(state State) State {
	for i := range state.Pages {
		counts := m.readsOf(state.Pages[i].Name)
		state.Pages[i].Reads, state.Pages[i].Bytes = counts.reads, counts.bytes
	}
	slices.SortFunc(state.Pages, func(a, b Page) int { return strings.Compare(a.Name, b.Name) })
	return state
}
