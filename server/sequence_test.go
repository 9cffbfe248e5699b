package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

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
		s := socket.New(far, limits.MaxAnswer, true)
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
		s := socket.New(far, limits.MaxAnswer, true)
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
			s := socket.New(far, limits.MaxAnswer, true)
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
		s := socket.New(far, limits.MaxAnswer, true)
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

// Each side may be older than the other: several messages are sent only to a page that
// has declared to read them.
func TestOlderPagesGetOneMessageInAFrame(t *testing.T) {
	for _, declares := range []bool{false, true} {
		t.Run(fmt.Sprint(declares), func(t *testing.T) {
			inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
				first, key := invited(t, g)
				conn, _, err := websocket.Dial(t.Context(), first.Address, &websocket.DialOptions{
					HTTPClient: client, HTTPHeader: http.Header{"Origin": {testOrigin}}, Subprotocols: []string{gateway.PageProtocol},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.CloseNow()
				answer := reply{Hello: &gateway.Hello{Page: "tab", Name: "notes"}, Sequences: declares}
				done, err := proveFor(t.Context(), conn, first, testOrigin, key, answer)
				if err != nil {
					t.Fatal(err)
				}
				if done.Sequences != declares {
					t.Errorf("the gateway answers %v to a page that says %v", done.Sequences, declares)
				}
			})
		})
	}
}
