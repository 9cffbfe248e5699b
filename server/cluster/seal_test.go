package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// testKeys returns a shared key for each name.
func testKeys(names ...string) (keys [][]byte) {
	for _, name := range names {
		key := sha256.Sum256([]byte(name))
		keys = append(keys, key[:])
	}
	return keys
}

func testSealer(t testing.TB, keys ...string) *sealer {
	t.Helper()
	s, err := newSealer(newID(), testKeys(keys...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func withSender(id string) func(sealed []byte) []byte {
	return func(sealed []byte) []byte { copy(sealed[1+sealKeyID:], id); return sealed }
}

// A sealed message opens once, for its subject and reply subject, under a common key.
func TestSealedMessages(t *testing.T) {
	const subject, reply = "pagemcp.1.test.hb", "pagemcp.1.test.n.a.l.b"
	for _, row := range []struct {
		name           string
		keys           []string // of the receiver
		subject, reply string
		change         func(sealed []byte) []byte
		want           error
	}{
		{name: "unchanged", keys: []string{"k1"}},
		{name: "sealed with the second key of the receiver", keys: []string{"k2", "k1"}},
		{name: "without a common key", keys: []string{"k2"}, want: errUnknownKey},
		{name: "on another subject", keys: []string{"k1"}, subject: "pagemcp.1.test.who", want: errSealed},
		{name: "with another reply subject", keys: []string{"k1"}, reply: "pagemcp.1.test.n.a.l.c", want: errSealed},
		{name: "with a changed payload", keys: []string{"k1"}, change: func(b []byte) []byte { b[sealHeader] ^= 1; return b }, want: errSealed},
		{name: "with a changed tag", keys: []string{"k1"}, change: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, want: errSealed},
		{name: "with a changed time", keys: []string{"k1"}, change: func(b []byte) []byte { b[sealHeader-9] ^= 1; return b }, want: errSealed},
		{name: "with a changed number", keys: []string{"k1"}, change: func(b []byte) []byte { b[sealHeader-1] ^= 1; return b }, want: errSealed},
		{name: "of another sender", keys: []string{"k1"}, change: withSender(newID()), want: errSealed},
		{name: "of an invalid sender", keys: []string{"k1"}, change: func(b []byte) []byte { b[1+sealKeyID] = '.'; return b }, want: errSealed},
		{name: "of an unknown version", keys: []string{"k1"}, change: func(b []byte) []byte { b[0]++; return b }, want: errSealed},
		{name: "cut off", keys: []string{"k1"}, change: func(b []byte) []byte { return b[:sealOverhead-1] }, want: errSealed},
		{name: "empty", keys: []string{"k1"}, change: func([]byte) []byte { return nil }, want: errSealed},
		{name: "not sealed", keys: []string{"k1"}, change: func([]byte) []byte { return bytes.Repeat([]byte("{}"), sealOverhead) }, want: errSealed},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := testSealer(t, "k1"), testSealer(t, row.keys...)
			sealed := a.seal(nil, subject, reply, []byte("secret text"))
			if bytes.Contains(sealed, []byte("secret")) {
				t.Error("the payload can be read")
			}
			if _, _, _, err := a.open(subject, reply, bytes.Clone(sealed)); !errors.Is(err, errOwn) {
				t.Errorf("the sender itself opens it: %v", err)
			}
			if len(sealed) != sealOverhead+len("secret text") {
				t.Errorf("%d bytes", len(sealed))
			}
			if row.change != nil {
				sealed = row.change(sealed)
			}
			at, to := subject, reply
			if row.subject != "" {
				at = row.subject
			}
			if row.reply != "" {
				to = row.reply
			}
			payload, from, _, err := b.open(at, to, bytes.Clone(sealed))
			if !errors.Is(err, row.want) || err == nil && (string(payload) != "secret text" || from != a.node) {
				t.Errorf("%q from %s, %v; want %v", payload, from, err, row.want)
			}
			if err != nil && len(b.senders) > 0 {
				t.Error("a sender without a key is remembered")
			}
			if _, _, _, err := b.open(at, to, bytes.Clone(sealed)); err == nil {
				t.Error("the message opens twice")
			}
		})
	}
}

// Messages may come in another order; each one counts once, and none that is much older than
// the latest of its sender.
func TestReplaysAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := testSealer(t, "k1"), testSealer(t, "k1")
		opens := func(s *sealer, sealed []byte) bool {
			_, _, _, err := s.open("s", "", bytes.Clone(sealed))
			return err == nil
		}
		var sealed [][]byte
		for range 200 {
			sealed = append(sealed, a.seal(nil, "s", "", nil))
		}
		for i, one := range slices.Backward(sealed[:100]) {
			if !opens(b, one) {
				t.Errorf("message %d of those that come in reverse", i)
			}
		}
		for i, one := range sealed[:100] {
			if opens(b, one) {
				t.Errorf("message %d again", i)
			}
		}
		late := a.seal(nil, "s", "", nil)
		time.Sleep(3 * time.Second)
		if _, _, delay, err := b.open("s", "", a.seal(nil, "s", "", nil)); delay != 0 || err != nil {
			t.Errorf("the latest message is %v late: %v", delay, err)
		}
		if _, _, delay, err := b.open("s", "", late); delay != 3*time.Second || err != nil {
			t.Errorf("a message of 3 s before is %v late: %v", delay, err)
		}
		time.Sleep(staleTime - 3*time.Second + time.Second)
		if !opens(b, sealed[198]) {
			t.Error("a late message, of which no newer one has come")
		}
		if !opens(b, a.seal(nil, "s", "", nil)) || opens(b, sealed[199]) {
			t.Error("a late message, after a newer one")
		}
		early := a.seal(nil, "s", "", nil)
		a.number.Add(replayWindow)
		if !opens(b, a.seal(nil, "s", "", nil)) || opens(b, early) {
			t.Error("a message below the window")
		}
		for range 3 * 64 { // the bits of the numbers before are gone
			if !opens(b, a.seal(nil, "s", "", nil)) {
				t.Fatal("a new message after the window has moved")
			}
		}
		newcomer, last := testSealer(t, "k1"), a.seal(nil, "s", "", nil)
		time.Sleep(strangeTime + time.Second)
		if opens(newcomer, last) {
			t.Error("an old message of a sender that the receiver does not know")
		}
	})
}

