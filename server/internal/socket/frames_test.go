package socket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

const testTime = time.Minute // for anything that a test waits for

// nextFrame returns the messages of the next text frame of a peer that reads sequences.
func nextFrame(t *testing.T, conn *websocket.Conn) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	_, frame, err := conn.Read(ctx)
	if err != nil {
		t.Fatalf("read a frame: %v", err)
	}
	return strings.Split(strings.TrimPrefix(string(frame), "\x1e"), "\x1e")
}

func writeText(t *testing.T, conn *websocket.Conn, frame string) {
	t.Helper()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		t.Fatal(err)
	}
}

// Messages that are written while the peer has not answered the last frame share the next one.
func TestMessagesForABusyPageShareAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := websocketPipe(t)
		s := New(far, limits.MaxAnswer, true)
		s.AllowSequences()
		began := time.Now()
		write := func(messages ...string) {
			for _, message := range messages {
				if err := s.Write(t.Context(), []byte(message)); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
		}
		write("1")
		if got := nextFrame(t, near); !slices.Equal(got, []string{"1"}) {
			t.Errorf("the first frame: %q", got)
		}
		write("2", "3", "4") // the peer has not answered: held
		writeText(t, near, "answer")
		if got := nextFrame(t, near); !slices.Equal(got, []string{"2", "3", "4"}) {
			t.Errorf("after the answer: %q", got)
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("an answered frame waited %v", waited)
		}
		write("5", "6") // no answer comes
		if got := nextFrame(t, near); !slices.Equal(got, []string{"5", "6"}) {
			t.Errorf("without an answer: %q", got)
		}
		if waited := time.Since(began); waited > 2*time.Millisecond {
			t.Errorf("without an answer messages waited %v", waited)
		}
		s.Abort()
		near.CloseNow()
		synctest.Wait()
	})
}

// A frame is no longer than 64 KiB and one message.
func TestFramesOfSeveralMessagesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := websocketPipe(t)
		s := New(far, limits.MaxAnswer, true)
		s.AllowSequences()
		if err := s.Write(t.Context(), []byte("first")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		near.SetReadLimit(-1)
		nextFrame(t, near)
		const each, count = 10 << 10, 30
		for range count {
			if err := s.Write(t.Context(), bytes.Repeat([]byte("x"), each)); err != nil {
				t.Fatal(err)
			}
		}
		got := 0
		for got < count {
			frame := nextFrame(t, near)
			if len(frame) > 7 {
				t.Errorf("a frame of %d messages of 10 KiB", len(frame))
			}
			got += len(frame)
		}
		s.Abort()
		near.CloseNow()
		synctest.Wait()
	})
}

// Messages of one frame are read one by one, each within the limits.
func TestMessagesOfAFrameAreReadOneByOne(t *testing.T) {
	cases := map[string]struct {
		allowed bool
		frame   string
		want    []string
	}{
		"several":               {true, "\x1ea\x1eb\x1ec", []string{"a", "b", "c"}},
		"one":                   {true, "\x1ea", []string{"a"}},
		"an empty one":          {true, "\x1ea\x1e\x1ec", []string{"a", "", "c"}},
		"only a separator":      {true, "\x1e", []string{""}},
		"none declared":         {false, "\x1ea\x1eb", []string{"\x1ea\x1eb"}},
		"a separator later on":  {true, "a\x1eb", []string{"a\x1eb"}},
		"a frame without any":   {true, "a", []string{"a"}},
		"letters of many bytes": {true, "\x1eä\x1e語", []string{"ä", "語"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			near, far := websocketPipe(t)
			s := New(far, limits.MaxAnswer, true)
			defer s.Abort()
			if c.allowed {
				s.AllowSequences()
			}
			writeText(t, near, c.frame)
			near.CloseNow()
			var got []string
			for {
				ctx, cancel := context.WithTimeout(t.Context(), testTime)
				message, err := s.Read(ctx)
				cancel()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(message))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A frame of nothing but separators, a byte for each message, costs no more than what is
// not read yet.
func TestFramesOfEmptyMessagesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := websocketPipe(t)
		s := New(far, limits.MaxAnswer, true)
		s.AllowSequences()
		frame := bytes.Repeat([]byte("\x1e"), 8<<20)
		before := heapInUse()
		go near.Write(t.Context(), websocket.MessageText, frame) // ends with the connection
		synctest.Wait()
		if grown := heapInUse() - before; grown > 32<<20 {
			t.Errorf("the heap grows by %.0f MiB", grown/(1<<20))
		}
		s.Abort()
		near.CloseNow()
		synctest.Wait()
	})
}

// A peer that sends frames of 8 MiB in a loop uses at most 16 MiB and the current frame
// while they are not read. Memory is measured while all goroutines are blocked, since a
// garbage collection also counts what is freed meanwhile.
func TestUnreadFramesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	const most = 16<<20 + limits.MaxAnswer
	frame := []byte(`{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`)
	synctest.Test(t, func(t *testing.T) {
		near, far := websocketPipe(t)
		s := New(far, limits.MaxAnswer, true)
		before := heapInUse()
		go func() { // ends with the connection
			for near.Write(t.Context(), websocket.MessageText, frame) == nil {
			}
		}()
		synctest.Wait()
		if grown := heapInUse() - before; grown > most {
			t.Errorf("while nothing reads the heap grows by %.0f MiB", grown/(1<<20))
		}
		s.Abort()
		near.CloseNow()
		synctest.Wait()
	})
}

// A large message waits with its writer while the peer does not read: the queue has 64 KiB of small
// ones. Of a page the queue has 16 MiB.
func TestUnreadMessagesWaitWithTheirWriter(t *testing.T) {
	for isPage, want := range map[bool]int{false: 1, true: 16} {
		synctest.Test(t, func(t *testing.T) {
			near, far := websocketPipe(t)
			s := New(far, limits.MaxAnswer, isPage)
			written := 0
			ended := make(chan error, 1)
			go func() {
				msg, err := bytes.Repeat([]byte("x"), 1<<20-messageCost), error(nil)
				for ; err == nil; written++ {
					err = s.Write(t.Context(), msg)
				}
				ended <- err
			}()
			synctest.Wait()
			if !isPage {
				s.Abort()
			}
			err := <-ended // of a page after limits.MaxDelay
			if written-1 != want || errors.Is(err, engine.ErrBusy) != isPage {
				t.Errorf("page %v: %d messages are written, then %v", isPage, written-1, err)
			}
			s.Abort()
			near.CloseNow()
			synctest.Wait()
		})
	}
}

// websocketPipe returns both ends of a WebSocket in memory.
func websocketPipe(t *testing.T) (near, far *websocket.Conn) {
	t.Helper()
	wires := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	accepted := make(chan *websocket.Conn, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := Accept(w, r)
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	})}
	go server.Serve(wires) // ends with Close
	t.Cleanup(func() { server.Close() })
	near, _, err := websocket.Dial(t.Context(), "ws://memory/", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: wires.dial}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return near, <-accepted
}

// heapInUse returns the bytes of live objects.
func heapInUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// A pipeListener accepts the ends of pipes.
type pipeListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	l.conns <- far
	return near, nil
}
