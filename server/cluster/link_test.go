package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

var (
	testOwner = strings.Repeat("o", keySize)
	testPage  = strings.Repeat("p", keySize)
)

func (s *links) dialTest(t testing.TB, to *links) *link {
	t.Helper()
	for began := time.Now(); ; {
		p, err := s.dial(t.Context(), to.node, opening{Owner: testOwner, Page: testPage, Epoch: 1})
		if err == nil {
			return p.(*link)
		}
		// NATS may take longer than dialTime on a loaded machine.
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > testTime {
			t.Fatal(err)
		}
	}
}

// linked returns two nodes, and both ends of a link between them.
func linked(t *testing.T, n *network) (a, b *links, near, far *link) {
	t.Helper()
	served := make(chan jsonrpc.Port, 1)
	a = n.node(t, nil)
	b = n.node(t, func(_ string, p jsonrpc.Port) {
		served <- p
		<-p.(*link).done
	})
	near = a.dialTest(t, b)
	return a, b, near, (<-served).(*link)
}

// message returns size bytes, at most 16 MiB, that depend on the seed.
func message(seed, size int) []byte {
	msg := make([]byte, 0, size+4)
	for i := 0; len(msg) < size; i++ {
		msg = binary.LittleEndian.AppendUint32(msg, uint32(seed<<22+i))
	}
	return msg[:size]
}

func wantEnd(t *testing.T, l *link, reason error) {
	t.Helper()
	synctest.Wait()
	if err := l.why(); !errors.Is(err, reason) {
		t.Errorf("the link ended by %v, want %v", err, reason)
	}
}

// Messages of all sizes arrive whole and in order, in both directions at a time.
func TestLinkCarriesMessagesInOrder(t *testing.T) {
	sizes := []int{0, 1, 2, 100, 4096, maxChunk - 1, maxChunk, maxChunk + 1, window - 1, window, window + 1, 2*window + 17, maxMessage - 1, maxMessage}
	synctest.Test(t, func(t *testing.T) {
		_, _, near, far := linked(t, newNetwork())
		for seed, pair := range [][2]*link{{near, far}, {far, near}} {
			go func() {
				for i, size := range sizes {
					if err := pair[0].Write(t.Context(), message(seed+i, size)); err != nil {
						t.Errorf("write of %d bytes: %v; %v", size, err, pair[0].why())
						return
					}
				}
			}()
		}
		for seed, to := range []*link{far, near} {
			for i, size := range sizes {
				msg, err := to.Read(t.Context())
				if err != nil {
					synctest.Wait()
					t.Fatalf("read of %d bytes: %v; %v", size, err, to.why())
				}
				if !bytes.Equal(msg, message(seed+i, size)) {
					t.Errorf("a message of %d bytes arrived as one of %d", size, len(msg))
				}
			}
		}
		if got := near.links.unread.Load(); got != 0 {
			t.Errorf("%d bytes count as unread", got)
		}
	})
}

// Many goroutines write to one link: the chunks of their messages do not mix.
func TestLinkIsSafeForConcurrentWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, near, far := linked(t, newNetwork())
		const writers, each = 8, 20
		for seed := range writers {
			go func() {
				for i := range each {
					if err := near.Write(t.Context(), append([]byte{byte(seed), byte(i)}, message(seed, i*50_000)...)); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		var next [writers]byte
		for range writers * each {
			msg, err := far.Read(t.Context())
			if err != nil {
				t.Fatalf("%v: %v", err, far.why())
			}
			seed, i := msg[0], msg[1]
			if i != next[seed] || !bytes.Equal(msg[2:], message(int(seed), int(i)*50_000)) {
				t.Fatalf("message %d of writer %d, want %d", i, seed, next[seed])
			}
			next[seed]++
		}
	})
}

func TestLinkRejectsTooLargeMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, near, far := linked(t, newNetwork())
		if err := near.Write(t.Context(), make([]byte, maxMessage+1)); !errors.Is(err, engine.ErrTooLarge) {
			t.Errorf("write: %v", err)
		}
		near.Write(t.Context(), []byte("next"))
		if msg, err := far.Read(t.Context()); string(msg) != "next" {
			t.Errorf("the message after it: %q, %v", msg, err)
		}
	})
}