// A node that has ended is forgotten only when none of its messages would be accepted as
// those of an unknown sender.
func TestForgottenSendersHaveNoReplays(t *testing.T) {
	for waited := time.Minute; waited <= 3*strangeTime; waited += time.Minute {
		synctest.Test(t, func(t *testing.T) {
			a, b := testSealer(t, "k1"), testSealer(t, "k1")
			clock.Shift(strangeTime) // of a: as much as is accepted
			last := a.seal(nil, "s", "", nil)
			clock.Shift(0)
			if _, _, _, err := b.open("s", "", bytes.Clone(last)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(waited)
			if _, _, _, err := b.open("s", "", testSealer(t, "k1").seal(nil, "s", "", nil)); err != nil { // so that b forgets
				t.Fatal(err)
			}
			if _, _, _, err := b.open("s", "", last); err == nil {
				t.Errorf("the last message of a node opens again %v later", waited)
			}
		})
	}
}

// A node whose clock stops for a time, as that of a virtual machine, or is set, is heard again
// by nodes that do not know it.
func TestSendersFollowTheWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock.Shift(-time.Hour)
		defer clock.Shift(0)
		a := testSealer(t, "k1")
		clock.Shift(0)
		b := testSealer(t, "k1")
		clock.Shift(-time.Hour)
		sealed := a.seal(nil, "s", "", nil)
		clock.Shift(0)
		if _, _, _, err := b.open("s", "", sealed); !errors.Is(err, errClock) {
			t.Errorf("while the clock is wrong: %v", err)
		}
		if _, _, _, err := b.open("s", "", a.seal(nil, "s", "", nil)); err != nil {
			t.Errorf("after the clock was set forward: %v", err)
		}
		clock.Shift(-time.Minute)
		if _, _, _, err := b.open("s", "", a.seal(nil, "s", "", nil)); err != nil {
			t.Errorf("after the clock was set back: %v", err)
		}
	})
}

