// Package monitor sends the traffic between assistants and pages to the playground, with
// secrets redacted. It never delays that traffic.
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
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of one monitor.
const (
	maxQueued      = 1024                   // frames that wait to be sent
	maxQueuedBytes = 16 << 20               // of those frames
	stateEvery     = 500 * time.Millisecond // minimum interval of state messages
	closeTooSlow   = websocket.StatusCode(4408)
)

// Monitors are the connected monitors. One that does not keep up is disconnected;
// without any, a message costs one atomic load.
type Monitors struct {
	count atomic.Int32

	mu          sync.Mutex
	connections map[*connection]struct{}
	reads       map[string]*pageReads // by name
}

// pageReads counts the resources/read of assistants for one page since the gateway
// started.
type pageReads struct{ reads, bytes int }

// A connection is one monitor: a queue, and Serve, which sends what is in it.
type connection struct {
	socket       *socket.Socket
	queue        chan captured
	queuedBytes  atomic.Int64  // bytes of text in queue
	pagesChanged chan struct{} // has capacity 1
}

// A captured message passed between an assistant and its engine.
type captured struct {
	time   time.Time
	client access.Client
	page   string // that it is about; empty if several or none
	to     string // "assistant" or "page"
	text   []byte
	entry  bool // text is an entry of the audit log, and the other fields are zero
}

// An auditMessage sends entries of the audit log to a monitor, in the order in which they were
// recorded.
type auditMessage struct {
	Audit []jsontext.Value `json:"audit"`
}

// A frameMessage sends one Frame to a monitor.
type frameMessage struct {
	Frame Frame `json:"frame"`
}

// A Frame is a message that passed between an assistant and a page.
type Frame struct {
	Time      int64  `json:"time"`   // ms since 1970
	Principal string `json:"who"`    // principal
	Client    string `json:"client"` // clientInfo.name
	Endpoint  string `json:"door"`
	Page      string `json:"page"`
	To        string `json:"to"`
	Size      int    `json:"size"` // bytes, before redaction
	Text      string `json:"text"` // with secrets redacted
}

// A stateMessage sends the State to a monitor.
type stateMessage struct {
	State State `json:"state"`
}

// State is the state of the gateway: its pages, and which origins have which rights.
type State struct {
	Pages    []Page    `json:"pages"`
	MayJoin  []string  `json:"mayJoin"`  // origins
	MayWatch []string  `json:"mayWatch"` // origins
	NoToken  bool      `json:"noToken"`  // assistants need no token
	Paused   int64     `json:"paused"`   // ms since 1970: assistants, until then; 0: they are not
	Stopped  []Stopped `json:"stopped"`  // single assistants, by name
}

// Stopped is an assistant that the user has stopped.
type Stopped struct {
	Assistant string `json:"assistant"` // principal
	Until     int64  `json:"until"`     // ms since 1970
}

// A Page is the state of one page.
type Page struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Origin    string `json:"origin"`
	URL       string `json:"url"`
	Connected bool   `json:"here"`
	Since     int64  `json:"since"` // ms since 1970, of the last join
	Reads     int    `json:"reads"` // by assistants, since the gateway started
	Bytes     int    `json:"bytes"` // of the results
}