// What was written before Close is read, then io.EOF; both ends are gone from both nodes.
func TestLinkClosesAfterItsLastMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, near, far := linked(t, newNetwork())
		near.Write(t.Context(), []byte("last"))
		near.Close()
		near.Close()
		if msg, err := far.Read(t.Context()); string(msg) != "last" {
			t.Errorf("read: %q, %v", msg, err)
		}
		if _, err := far.Read(t.Context()); err != io.EOF {
			t.Errorf("read after the last message: %v", err)
		}
		if _, err := near.Read(t.Context()); err != io.EOF {
			t.Errorf("read of the closed end: %v", err)
		}
		for _, l := range []*link{near, far} {
			if err := l.Write(t.Context(), []byte("x")); err != jsonrpc.ErrClosed {
				t.Errorf("write: %v", err)
			}
		}
		synctest.Wait()
		for _, s := range []*links{a, b} {
			if links, peers := s.count(); links != 0 || peers != 0 || len(s.ofPage) != 0 {
				t.Errorf("%d links, %d peers and %d pages remain", links, peers, len(s.ofPage))
			}
		}
	})
}

// nthFrame drops the nth frame of a kind.
func nthFrame(k kind, nth int) func(to, subject string, payload []byte) bool {
	return func(_, subject string, payload []byte) bool {
		if !strings.Contains(subject, ".l.") || kind(payload[1]) != k {
			return false
		}
		nth--
		return nth == 0
	}
}

// A lost frame of any kind ends the link on both ends, and no wrong or incomplete message
// is read.
func TestLostFrameEndsLink(t *testing.T) {
	for _, test := range []struct {
		name string
		kind kind
		nth  int
	}{
		{"a message", kindData, 2}, {"the last message", kindData, 3}, {"a chunk", kindMore, 2}, {"an acknowledgement", kindAck, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				_, _, near, far := linked(t, n)
				n.mu.Lock()
				n.drops = nthFrame(test.kind, test.nth)
				n.mu.Unlock()
				go func() {
					for i := range 3 {
						near.Write(t.Context(), message(i, 3*maxChunk))
					}
				}()
				began := time.Now()
				for i := 0; ; i++ {
					msg, err := far.Read(t.Context())
					if err == io.EOF {
						break
					}
					if !bytes.Equal(msg, message(i, 3*maxChunk)) {
						t.Errorf("message %d is wrong", i)
					}
				}
				if waited := time.Since(began); waited > 2*probeAfter {
					t.Errorf("the loss was found after %v", waited)
				}
				synctest.Wait()
				for _, l := range []*link{near, far} {
					if err := l.why(); !errors.Is(err, errGap) && !errors.Is(err, errPeerClosed) {
						t.Errorf("the link ended by %v", err)
					}
				}
			})
		})
	}
}

// The other node accepts, but its answer is lost: the dialler fails in time, and the
// accepted end does not remain.
func TestLostAnswerLeavesNoLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.drops = nthFrame(kindAccept, 1)
		a := n.node(t, nil)
		b := n.node(t, func(_ string, p jsonrpc.Port) { <-p.(*link).done })
		began := time.Now()
		if _, err := a.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testPage}); !errors.Is(err, errGap) {
			t.Errorf("dial: %v", err)
		}
		if waited := time.Since(began); waited > dialTime {
			t.Errorf("dial took %v", waited)
		}
		time.Sleep(confirmTime)
		synctest.Wait()
		if links, _ := b.count(); links != 0 {
			t.Errorf("%d links remain", links)
		}
	})
}

// A node stops without closing anything. Its peer finds that out by the missing pings, not
// before.
func TestFrozenPeerEndsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a, b, near, _ := linked(t, n)
		other := n.node(t, func(_ string, p jsonrpc.Port) { <-p.(*link).done })
		kept := a.dialTest(t, other)
		for range 10 { // both are alive
			time.Sleep(pingEvery)
			a.tick()
			b.tick()
			other.tick()
		}
		synctest.Wait()
		if near.why() != nil {
			t.Fatalf("an idle link ended: %v", near.why())
		}
		n.freeze(b.node)
		for range 4 {
			time.Sleep(pingEvery)
			a.tick()
			other.tick()
		}
		synctest.Wait()
		if near.why() != nil {
			t.Errorf("the link ended early: %v", near.why())
		}
		time.Sleep(pingEvery)
		a.tick()
		wantEnd(t, near, errSilent)
		if kept.why() != nil {
			t.Errorf("a link with another node ended: %v", kept.why())
		}
	})
}