// What is remembered of senders is bounded, and those that are silent are forgotten.
func TestSendersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testSealer(t, "k1")
		hear := func() {
			if _, _, _, err := s.open("s", "", testSealer(t, "k1").seal(nil, "s", "", nil)); err != nil {
				t.Fatal(err)
			}
		}
		for range 10 {
			hear()
		}
		time.Sleep(strangeTime + time.Second)
		if hear(); len(s.senders) != 1 {
			t.Errorf("%d senders are remembered", len(s.senders))
		}
		for range maxSenders + 10 {
			hear()
		}
		if len(s.senders) > maxSenders {
			t.Errorf("%d senders are remembered", len(s.senders))
		}
	})
}

func TestKeysOfAClusterAreChecked(t *testing.T) {
	if _, err := newSealer(newID(), testKeys(slices.Repeat([]string{"k"}, maxKeys)...)); err != nil {
		t.Error(err)
	}
	for name, keys := range map[string][][]byte{"none": nil, "a short one": {[]byte("short")}, "too many": testKeys(slices.Repeat([]string{"k"}, maxKeys+1)...)} {
		if _, err := Connect(Options{Cluster: "test", URLs: []string{"nats://127.0.0.1:1"}, Keys: keys}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Another program with full access to NATS reads nothing of what nodes send, and what it
// sends, or sends again, has no effect.
func TestStrangersOnNATSHaveNoEffect(t *testing.T) {
	url := startNATS(t, server.Options{}).ClientURL()
	urls := []string{url}
	a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	stranger, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stranger.Close)
	seen := make(chan *nats.Msg, 1_000)
	if _, err := stranger.ChanSubscribe(">", seen); err != nil {
		t.Fatal(err)
	}
	if err := stranger.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	topic := mcphttp.SessionTopic{Hash: string(bytes.Repeat([]byte("a"), sessionKeySize))}
	events := b.hear(topic)
	const secret = "notes://secret"
	a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventSubscribed, URI: secret})
	if got := events.next(); got.URI != secret {
		t.Fatalf("the event: %+v", got)
	}
	subject, _ := a.subjects.session(topic)
	var captured *nats.Msg
	for deadline := time.After(testTime); captured == nil; {
		select {
		case m := <-seen:
			if bytes.Contains(m.Data, []byte("notes")) || bytes.Contains(m.Data, []byte("{")) && bytes.Contains(m.Data, []byte(`"node"`)) {
				t.Errorf("%s can be read: %q", m.Subject, m.Data)
			}
			if m.Subject == subject {
				captured = m
			}
		case <-deadline:
			t.Fatal("timeout: the stranger sees the event")
		}
	}
	forged := encode(mcphttp.SessionEvent{Kind: mcphttp.EventEnded})
	before := b.Stats().Foreign
	for _, payload := range [][]byte{captured.Data, forged, nil, testSealer(t, "other").seal(nil, subject, "", forged)} {
		if err := stranger.Publish(subject, payload); err != nil {
			t.Fatal(err)
		}
	}
	if err := stranger.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventLevel, LogLevel: "error"})
	if got := events.next(); got.Kind != mcphttp.EventLevel {
		t.Errorf("an event of the stranger has an effect: %+v", got)
	}
	if got := b.Stats().Foreign - before; got != 4 {
		t.Errorf("%d messages were ignored, want 4", got)
	}
	// Nor does a last heartbeat in the name of a node, or the end of a page.
	bye := a.heartbeat()
	bye.Node, bye.Bye = a.id, true
	if err := stranger.Publish(a.subjects.heartbeat(), encode(bye)); err != nil {
		t.Fatal(err)
	}
	if err := stranger.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both nodes know each other", "1 1", func() string {
		counts := []int{a.Stats().Members, b.Stats().Members}
		if slices.Equal(counts, []int{1, 1}) {
			return "1 1"
		}
		return "other"
	})
}

