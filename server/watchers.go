package server

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of those who look on.
const (
	watchQueue   = 1024                   // frames that wait for one of them
	watchBytes   = 16 << 20               // bytes of these
	stateEvery   = 500 * time.Millisecond // the pages are not told of more often
	closeTooSlow = websocket.StatusCode(4408)
)

// watchers are those who look on. Nobody waits for them: one that does not keep up
// is dropped, and while there is none a message costs one look at a number.
type watchers struct {
	count atomic.Int32

	mu   sync.Mutex
	all  map[*watcher]struct{}
	seen map[string]*seenPage // by name
}

// seenPage counts what assistants have read of a page since the gateway began.
type seenPage struct{ reads, bytes int }

// A watcher has a queue, and a goroutine that writes what is in it.
type watcher struct {
	socket *socket
	frames chan tapped
	bytes  atomic.Int64  // in frames
	stale  chan struct{} // room for one: the pages have changed
}

// A tapped message is one that passed between an assistant and its engine.
type tapped struct {
	time  time.Time
	visit visit
	page  string // that it is about; empty: about several, or none
	to    string // "assistant" or "page"
	text  []byte
}

// A frameMessage tells a watcher of one.
type frameMessage struct {
	Frame frame `json:"frame"`
}

type frame struct {
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
	State gatewayState `json:"state"`
}

type gatewayState struct {
	Pages    []pageState `json:"pages"`
	MayJoin  []string    `json:"mayJoin"`  // origins
	MayWatch []string    `json:"mayWatch"` // origins
	NoToken  bool        `json:"noToken"`  // assistants need none
}

type pageState struct {
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
func (ws *watchers) serve(s *socket, state func() gatewayState) {
	go s.keepAlive(false) // ends with the socket
	go func() {           // likewise; whatever it says is nothing to us
		for {
			if _, err := s.Read(s.context()); err != nil {
				return
			}
		}
	}()
	w := &watcher{socket: s, frames: make(chan tapped, watchQueue), stale: make(chan struct{}, 1)}
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
		case <-s.gone():
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
func (w *watcher) tell(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return w.socket.Write(w.socket.context(), text)
}

func (ws *watchers) enter(w *watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.all == nil {
		ws.all = map[*watcher]struct{}{}
	}
	ws.all[w] = struct{}{}
	ws.count.Add(1)
}

func (ws *watchers) leave(w *watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.all, w)
	ws.count.Add(-1)
}

// changed has each watcher told of the pages, soon. It never blocks.
func (ws *watchers) changed() {
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

func (ws *watchers) active() bool { return ws.count.Load() > 0 }

// message shows a message to those who look on; not what they ask themselves, nor what
// a generated tool asks on behalf of an assistant. It never blocks. name is the URI,
// prompt or tool that the message is about, if that is known already.
func (ws *watchers) message(v visit, to, name string, msg []byte) {
	if ws.count.Load() == 0 || v.door == watchDoor || v.inner {
		return
	}
	if name == "" && to == "assistant" && headOf(msg).kind == jsonrpc.Notification {
		m, _ := jsonrpc.Parse(msg)
		name, _ = jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	}
	f := tapped{time: time.Now(), visit: v, page: aboutPage(v.door, name), to: to, text: bytes.Clone(msg)}
	size := int64(len(f.text))
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.all {
		if w.bytes.Add(size) <= watchBytes+size { // one frame always fits
			select {
			case w.frames <- f:
				continue
			default:
			}
		}
		w.socket.closeWith(closeTooSlow, "too slow")
		time.AfterFunc(shutdownTime, w.socket.abort) // its reader may not even take the close
	}
}

// frame is what is told of it. Secrets are taken out here, in the watcher's own time.
func (f *tapped) frame() frame {
	return frame{
		Time: f.time.UnixMilli(), Who: f.visit.who, Client: f.visit.client, Door: f.visit.door,
		Page: f.page, To: f.to, Size: len(f.text), Text: strings.ToValidUTF8(string(withoutSecrets(f.text)), "\uFFFD"),
	}
}

// aboutPage returns the page that something at a door is about: the door's own, or
// the one whose prefix the name has.
func aboutPage(door, name string) string {
	if page, ok := pageOf(door); ok && page != "" {
		return page
	}
	if i := strings.IndexAny(name, "+.:"); i > 0 && name[i] != ':' && validName(name[:i]) {
		return name[:i]
	}
	return ""
}

// answered counts an answered read, for the pages that watchers are told of.
func (ws *watchers) answered(v visit, method, uri string, size int) {
	page := aboutPage(v.door, uri)
	if method != "resources/read" || page == "" {
		return
	}
	ws.mu.Lock()
	if ws.seen == nil {
		ws.seen = map[string]*seenPage{}
	}
	count := ws.seen[page]
	if count == nil {
		count = &seenPage{}
		ws.seen[page] = count
	}
	count.reads++
	count.bytes += size
	ws.mu.Unlock()
	ws.changed()
}

// seenOf returns the counts of a page.
func (ws *watchers) seenOf(name string) seenPage {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if count := ws.seen[name]; count != nil {
		return *count
	}
	return seenPage{}
}

// forget drops the counts of a page that is forgotten.
func (ws *watchers) forget(name string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.seen, name)
}

// withReads adds what assistants have read of each page.
func (ws *watchers) withReads(state gatewayState) gatewayState {
	for i := range state.Pages {
		seen := ws.seenOf(state.Pages[i].Name)
		state.Pages[i].Reads, state.Pages[i].Bytes = seen.reads, seen.bytes
	}
	slices.SortFunc(state.Pages, func(a, b pageState) int { return strings.Compare(a.Name, b.Name) })
	return state
}