// Serve sends entries, frames and states to one monitor until it disconnects or is too slow.
// state returns the current state without the counts of reads, and history the latest entries
// of the audit log; some of those may come again. command gets what the monitor sends, one
// message at a time.
func (m *Monitors) Serve(s *socket.Socket, state func() State, history func() [][]byte, command func(text []byte)) {
	s.KeepAlive(nil)
	go func() { // likewise
		for {
			text, err := s.Read(s.Context())
			if err != nil {
				return
			}
			command(text)
		}
	}()
	c := &connection{socket: s, queue: make(chan captured, maxQueued), pagesChanged: wait.NewSignal()}
	c.pagesChanged <- struct{}{}
	m.add(c)
	defer m.remove(c)
	if entries := history(); len(entries) > 0 && c.send(entriesMessage(entries...)) != nil {
		return
	}
	pause := time.NewTimer(0) // send the first state at once
	defer pause.Stop()
	changed, due := false, false
	for {
		select {
		case f := <-c.queue:
			c.queuedBytes.Add(-int64(len(f.text)))
			if c.send(f.message()) != nil {
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

// send sends one message. While it blocks, the queue fills.
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

// PagesChanged makes each monitor get a new state within stateEvery. It never blocks.
func (m *Monitors) PagesChanged() {
	if m.count.Load() == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.connections {
		wait.Wake(c.pagesChanged)
	}
}

// Active reports whether a monitor is connected.
func (m *Monitors) Active() bool { return m.count.Load() > 0 }

// Message sends a message to all monitors, except those of monitors themselves and of
// generated tools. It never blocks. name is the URI, prompt or tool that the message is
// about, if known.
func (m *Monitors) Message(v access.Client, to, name string, msg []byte) {
	if m.count.Load() == 0 || v.Endpoint == access.MonitorPath || v.Internal {
		return
	}
	if name == "" && to == "assistant" && message.HeadOf(msg).Kind == jsonrpc.Notification {
		note, _ := jsonrpc.Parse(msg)
		name, _ = jsonrpc.Text(jsonrpc.Member(note.Params, "uri"))
	}
	m.enqueue(captured{time: time.Now(), client: v, page: pageOf(v.Endpoint, name), to: to, text: bytes.Clone(msg)})
}

// Audit sends an entry of the audit log, a JSON object, to all monitors. It never blocks.
func (m *Monitors) Audit(entry []byte) {
	if m.count.Load() > 0 {
		m.enqueue(captured{text: entry, entry: true})
	}
}

func (m *Monitors) enqueue(f captured) {
	size := int64(len(f.text))
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.connections {
		if c.queuedBytes.Add(size) <= maxQueuedBytes+size { // one frame of any size fits
			select {
			case c.queue <- f:
				continue
			default:
			}
		}
		c.socket.CloseWith(closeTooSlow, "too slow")
		time.AfterFunc(limits.ShutdownTime, c.socket.Abort) // if the closing handshake does not complete
	}
}

// message returns what a monitor gets.
func (c *captured) message() any {
	if c.entry {
		return entriesMessage(c.text)
	}
	return frameMessage{c.frame()}
}

func entriesMessage(entries ...[]byte) auditMessage {
	message := auditMessage{make([]jsontext.Value, len(entries))}
	for i, entry := range entries {
		message.Audit[i] = redactSecrets(entry)
	}
	return message
}

// frame returns the Frame of c. It redacts secrets in the goroutine of the monitor, not
// in that of the traffic.
func (c *captured) frame() Frame {
	return Frame{
		Time: c.time.UnixMilli(), Principal: c.client.Principal, Client: c.client.Name, Endpoint: c.client.Endpoint,
		Page: c.page, To: c.to, Size: len(c.text), Text: strings.ToValidUTF8(string(redactSecrets(c.text)), "\uFFFD"),
	}
}

// pageOf returns the page that a message is about: that of the endpoint, or the one
// whose prefix name has.
func pageOf(endpoint, name string) string {
	if page, ok := access.PageOf(endpoint); ok && page != "" {
		return page
	}
	if i := strings.IndexAny(name, "+.:"); i > 0 && name[i] != ':' && access.ValidName(name[:i]) {
		return name[:i]
	}
	return ""
}

// Answered counts a resources/read for the state of its page.
func (m *Monitors) Answered(v access.Client, method, uri string, size int) {
	page := pageOf(v.Endpoint, uri)
	if method != engine.MethodReadResource || page == "" {
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

// Forget deletes the counts of a page.
func (m *Monitors) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.reads, name)
}

// withReads adds the counts of reads to state, and sorts its pages.
func (m *Monitors) withReads(state State) State {
	for i := range state.Pages {
		counts := m.readsOf(state.Pages[i].Name)
		state.Pages[i].Reads, state.Pages[i].Bytes = counts.reads, counts.bytes
	}
	slices.SortFunc(state.Pages, func(a, b Page) int { return strings.Compare(a.Name, b.Name) })
	return state
}
