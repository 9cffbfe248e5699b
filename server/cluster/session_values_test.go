package cluster

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// awaitValue waits until a node loads this value.
func (n *testNode) awaitValue(key, want string) {
	n.t.Helper()
	deadline := time.After(testTime)
	for {
		got, _ := n.SessionValues().Load(n.t.Context(), key)
		if string(got) == want {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			n.t.Fatalf("%s is %q, want %q", key, got, want)
		}
	}
}

// put returns an update that replaces any value.
func put(value string) func([]byte) []byte {
	return func([]byte) []byte { return []byte(value) }
}

// What one node writes, the others load; of several updates in a row the last one holds.
func TestSessionValuesReachOtherNodes(t *testing.T) {
	s := startNATS(t, server.Options{JetStream: true, StoreDir: t.TempDir()})
	options := Options{URLs: []string{s.ClientURL()}, KV: true}
	a, b := joined(t, options), joined(t, options)
	for i := range 100 {
		a.SessionValues().Update("o", "one", put(fmt.Sprint("a", i)))
	}
	b.awaitValue("one", "a99")
	b.SessionValues().Update("o", "one", func(current []byte) []byte { return append(bytes.Clone(current), " b"...) })
	a.awaitValue("one", "a99 b")
	a.SessionValues().Update("o", "one", func([]byte) []byte { return nil }) // stays
	a.SessionValues().Update("o", "two", put("second"))
	b.awaitValue("two", "second")
	a.awaitValue("one", "a99 b")
	b.SessionValues().Update("o", "two", put("")) // deletes it
	a.awaitValue("two", "")
	b.SessionValues().Update("o", "two", put("third"))
	a.awaitValue("two", "third")
	if got, err := a.SessionValues().Load(t.Context(), "none"); got != nil || err != nil {
		t.Errorf("an unknown key: %q", got)
	}
	bucket, err := a.values.stream.Stream(t.Context(), "KV_pagemcp-test-sessions")
	if err != nil {
		t.Fatal(err)
	}
	b.SessionValues().Update("o", "three", put("third"))
	a.awaitValue("three", "third")
	b.SessionValues().Update("o", "three", put(""))
	a.awaitValue("three", "")
	marker, err := bucket.GetLastMsgForSubject(t.Context(), "$KV.pagemcp-test-sessions.three")
	if err != nil || marker.Header.Get(jetstream.MsgTTLHeader) == "" {
		t.Errorf("what is left of a deleted value stays: %v, %v", marker, err)
	}
	status, err := a.values.values.Status(t.Context())
	if err != nil || status.Bucket() != "pagemcp-test-sessions" || status.TTL() != 7*24*time.Hour || status.History() != 1 || status.Config().MaxBytes != maxBytes {
		t.Errorf("the bucket: %+v, %v", status, err)
	}
}

// Updates of one value by several nodes at the same time: each sees the value that the
// other has written.
func TestSessionValuesAreNotOverwritten(t *testing.T) {
	s := startNATS(t, server.Options{JetStream: true, StoreDir: t.TempDir()})
	options := Options{URLs: []string{s.ClientURL()}, KV: true}
	nodes := []*testNode{joined(t, options), joined(t, options), joined(t, options)}
	count := func(current []byte) []byte {
		n, _ := strconv.Atoi(string(current))
		return []byte(strconv.Itoa(n + 1))
	}
	for _, n := range nodes {
		n.SessionValues().Update("o", "opened", put("x")) // awaits the bucket
	}
	nodes[0].awaitValue("opened", "x")
	const rounds = 50
	done := make(chan error, len(nodes))
	for _, n := range nodes {
		n.awaitValue("opened", "x")
		go func() {
			for range rounds {
				for {
					_, err := n.values.write(context.Background(), "count", count)
					if err == nil {
						break
					}
					if !isConflict(err) {
						done <- err
						return
					}
				}
			}
			done <- nil
		}()
	}
	for range nodes {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(testTime):
			t.Fatal("the updates do not end")
		}
	}
	nodes[0].awaitValue("count", strconv.Itoa(rounds*len(nodes)))
}

// Without the store nothing waits: values are not there, and updates are written when it
// is.
func TestSessionValuesWaitForTheStore(t *testing.T) {
	dir := t.TempDir()
	s := startNATS(t, server.Options{}) // without JetStream
	options := Options{URLs: []string{s.ClientURL()}, KV: true, retryKV: 50 * time.Millisecond}
	a, b := joined(t, options), joined(t, options)
	if got, err := a.SessionValues().Load(t.Context(), "one"); got != nil || err == nil {
		t.Errorf("without JetStream: %q", got)
	}
	a.SessionValues().Update("o", "one", put("early"))
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	a.await("disconnected", a.disconnected)
	if got, err := a.SessionValues().Load(t.Context(), "one"); got != nil || err == nil {
		t.Errorf("without NATS: %q", got)
	}
	a.SessionValues().Update("o", "two", put("later"))
	s = startNATS(t, server.Options{JetStream: true, StoreDir: dir, Port: port})
	b.awaitValue("one", "early")
	b.awaitValue("two", "later")
	s.Shutdown() // with the bucket open
	s.WaitForShutdown()
	a.SessionValues().Update("o", "one", put("again"))
	b.SessionValues().Load(t.Context(), "one")
	startNATS(t, server.Options{JetStream: true, StoreDir: dir, Port: port})
	b.awaitValue("one", "again")
	b.awaitValue("two", "later")
}

