package jsonrpc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A panickingPort panics when it is read.
type panickingPort struct{ jsonrpc.Port }

func (panickingPort) Read(context.Context) ([]byte, error) { panic("read") }

// A panic while something of the peer's is taken ends the connection and not the
// process: Run returns it, the port is closed, and what waits fails.
func TestPanicEndsConn(t *testing.T) {
	for name, wrap := range map[string]func(jsonrpc.Port) jsonrpc.Port{
		"notification": func(p jsonrpc.Port) jsonrpc.Port { return p },
		"read":         func(p jsonrpc.Port) jsonrpc.Port { return panickingPort{p} },
	} {
		synctest.Test(t, func(t *testing.T) {
			near, far := jsonrpc.Pipe()
			conn := jsonrpc.NewConn(wrap(near), func(jsonrpc.Message) { panic("notify") })
			called := make(chan error, 1)
			go func() {
				_, err := conn.Call(t.Context(), "x", []byte("{}"))
				called <- err
			}()
			synctest.Wait()
			far.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"y"}`))
			if err := conn.Run(t.Context()); !errors.Is(err, jsonrpc.ErrPanic) {
				t.Errorf("%s: Run returns %v", name, err)
			}
			if err := <-called; !errors.Is(err, jsonrpc.ErrClosed) {
				t.Errorf("%s: the call that waits returns %v", name, err)
			}
			if err := far.Write(t.Context(), []byte(`{}`)); !errors.Is(err, jsonrpc.ErrClosed) {
				t.Errorf("%s: the port is open: %v", name, err)
			}
			if _, err := conn.Call(t.Context(), "x", []byte("{}")); !errors.Is(err, jsonrpc.ErrClosed) {
				t.Errorf("%s: a later call returns %v", name, err)
			}
		})
	}
}