// NATS answers a frame without a receiver: the link ends at once.
func TestNoReceiverEndsLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a, b, near, _ := linked(t, n)
		n.remove(b.node)
		near.Write(t.Context(), []byte("x"))
		wantEnd(t, near, errNoReceiver)
		began := time.Now()
		if _, err := a.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testPage}); !errors.Is(err, errNoReceiver) || time.Since(began) != 0 {
			t.Errorf("dial of a node that is gone: %v after %v", err, time.Since(began))
		}
	})
}

// A reader that stops blocks the writers of its link within the window, and no other link
// of the same nodes; after windowWait its link ends.
func TestSlowReaderBlocksItsLinkOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		served := make(chan jsonrpc.Port, 2)
		a := n.node(t, nil)
		b := n.node(t, func(_ string, p jsonrpc.Port) {
			served <- p
			<-p.(*link).done
		})
		slow := a.dialTest(t, b)
		<-served
		quick := a.dialTest(t, b)
		quickFar := <-served
		written, blocked := 0, make(chan error, 1)
		go func() {
			for {
				if err := slow.Write(t.Context(), message(0, 1000)); err != nil {
					blocked <- err
					return
				}
				written++
			}
		}()
		synctest.Wait()
		if limit := window / (1000 + headerSize); written != limit {
			t.Errorf("%d messages were written, want %d", written, limit)
		}
		if unread := b.unread.Load(); unread > window {
			t.Errorf("the reader's node keeps %d bytes", unread)
		}
		for i := range 5 {
			quick.Write(t.Context(), message(i, maxMessage))
			if msg, err := quickFar.Read(t.Context()); !bytes.Equal(msg, message(i, maxMessage)) {
				t.Fatalf("the other link: %d bytes, %v", len(msg), err)
			}
		}
		began := time.Now()
		if err := <-blocked; err != jsonrpc.ErrClosed || time.Since(began) != windowWait {
			t.Errorf("write to a slow reader: %v after %v", err, time.Since(began))
		}
		wantEnd(t, slow, errSlow)
		if b.unread.Load() != 0 {
			t.Errorf("%d bytes count as unread", b.unread.Load())
		}
	})
}

// Messages of the maximal size that are not read: at most one and a window are kept.
func TestUnreadMessagesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b, near, far := linked(t, newNetwork())
		go func() {
			for near.Write(t.Context(), message(1, maxMessage)) == nil {
			}
		}()
		synctest.Wait()
		if unread := b.unread.Load(); unread > maxMessage+window {
			t.Errorf("%d bytes are kept", unread)
		}
		for range 3 {
			if msg, err := far.Read(t.Context()); len(msg) != maxMessage {
				t.Fatalf("%d bytes, %v", len(msg), err)
			}
			synctest.Wait()
			if unread := b.unread.Load(); unread > maxMessage+window {
				t.Errorf("%d bytes are kept", unread)
			}
		}
	})
}

// A write that is given up between two chunks would leave half a message: the link ends.
func TestCancelledWriteEndsLinkWithinMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, near, far := linked(t, newNetwork())
		ctx, cancel := context.WithCancel(t.Context())
		near.Write(ctx, message(0, maxChunk)) // not read: the next message does not fit
		result := make(chan error, 1)
		go func() { result <- near.Write(ctx, message(0, 2*window)) }()
		synctest.Wait()
		cancel()
		if err := <-result; err != context.Canceled {
			t.Errorf("write: %v", err)
		}
		wantEnd(t, near, context.Canceled)
		if msg, err := far.Read(t.Context()); len(msg) != maxChunk {
			t.Errorf("the message before: %d bytes, %v", len(msg), err)
		}
		if _, err := far.Read(t.Context()); err != io.EOF {
			t.Errorf("read: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // before the first chunk it is harmless
		_, _, near, far := linked(t, newNetwork())
		for range 3 {
			near.Write(t.Context(), message(0, maxChunk))
		}
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- near.Write(ctx, message(0, maxChunk)) }()
		synctest.Wait()
		cancel()
		if err := <-result; err != context.Canceled {
			t.Errorf("write: %v", err)
		}
		for range 3 {
			far.Read(t.Context())
		}
		near.Write(t.Context(), []byte("next"))
		if msg, err := far.Read(t.Context()); string(msg) != "next" {
			t.Errorf("the message after it: %q, %v", msg, err)
		}
	})
}