func BenchmarkSeal(b *testing.B) {
	a, z := testSealer(b, "k1"), testSealer(b, "k1")
	payload := bytes.Repeat([]byte("x"), 1_024)
	var sealed []byte
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		sealed = a.seal(sealed[:0], "pagemcp.1.test.n.aaaaaaaaaaaaaaaa.l.bbbbbbbbbbbbbbbb", "", payload)
		if _, _, _, err := z.open("pagemcp.1.test.n.aaaaaaaaaaaaaaaa.l.bbbbbbbbbbbbbbbb", "", sealed); err != nil {
			b.Fatal(err)
		}
	}
}

// Another program neither opens a link to a page, nor ends one, nor adds a frame to it.
func TestStrangersOnNATSHaveNoLinks(t *testing.T) {
	url := startNATS(t, server.Options{}).ClientURL()
	a, b := joined(t, Options{URLs: []string{url}}), joined(t, Options{URLs: []string{url}})
	served := make(chan string, 8)
	b.links.serve = func(_, page string, _ int64) (func(context.Context, jsonrpc.Port), error) {
		served <- page
		return echo, nil
	}
	stranger, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stranger.Close)
	frames := make(chan *nats.Msg, 100)
	if _, err := stranger.ChanSubscribe(a.subjects.link("*", "*"), frames); err != nil {
		t.Fatal(err)
	}
	if err := stranger.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	l := a.links.dialTest(t, b.links)
	exchange := func(text string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		defer cancel()
		if err := l.Write(ctx, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := l.Read(ctx); string(got) != text || err != nil {
			t.Fatalf("%q, %v; %v", got, err, l.why())
		}
	}
	exchange("one")
	<-served
	before := b.Stats().Foreign + a.Stats().Foreign
	sent := int64(0)
	send := func(subject, reply string, payload []byte) {
		t.Helper()
		sent++
		if err := stranger.PublishRequest(subject, reply, payload); err != nil {
			t.Fatal(err)
		}
	}
	for directions := map[string]bool{}; len(directions) < 2; {
		var m *nats.Msg
		select {
		case m = <-frames:
		case <-time.After(testTime):
			t.Fatal("timeout: the stranger sees frames of both directions")
		}
		if m.Reply == "" {
			continue
		}
		directions[m.Subject] = true
		send(m.Subject, m.Reply, m.Data)
		send(m.Subject, m.Reply, appendFrame(nil, frame{linkVersion, kindEnd, 2, nil}))
		send(m.Subject, m.Reply, appendFrame(nil, frame{noVersion, kindEnd, 0, []byte("absent")}))
		send(m.Subject, m.Reply, appendFrame(nil, frame{linkVersion, kindData, 3, []byte("forged")}))
	}
	send(b.subjects.control(b.id), a.subjects.link(newID(), newID()), encode(control{Node: a.id, Open: &opening{Owner: testOwner, Page: testPage, Epoch: 1, Versions: []byte{linkVersion}}}))
	if err := stranger.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	exchange("two")
	eventually(t, "all messages of the stranger are ignored", "true", func() string { return fmt.Sprint(a.Stats().Foreign+b.Stats().Foreign-before == sent) })
	if len(served) > 0 || sent < 9 {
		t.Errorf("%d links were opened by %d messages", len(served), sent)
	}
}

// That no node has the stream of a session is known from the nodes: what NATS says of subscribers
// can be forged.
func TestNodesSayWhoHasAStream(t *testing.T) {
	url := startNATS(t, server.Options{}).ClientURL()
	a, b := joined(t, Options{URLs: []string{url}}), joined(t, Options{URLs: []string{url}})
	topic := func(letter string) mcphttp.SessionTopic {
		return mcphttp.SessionTopic{Hash: strings.Repeat(letter, sessionKeySize), Stream: true}
	}
	stop := b.SessionEvents().Subscribe(topic("a"), func(_ mcphttp.SessionEvent, done func()) { done() })
	none := func(letter string) bool {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		defer cancel()
		subject, _ := a.subjects.session(topic(letter))
		return a.directory.noneHas(ctx, subject)
	}
	eventually(t, "the nodes know each other and answer", "true", func() string { return fmt.Sprint(a.Stats().Members == 1 && none("b")) })
	if none("a") {
		t.Error("the stream of the other node does not count")
	}
	stop()
	eventually(t, "the stream has ended", "true", func() string { return fmt.Sprint(none("a")) })
}
