package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// A testStore is a store that processes share. Like NATS it may not answer.
type testStore struct {
	loads atomic.Int64

	mu   sync.Mutex
	docs map[string]testDocument // by owner and id
	away bool
}

type testDocument struct {
	text    []byte
	version uint64
}

func newTestStore() *testStore { return &testStore{docs: map[string]testDocument{}} }

// use makes the sessions of a process use the store.
func (m *testStore) use(ss *mcphttp.Sessions) { ss.Store = m }

func (m *testStore) setAway(is bool) { m.mu.Lock(); defer m.mu.Unlock(); m.away = is }

func (m *testStore) isAway() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.away }

func (m *testStore) Load(ctx context.Context, owner, id string) (*mcphttp.Stored, error) {
	m.loads.Add(1)
	if m.isAway() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	doc, found := m.docs[owner+"."+id]
	if !found {
		return nil, nil
	}
	s := &mcphttp.Stored{}
	if err := json.Unmarshal(doc.text, s); err != nil {
		return nil, err
	}
	s.Version = doc.version
	return s, nil
}

func (m *testStore) Save(ctx context.Context, s *mcphttp.Stored) error {
	if m.isAway() {
		<-ctx.Done()
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := s.Owner + "." + s.ID
	before := m.docs[key]
	if before.version != s.Version && !strings.Contains(string(before.text), s.Writer) {
		return fmt.Errorf("version %d: %w", s.Version, mcphttp.ErrStale)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if len(text) > mcphttp.MaxStored {
		return errors.New("the document is too long")
	}
	m.docs[key] = testDocument{text, before.version + 1}
	s.Version = before.version + 1
	return nil
}

func (m *testStore) Delete(ctx context.Context, owner, id string) error {
	if m.isAway() {
		<-ctx.Done()
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.docs, owner+"."+id)
	return nil
}

// list returns the documents.
func (m *testStore) list() (all []*mcphttp.Stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(m.docs)) {
		s := &mcphttp.Stored{}
		json.Unmarshal(m.docs[key].text, s)
		all = append(all, s)
	}
	return all
}

// change changes all documents, as their last writer.
func (m *testStore) change(f func(*mcphttp.Stored)) {
	for _, s := range m.list() {
		f(s)
		m.mu.Lock()
		key := s.Owner + "." + s.ID
		text, _ := json.Marshal(s)
		m.docs[key] = testDocument{text, m.docs[key].version}
		m.mu.Unlock()
	}
}

// stored returns what the documents say: the level and the URIs.
func (m *testStore) stored() string {
	var all []string
	for _, s := range m.list() {
		all = append(all, strings.TrimSpace(s.LogLevel+" "+strings.Join(s.Subscriptions, " ")))
	}
	return strings.Join(all, ", ")
}

// What a response acknowledges is stored before it, so that another process serves the session as
// this one does.
func TestSessionsAreStoredBeforeTheyAreAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		n := c.process(store.use)
		session := n.do("POST", "/mcp", aliceToken, "", testBegin).Header.Get(mcphttp.SessionHeader)
		for i, row := range []struct{ method, params, want string }{
			{"ping", "", ""},
			{"resources/subscribe", `"uri":"notes://a"`, "notes://a"},
			{"resources/subscribe", `"uri":"notes://b"`, "notes://a notes://b"},
			{"logging/setLevel", `"level":"error"`, "error notes://a notes://b"},
			{"resources/unsubscribe", `"uri":"notes://b"`, "error notes://a"},
		} {
			if status, body := n.request(session, strconv.Itoa(i), row.method, row.params); status != 200 || !strings.Contains(body, `"result"`) {
				t.Errorf("%s: %d %s", row.method, status, body)
			}
			if got := store.stored(); got != row.want {
				t.Errorf("after %s: %q, want %q", row.method, got, row.want)
			}
		}
		if text := fmt.Sprint(store.docs); strings.Contains(text, session) {
			t.Error("the store has the id of the session")
		}
		n.sessions.Close()
		other := c.process(store.use)
		stream := other.listen(session)
		time.Sleep(10 * time.Millisecond) // some intervals of notifications: the beginning may announce a list twice
		stream.Take()
		for _, uri := range []string{"notes://a", "notes://b"} {
			c.table("alice").Changed(uri)
		}
		if got := stream.Take(); len(got) != 1 || !strings.Contains(got[0], "notes://a") {
			t.Errorf("after changes of both: %v", got)
		}
	})
}