// The store is opened as soon as NATS is there, and not with the next attempt.
func TestSessionValuesAreThereWithNATS(t *testing.T) {
	port := testports.Free(t, 1)[0]
	n := startNode(t, Options{URLs: []string{"nats://127.0.0.1:" + strconv.Itoa(port)}, KV: true, retryKV: time.Hour})
	n.SessionValues().Update("o", "one", put("first"))
	startNATS(t, server.Options{JetStream: true, StoreDir: t.TempDir(), Port: port})
	n.awaitValue("one", "first")
}

// A node that ends writes what waits.
func TestClosedNodesWriteTheirSessionValues(t *testing.T) {
	s := startNATS(t, server.Options{JetStream: true, StoreDir: t.TempDir()})
	b := joined(t, Options{URLs: []string{s.ClientURL()}, KV: true, retryKV: 50 * time.Millisecond})
	a, err := Connect(Options{Cluster: "test", Log: b.options.Log, URLs: b.options.URLs, KV: true, Keys: testKeys("k1")})
	if err != nil {
		t.Fatal(err)
	}
	a.SessionValues().Update("o", "first", put("x"))
	b.awaitValue("first", "x") // its bucket is open
	const count = 20           // are written within flushTime
	for i := range count {
		a.SessionValues().Update("o", fmt.Sprint(i), put("last"))
	}
	a.Close()
	for i := range count {
		b.awaitValue(fmt.Sprint(i), "last")
	}
}

// A node that ends a moment after JetStream has become available writes what waits, although
// its earlier attempts to open the store have failed.
func TestClosedNodesOpenTheStore(t *testing.T) {
	s := startNATS(t, server.Options{}) // without JetStream
	a, err := Connect(Options{Cluster: "test", Log: slog.New(slog.DiscardHandler), URLs: []string{s.ClientURL()}, KV: true, Keys: testKeys("k1"), retryKV: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	a.SessionValues().Update("o", "one", put("last"))
	if err := a.values.open(t.Context()); err == nil {
		t.Error("the store is there")
	}
	if a.SessionValues().IsAvailable() {
		t.Error("updates are said to be written")
	}
	if err := s.EnableJetStream(&server.JetStreamConfig{StoreDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	a.Close()
	b := joined(t, Options{URLs: []string{s.ClientURL()}, KV: true})
	b.awaitValue("one", "last")
}

// The store may become available only after a node that ends has begun to write: JetStream
// chooses a leader in several seconds.
func TestClosedNodesWaitForTheStore(t *testing.T) {
	s := startNATS(t, server.Options{}) // without JetStream
	failed := make(signals, 100)
	a, err := Connect(Options{Cluster: "test", Log: slog.New(failed), URLs: []string{s.ClientURL()}, KV: true, Keys: testKeys("k1"), retryKV: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	failed.await(t, "the first attempt to open the store has failed")
	a.SessionValues().Update("o", "one", put("last"))
	closed := make(chan struct{})
	go func() { a.Close(); close(closed) }()
	failed.await(t, "an attempt of the node that ends has failed")
	if err := s.EnableJetStream(&server.JetStreamConfig{StoreDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	<-closed // within flushTime
	joined(t, Options{URLs: []string{s.ClientURL()}, KV: true}).awaitValue("one", "last")
}

// signals is a log handler that signals attempts to open the store.
type signals chan struct{}

func (s signals) Enabled(context.Context, slog.Level) bool { return true }
func (s signals) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s signals) WithGroup(string) slog.Handler            { return s }
func (s signals) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "open the key-value store") {
		s <- struct{}{}
	}
	return nil
}

func (s signals) await(t *testing.T, what string) {
	t.Helper()
	select {
	case <-s:
	case <-time.After(testTime):
		t.Fatal("timeout: " + what)
	}
}

// The number of updates that wait is limited; those of keys that wait already are not
// refused.
func TestWaitingSessionValuesAreLimited(t *testing.T) {
	s := startNATS(t, server.Options{})
	n := joined(t, Options{URLs: []string{s.ClientURL()}, KV: true})
	for i := range maxWaiting + 10 {
		n.SessionValues().Update(fmt.Sprint(i/1_000), fmt.Sprint(i), put(""))
	}
	n.SessionValues().Update("0", "0", put("last"))
	if n.values.count != maxWaiting || n.values.takeRefused() != 10 {
		t.Errorf("%d wait", n.values.count)
	}
	if waiting := n.values.takeAll(); string(waiting["0"]["0"](nil)) != "last" || n.values.waitingUpdates() > 0 {
		t.Errorf("%d are left", n.values.count)
	}
}

func TestNodesWithoutKVHaveNoValues(t *testing.T) {
	n := joined(t, Options{URLs: []string{startNATS(t, server.Options{}).ClientURL()}})
	if n.SessionValues() != nil {
		t.Error("it has a store")
	}
}

// Conflicts of both kinds of streams are known as such.
func TestConflictsAreTriedAgain(t *testing.T) {
	for err, want := range map[error]bool{
		&jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}: true, &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant}: true,
		&jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamNotFound}: false, context.DeadlineExceeded: false,
	} {
		if isConflict(err) != want {
			t.Errorf("%v: %t", err, !want)
		}
	}
}
