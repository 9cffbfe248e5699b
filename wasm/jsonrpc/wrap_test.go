package jsonrpc_test

import (
	"errors"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

type hostileError struct{}

func (hostileError) Error() string { panic("again") }

type named struct{}

func (named) String() string { return "a name" }

func TestPanickedHasTheTextOfWhatWasRecovered(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{"text", "panic: text"},
		{errors.New("an error"), "panic: an error"},
		{named{}, "panic: a name"},
		{7, "panic: a value without text"},
		{nil, "panic: a value without text"},
		{hostileError{}, "panic: a value without text"},
	} {
		err := jsonrpc.Panicked(test.value)
		if err.Error() != test.want || !errors.Is(err, jsonrpc.ErrPanic) {
			t.Errorf("%T: %v, want %s", test.value, err, test.want)
		}
	}
	wrapped := jsonrpc.Wrap("read x", jsonrpc.Panicked("text"))
	if wrapped.Error() != "read x: panic: text" || !errors.Is(wrapped, jsonrpc.ErrPanic) {
		t.Errorf("wrapped: %v", wrapped)
	}
}