// The highest common version is taken; without one the dialler gets an error.
func TestVersionsOfLinks(t *testing.T) {
	for _, test := range []struct {
		near, far []byte
		want      byte
	}{
		{[]byte{1}, []byte{1}, 1}, {[]byte{1, 2}, []byte{1}, 1}, {[]byte{1, 2}, []byte{3, 2, 1}, 2}, {[]byte{2}, []byte{1}, 0}, {nil, []byte{1}, 0}, {[]byte{0}, []byte{0}, 0},
	} {
		t.Run(fmt.Sprint(test.near, test.far), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				a := n.node(t, nil)
				b := n.node(t, func(_ string, p jsonrpc.Port) { p.Write(t.Context(), []byte("hello")) })
				a.versions, b.versions = test.near, test.far
				p, err := a.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testPage})
				if test.want == 0 {
					if !errors.Is(err, errLinkVersion) {
						t.Errorf("dial: %v", err)
					}
					return
				}
				if err != nil || p.(*link).version != test.want {
					t.Fatalf("dial: %v", err)
				}
				if msg, err := p.Read(t.Context()); string(msg) != "hello" {
					t.Errorf("read: %q, %v", msg, err)
				}
			})
		})
	}
}

// A page that is served and closed before the dialler looks was reached all the same.
func TestDialOfLinkThatHasEnded(t *testing.T) {
	for range 20 { // select chooses among what is ready at random
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork()
			a := n.node(t, nil)
			b := n.node(t, func(_ string, p jsonrpc.Port) { p.Write(t.Context(), []byte("hello")) })
			a.carrier = &settlingCarrier{carrier: a.carrier}
			p, err := a.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testPage})
			if err != nil {
				t.Fatalf("dial: %v", err)
			}
			if msg, err := p.Read(t.Context()); string(msg) != "hello" {
				t.Errorf("read: %q, %v", msg, err)
			}
		})
	}
}

// A settlingCarrier returns from its first Publish when all that this causes is over.
type settlingCarrier struct {
	carrier
	used atomic.Bool
}

func (c *settlingCarrier) Publish(subject, reply string, payload []byte) error {
	isFirst := c.used.CompareAndSwap(false, true)
	err := c.carrier.Publish(subject, reply, payload)
	if isFirst {
		synctest.Wait()
	}
	return err
}

func TestDialIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a, b := n.node(t, nil), n.node(t, nil)
		for _, refusal := range []error{errAbsent, errMoved, errBusy} {
			b.serve = func(string, string, int64) (func(context.Context, jsonrpc.Port), error) { return nil, refusal }
			if _, err := a.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testPage}); !errors.Is(err, refusal) {
				t.Errorf("dial: %v, want %v", err, refusal)
			}
		}
		for _, node := range []string{"", "*", ">", a.node, b.node + ".x", strings.Repeat("A", idSize)} {
			if _, err := a.dial(t.Context(), node, opening{}); !errors.Is(err, errAbsent) {
				t.Errorf("dial of %q: %v", node, err)
			}
		}
		n.mu.Lock()
		n.away = true
		n.mu.Unlock()
		if _, err := a.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testPage}); !errors.Is(err, errAwayInTest) {
			t.Errorf("dial without a network: %v", err)
		}
		if links, peers := a.count(); links != 0 || peers != 0 {
			t.Errorf("%d links and %d peers remain", links, peers)
		}
	})
}

// Frames that break the rules of a link end it; those of others do not.
func TestBrokenFramesEndLink(t *testing.T) {
	next := uint64(1) // number of the frame: the opener has sent none
	ok := func(k kind, payload string) []byte { return appendFrame(nil, frame{1, k, next, []byte(payload)}) }
	for _, test := range []struct {
		name    string
		payload []byte
		foreign bool
		want    error // nil: the link goes on
	}{
		{"empty", nil, false, errFrame},
		{"short", ok(kindData, "")[:11], false, errFrame},
		{"another version", appendFrame(nil, frame{2, kindData, next, nil}), false, errVersion},
		{"no version", appendFrame(nil, frame{0, kindData, next, nil}), false, errVersion},
		{"kind 0", ok(0, ""), false, errFrame},
		{"an unknown kind", ok(kinds, ""), false, errFrame},
		{"number 0", appendFrame(nil, frame{1, kindData, 0, nil}), false, errFrame},
		{"a later number", appendFrame(nil, frame{1, kindData, next + 1, nil}), false, errGap},
		{"accepted again", ok(kindAccept, ""), false, errFrame},
		{"a short acknowledgement", ok(kindAck, "1"), false, errFrame},
		{"an acknowledgement of more than was sent", ok(kindAck, string(binary.BigEndian.AppendUint64(nil, 1<<40))), false, errFrame},
		{"a ping with a payload", ok(kindPing, "x"), false, errFrame},
		{"an empty chunk", ok(kindMore, ""), false, errFrame},
		{"a chunk above the window", ok(kindMore, string(make([]byte, window))), false, errWindow},
		{"flags", []byte{1, byte(kindPing), 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, false, errFrame},
		{"an end", ok(kindEnd, ""), false, errPeerClosed},
		{"a refusal", appendFrame(nil, frame{noVersion, kindEnd, 0, []byte("absent")}), false, errPeerClosed},
		{"garbage of another node", []byte("garbage of another node"), true, nil},
		{"a valid frame of another node", ok(kindData, "foreign"), true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, b, near, far := linked(t, newNetwork())
				reply := b.subjects.link(near.links.node, near.id)
				if test.foreign {
					reply = b.subjects.link(newID(), newID())
				}
				b.deliver(b.subjects.link(b.node, far.id), reply, test.payload, false)
				wantEnd(t, far, test.want)
				if test.want != nil {
					return
				}
				near.Write(t.Context(), []byte("own"))
				if msg, err := far.Read(t.Context()); string(msg) != "own" {
					t.Errorf("read: %q, %v", msg, err)
				}
			})
		})
	}
}

