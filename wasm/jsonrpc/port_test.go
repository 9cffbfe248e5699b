package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

func TestPipeDeliversTheLastWordBeforeTheEnd(t *testing.T) {
	ctx := t.Context()
	near, far := jsonrpc.Pipe()
	if err := near.Write(ctx, []byte("last")); err != nil {
		t.Fatal(err)
	}
	near.Close()
	if msg, err := far.Read(ctx); string(msg) != "last" || err != nil {
		t.Errorf("read %q, %v", msg, err)
	}
	if _, err := far.Read(ctx); err != io.EOF {
		t.Errorf("after the end: %v, want EOF", err)
	}
	if err := far.Write(ctx, []byte("x")); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("write after the end: %v", err)
	}
}

func TestPipeEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := jsonrpc.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := near.Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("read: %v", err)
		}
		for err := error(nil); err == nil; { // until the pipe is full
			err = near.Write(ctx, []byte("x"))
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("write: %v", err)
			}
		}
	})
}

// MCP 2026-07-28, basic/transports/stdio. R-330: a line that
// is too long, or nonsense, is not the end; a byte order mark at the beginning is skipped.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", jsonrpc.MaxLine)
	in := "\ufeff{\"a\":1}\r\n\n  \n" + long + "x\n" + long + "\nlast without a line break"
	var out bytes.Buffer
	port := jsonrpc.Lines(strings.NewReader(in), &out)
	for i, want := range []string{`{"a":1}`, "too large", long, "last without a line break", "EOF"} {
		msg, err := port.Read(t.Context())
		got := string(msg)
		switch {
		case errors.Is(err, jsonrpc.ErrTooLarge):
			got = "too large"
		case err != nil:
			got = err.Error()
		}
		if got != want {
			t.Errorf("message %d is %.40q (%d bytes), want %.40q", i, got, len(got), want)
		}
	}
	for _, msg := range []string{`{"text":"a\nb"}`, "{\n  \"n\": 1.50,\r\n  \"t\": \"\\u0061\"\n}"} {
		if err := port.Write(t.Context(), []byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	if want := "{\"text\":\"a\\nb\"}\n{\"n\":1.50,\"t\":\"\\u0061\"}\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
	port.Close()
	if err := port.Write(t.Context(), []byte("{}")); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("write after Close: %v", err)
	}
}

func TestConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		near, far := jsonrpc.Pipe()
		var received []string
		conn := jsonrpc.NewConn(near, func(msg jsonrpc.Message) { received = append(received, msg.Method) })
		ended := make(chan error, 1)
		go func() { ended <- conn.Run(ctx) }()
		peer := func(want, answer string) {
			t.Helper()
			if msg, err := far.Read(ctx); string(msg) != want || err != nil {
				t.Errorf("the peer got %s, %v; want %s", msg, err, want)
			}
			if answer != "" {
				far.Write(ctx, []byte(answer))
			}
			synctest.Wait()
		}
		go func() {
			peer(`{"jsonrpc":"2.0","id":1,"method":"one","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{"x":1}}`)
			peer(`{"jsonrpc":"2.0","id":2,"method":"two","params":{}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}`)
			peer(`{"jsonrpc":"2.0","id":3,"method":"three","params":{}}`, `{"jsonrpc":"2.0","method":"note"}`)
		}()
		if result, err := conn.Call(ctx, "one", []byte(`{}`)); string(result) != `{"x":1}` || err != nil {
			t.Errorf("one: %s, %v", result, err)
		}
		var refusal *jsonrpc.Error
		if _, err := conn.Call(ctx, "two", []byte(`{}`)); !errors.As(err, &refusal) || refusal.Code != 5 {
			t.Errorf("two: %v", err)
		}

		// A call that is given up is cancelled, and its late answer ignored.
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := conn.Call(short, "three", []byte(`{}`)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("three: %v", err)
		}
		peer(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`)
		if len(received) != 1 || received[0] != "note" {
			t.Errorf("received %v", received)
		}

		// Requests of the peer are refused, and the end fails what waits.
		far.Write(ctx, []byte(`{"jsonrpc":"2.0","id":"p","method":"sampling/createMessage"}`))
		peer(`{"jsonrpc":"2.0","id":"p","error":{"code":-32601,"message":"this side takes no requests"}}`, "")
		pending, err := conn.Begin(ctx, "four", func(*jsonrpc.Pending) []byte { return []byte(`{}`) })
		if err != nil {
			t.Fatal(err)
		}
		far.Close()
		<-pending.Done()
		if _, err := pending.Answer(); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("four: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if _, err := conn.Call(ctx, "five", []byte(`{}`)); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("five: %v", err)
		}
	})
}

// A peer that sends nothing but broken messages is given up after 100 of them;
// some in between do no harm.
func TestConnClosesAfterBrokenMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := jsonrpc.Pipe()
		notified := 0
		conn := jsonrpc.NewConn(near, func(jsonrpc.Message) { notified++ })
		ended := make(chan error, 1)
		go func() { ended <- conn.Run(t.Context()) }()
		for range 5 {
			for range 99 {
				if err := far.Write(t.Context(), []byte(`{"jsonrpc":`)); err != nil {
					t.Fatal(err)
				}
			}
			far.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"x"}`))
		}
		synctest.Wait()
		if notified != 5 {
			t.Errorf("%d notifications arrived", notified)
		}
		sent := 0
		for ; sent < 1000; sent++ {
			if far.Write(t.Context(), []byte(`{"jsonrpc":`)) != nil {
				break
			}
			synctest.Wait()
		}
		if err := <-ended; err == nil || sent > 110 {
			t.Errorf("ended with %v after %d broken messages", err, sent)
		}
	})
}