// While the store does not answer, responses wait two seconds for it, and the session goes on in
// memory. It is stored when the store is back, whatever the client does.
func TestSessionsGoOnWithoutTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		n := c.process(store.use)
		before := n.begin()
		store.setAway(true)
		began := time.Now()
		during := n.begin()
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("initialize waits %v", waited)
		}
		stream := n.listen(before)
		stream.Take()
		began = time.Now()
		if status, body := n.request(before, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 || !strings.Contains(body, `"result":{}`) || time.Since(began) != 2*time.Second {
			t.Errorf("subscribe: %d %s after %v", status, body, time.Since(began))
		}
		c.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, "notes://a") != 1 {
			t.Errorf("after a change: %v", got)
		}
		began = time.Now()
		if status, _ := n.request(before, "2", "resources/read", `"uri":"notes://a"`); status != 200 || time.Since(began) != 0 {
			t.Errorf("a read: %d after %v", status, time.Since(began))
		}
		stream.Close()
		time.Sleep(2 * limits.SessionIdle)
		n.sessions.Sweep(time.Now())
		synctest.Wait()
		if got := n.sessions.Late(); got != 2 || n.sessions.Count() != 2 || strings.Count(n.log.String(), "level=ERROR") != 1 {
			t.Errorf("%d sessions are late, %d are awake; logged: %s", got, n.sessions.Count(), n.log.String())
		}
		unknown := n.do("POST", "/mcp", aliceToken, "unknown", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if unknown.StatusCode != 503 || unknown.Header.Get("Retry-After") == "" {
			t.Errorf("a session that may be stored: %d %s", unknown.StatusCode, unknown.body)
		}
		store.setAway(false)
		n.sessions.Sweep(time.Now())
		synctest.Wait()
		if got := store.stored(); n.sessions.Late() != 0 || !strings.Contains(got, "notes://a") || len(store.list()) != 2 || !strings.Contains(n.log.String(), "level=INFO") {
			t.Errorf("when the store is back: %q, %d late; logged: %s", got, n.sessions.Late(), n.log.String())
		}
		n.sessions.Sweep(time.Now())
		other := c.process(store.use)
		for _, session := range []string{before, during} {
			if status, body := other.request(session, "1", "ping", ""); status != 200 {
				t.Errorf("another process: %d %s", status, body)
			}
		}
	})
}

// Of a resource to which a client subscribes it hears nothing before the response, however long
// that waits for the store; a change meanwhile follows it (P1, P2).
func TestNothingPrecedesAnAcknowledgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		n := c.process(store.use)
		session := n.begin()
		stream := n.listen(session)
		store.setAway(true)
		answered := make(chan string)
		go func() {
			_, body := n.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
			answered <- body
		}()
		time.Sleep(time.Second)
		c.table("alice").Changed("notes://a")
		if got := stream.Take(); len(got) != 0 {
			t.Errorf("before the response: %v", got)
		}
		if body := <-answered; !strings.Contains(body, `"result":{}`) {
			t.Error(body)
		}
		if got := stream.Take(); gatewaytest.Count(got, "notes://a") != 1 {
			t.Errorf("after the response: %v", got)
		}
	})
}