// Frames for links that do not exist are answered by a refusal, except refusals: two nodes
// do not exchange them without end.
func TestFramesOfUnknownLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		_, b, near, far := linked(t, n)
		frames := 0
		n.mu.Lock()
		n.drops = func(string, string, []byte) bool { frames++; return false }
		n.mu.Unlock()
		b.remove(far)                        // as after a restart
		near.Write(t.Context(), []byte("x")) // one frame, and one refusal
		wantEnd(t, near, errPeerClosed)
		if frames != 2 {
			t.Errorf("%d frames were sent", frames)
		}
		b.deliver(b.subjects.link(b.node, newID()), "nowhere", []byte("x"), false)
		b.deliver("pagemcp.1.test.n.>", near.id, []byte("x"), false)
		synctest.Wait()
		if frames != 2 {
			t.Errorf("%d frames were sent", frames)
		}
		far.end(errClosed)
	})
}

// The numbers of links have limits, and links that have ended do not count.
func TestNumberOfLinksIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a := n.node(t, nil)
		b := n.node(t, func(_ string, p jsonrpc.Port) { <-p.(*link).done })
		var last *link
		for range maxOfPage {
			last = a.dialTest(t, b)
		}
		ask := opening{Owner: testOwner, Page: testPage}
		if _, err := a.dial(t.Context(), b.node, ask); !errors.Is(err, errBusy) {
			t.Errorf("one link more: %v", err)
		}
		last.Close()
		synctest.Wait()
		a.dialTest(t, b)
	})
}

// All that a link has started ends with it; synctest fails if a goroutine remains.
func TestLinksLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a := n.node(t, nil)
		b := n.node(t, func(_ string, p jsonrpc.Port) {
			for {
				msg, err := p.Read(context.Background())
				if err != nil {
					return
				}
				p.Write(context.Background(), msg)
			}
		})
		for i := range 100 {
			l := a.dialTest(t, b)
			l.Write(t.Context(), message(i, i*10_000))
			if i%2 == 0 {
				l.Read(t.Context())
			}
			l.Close()
		}
		synctest.Wait()
		for _, s := range []*links{a, b} {
			if links, peers := s.count(); links != 0 || peers != 0 || s.unread.Load() != 0 {
				t.Errorf("%d links, %d peers, %d unread bytes remain", links, peers, s.unread.Load())
			}
		}
	})
}

// A call that finds the link ended by another goroutine returns when the link is out of the
// table, too: Disconnected is called once the table has no link left.
func TestEndWaitsForEndByAnother(t *testing.T) {
	n := newNetwork()
	a, b := n.node(t, nil), n.node(t, func(_ string, p jsonrpc.Port) { <-p.(*link).done })
	l := a.dialTest(t, b)
	first, second := make(chan struct{}), make(chan struct{})
	a.mu.Lock()
	go func() { defer close(first); l.end(errAway) }()
	for l.why() == nil { // it waits for the lock then
		runtime.Gosched()
	}
	go func() { defer close(second); l.end(errAway) }()
	select {
	case <-second:
		t.Error("it has returned while the link was in the table")
	case <-time.After(20 * time.Millisecond):
	}
	a.mu.Unlock()
	<-first
	<-second
}
