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

	mu    sync.Mutex
	all   map[*connection]struct{}
	reads map[string]*pageReads // by name
}

// pageReads counts what assistants have read of a page since the gateway began.
type pageReads struct{ reads, bytes int }

// A connection has a queue, and a goroutine that writes what is in it.
type connection struct {
	socket *socket.Socket
	frames chan shown
	bytes  atomic.Int64  // in frames
	stale  chan struct{} // room for one: the pages have changed
}

// A shown message is one that passed between an assistant and its engine.
type shown struct {
	time  time.Time
	visit access.Client
	page  string // that it is about; empty: about several, or none
	to    string // "assistant" or "page"
	text  []byte
}

// A frameMessage tells a watcher of one.
type frameMessage struct {
	Frame Frame `json:"frame"`
}

type Frame struct {
	Time   int64  `json:"time"`   // ms since 1970
	Who    string `json:"who"`    // principal
	Client string `json:"client"` // what it calls itself
	Door   string `json:"door"`
	Page   string `json:"page"`
	To     string `json:"to"`
	Size   int    `json:"size"` // bytes, as it passed
	Text   string `json:"text"` // without secrets
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
	Name   string `json:"name"`
	Title  string `json:"title"`
	Origin string `json:"origin"`
	URL    string `json:"url"`
	Here   bool   `json:"here"`
	Since  int64  `json:"since"` // ms since 1970, of joining
	Reads  int    `json:"reads"` // by assistants, since the gateway began
	Bytes  int    `json:"bytes"` // of the answers
}

// lookOn tells one watcher of everything, until it goes or is too slow.
// state returns who is there now.
func (ws *Monitors) Serve(s *socket.Socket, state func() State) {
	go s.KeepAlive(false) // ends with the socket
	go func() {           // likewise; whatever it says is nothing to us
		for {
			if _, err := s.Read(s.Context()); err != nil {
				return
			}
		}
	}()
	w := &connection{socket: s, frames: make(chan shown, maxQueued), stale: make(chan struct{}, 1)}
	w.stale <- struct{}{}
	ws.enter(w)
	defer ws.leave(w)
	pause := time.NewTimer(0) // the first state at once
	defer pause.Stop()
	stale, due := false, false
	for {
		select {
		case f := <-w.frames:
			w.bytes.Add(-int64(len(f.text)))
			if w.tell(frameMessage{f.frame()}) != nil {
				return
			}
			continue
		case <-w.stale:
			stale = true
		case <-pause.C:
			due = true
		case <-s.Gone():
			return
		}
		if stale && due {
			if w.tell(stateMessage{ws.withReads(state())}) != nil {
				return
			}
			stale, due = false, false
			pause.Reset(stateEvery)
		}
	}
}

// tell writes one message. It waits for the watcher, whose queue fills meanwhile.
func (w *connection) tell(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return w.socket.Write(w.socket.Context(), text)
}

func (ws *Monitors) enter(w *connection) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.all == nil {
		ws.all = map[*connection]struct{}{}
	}
	ws.all[w] = struct{}{}
	ws.count.Add(1)
}

func (ws *Monitors) leave(w *connection) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.all, w)
	ws.count.Add(-1)
}

// PagesChanged has each watcher told of the pages, soon. It never blocks.
func (ws *Monitors) PagesChanged() {
	if ws.count.Load() == 0 {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.all {
		select {
		case w.stale <- struct{}{}:
		default: // it will look anyway
		}
	}
}

func (ws *Monitors) Active() bool { return ws.count.Load() > 0 }

// Message shows a message to those who look on; not what they ask themselves, nor what
// a generated tool asks on behalf of an assistant. It never blocks. name is the URI,
// prompt or tool that the message is about, if that is known already.
func (ws *Monitors) Message(v access.Client, to, name string, msg []byte) {
	if ws.count.Load() == 0 || v.Door == access.WatchDoor || v.Internal {
		return
	}
	if name == "" && to == "assistant" && message.HeadOf(msg).Kind == jsonrpc.Notification {
		m, _ := jsonrpc.Parse(msg)
		name, _ = jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	}
	f := shown{time: time.Now(), visit: v, page: aboutPage(v.Door, name), to: to, text: bytes.Clone(msg)}
	size := int64(len(f.text))
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.all {
		if w.bytes.Add(size) <= maxQueuedBytes+size { // one frame always fits
			select {
			case w.frames <- f:
				continue
			default:
			}
		}
		w.socket.CloseWith(closeTooSlow, "too slow")
		time.AfterFunc(limits.ShutdownTime, w.socket.Abort) // its reader may not even take the close
	}
}

// frame is what is told of it. Secrets are taken out here, in the watcher's own time.
func (f *shown) frame() Frame {
	return Frame{
		Time: f.time.UnixMilli(), Who: f.visit.Principal, Client: f.visit.Name, Door: f.visit.Door,
		Page: f.page, To: f.to, Size: len(f.text), Text: strings.ToValidUTF8(string(withoutSecrets(f.text)), "\uFFFD"),
	}
}

// aboutPage returns the page that something at a door is about: the door's own, or
// the one whose prefix the name has.
func aboutPage(door, name string) string {
	if page, ok := access.PageOf(door); ok && page != "" {
		return page
	}
	if i := strings.IndexAny(name, "+.:"); i > 0 && name[i] != ':' && access.ValidName(name[:i]) {
		return name[:i]
	}
	return ""
}

// Answered counts an answered read, for the pages that watchers are told of.
func (ws *Monitors) Answered(v access.Client, method, uri string, size int) {
	page := aboutPage(v.Door, uri)
	if method != "resources/read" || page == "" {
		return
	}
	ws.mu.Lock()
	if ws.reads == nil {
		ws.reads = map[string]*pageReads{}
	}
	count := ws.reads[page]
	if count == nil {
		count = &pageReads{}
		ws.reads[page] = count
	}
	count.reads++
	count.bytes += size
	ws.mu.Unlock()
	ws.PagesChanged()
}

// readsOf returns the counts of a page.
func (ws *Monitors) readsOf(name string) pageReads {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if count := ws.reads[name]; count != nil {
		return *count
	}
	return pageReads{}
}

// Forget drops the counts of a page that is forgotten.
func (ws *Monitors) Forget(name string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.reads, name)
}

// withReads adds what assistants have read of each page.
func (ws *Monitors) withReads(state State) State {
	for i := range state.Pages {
		seen := ws.readsOf(state.Pages[i].Name)
		state.Pages[i].Reads, state.Pages[i].Bytes = seen.reads, seen.bytes
	}
	slices.SortFunc(state.Pages, func(a, b Page) int { return strings.Compare(a.Name, b.Name) })
	return state
}