// If another process has saved the session, it is over here: its stream ends, and the request that
// has found that out is to be repeated. The session itself goes on, with what both have changed.
func TestSessionsHaveOneWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		a, b := c.process(store.use), c.process(store.use)
		session := a.begin()
		stream, call := a.listen(session), a.call(session, "0", "slow")
		if status, body := b.request(session, "1", "resources/subscribe", `"uri":"notes://b"`); status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		stale := a.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"notes://a"}}`)
		if stale.StatusCode != 503 || stale.Header.Get("Retry-After") == "" || !strings.Contains(stale.body, `"retry":true`) {
			t.Errorf("from the stale process: %d %s", stale.StatusCode, stale.body)
		}
		if got := call.Take(); !stream.HasEnded() || gatewaytest.Count(got, "interrupted") != 1 || c.slowCalls() != 0 || a.sessions.Count() != 0 {
			t.Errorf("the stream has ended: %t; the call got %v", stream.HasEnded(), got)
		}
		if status, body := a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 || !strings.Contains(body, `"result":{}`) {
			t.Errorf("repeated: %d %s", status, body)
		}
		if got := store.stored(); got != "notes://a notes://b" {
			t.Errorf("stored: %q", got)
		}
	})
}

// Requests that arrive together make one session of the document, and a session that is restored
// again and again while it changes has all its changes. Run with -race.
func TestRestoringIsSafe(t *testing.T) {
	restores := int64(10_000)
	if testing.Short() {
		restores = 500
	}
	c, store := newTestOwners(t), newTestStore()
	c.busy.Store(true) // there is no bubble
	n := c.process(store.use)
	session := n.begin()
	n.request(session, `"b"`, "resources/subscribe", `"uri":"notes://b"`)
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			uri := "notes://a"
			if client > 0 {
				uri = "notes://b"
			}
			for i := 0; store.loads.Load() < restores && !t.Failed(); i++ {
				method := []string{"resources/subscribe", "resources/unsubscribe"}[i%2]
				if uri == "notes://b" {
					method = "resources/subscribe"
				}
				if status, body := n.request(session, strconv.Itoa(client*1_000_000+i), method, fmt.Sprintf(`"uri":%q`, uri)); status != 200 || !strings.Contains(body, `"result"`) {
					t.Errorf("%s: %d %s", method, status, body)
				}
				if got := store.stored(); client == 0 && strings.Contains(got, "notes://a") != (i%2 == 0) {
					t.Errorf("after %s: %q", method, got)
				}
				n.sessions.Rest()
				if got := n.sessions.Count(); got > 1 {
					t.Errorf("%d sessions", got)
				}
			}
		})
	}
	clients.Wait()
	if got := store.stored(); !strings.Contains(got, "notes://b") {
		t.Errorf("in the end: %q", got)
	}
}

// A session that sleeps uses little memory, also if it is kept there.
func TestSleepingSessionsAreSmall(t *testing.T) {
	const many, most = 2_000, 2 << 10 // bytes each
	c := newTestOwners(t)
	c.busy.Store(true)
	n := c.process(func(ss *mcphttp.Sessions) {
		ss.Gate.Limits = limited("callsPerSecond", 1e6)
	})
	begin := func() {
		for i := range many {
			if n.beginAs(fmt.Sprintf("https://auth.example user%d app", i)) == "" {
				t.Fatal("429")
			}
		}
		n.sessions.Rest()
	}
	begin() // the runtime keeps what it needs for so many
	used := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapInuse + stats.StackInuse
	}
	before := used()
	begin()
	if got := n.sessions.Count(); got != 0 {
		t.Errorf("%d sessions are awake", got)
	}
	kept := int64(used()-before) / many
	t.Logf("%d bytes", kept)
	if kept > most {
		t.Errorf("a session that sleeps uses %d bytes, want at most %d", kept, most)
	}
}

// A session that had to sleep before the store took its last change writes nothing after that: the one
// that its client has made again is the writer.
func TestSessionsThatSleepWriteNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		n := c.process(store.use, func(ss *mcphttp.Sessions) { ss.Gate.Limits = limited("sessions", 1) })
		session := n.begin()
		store.setAway(true)
		n.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		if late := n.sessions.Late(); late != 1 {
			t.Errorf("%d sessions are late", late)
		}
		other := n.begin() // makes it sleep
		store.setAway(false)
		if status, body := n.request(session, "2", "resources/subscribe", `"uri":"notes://b"`); status != 200 {
			t.Errorf("%d %s", status, body)
		}
		time.Sleep(time.Minute)
		if got := store.stored(); got != "notes://b" || n.sessions.Late() != 0 || other == "" {
			t.Errorf("stored: %q, %d late", got, n.sessions.Late())
		}
	})
}
