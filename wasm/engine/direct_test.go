package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A panic of the function that receives costs one message: later requests are answered.
func TestPanicOfAReceiverCostsOneMessage(t *testing.T) {
	var reported []error
	e := New(Info{Name: "test", Version: "1"}, &Options{Report: func(err error) { reported = append(reported, err) }})
	var received []string
	d := e.Direct(t.Context(), func(msg []byte) {
		received = append(received, string(msg))
		if len(received) == 1 {
			panic("a defect")
		}
	})
	defer d.Close()
	for _, id := range []string{"1", "2"} {
		d.Send(e.Examine([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)))
	}
	if len(received) != 2 || !strings.Contains(received[1], `"id":2,"result"`) || len(reported) != 1 || !errors.Is(reported[0], jsonrpc.ErrPanic) {
		t.Errorf("received %q, reported %v", received, reported)
	}
}
