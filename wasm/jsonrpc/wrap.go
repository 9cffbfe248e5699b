package jsonrpc

import "errors"

// Package fmt, and package reflect with it, would be a tenth of the engine that every
// page loads. Errors are put together here and by strconv instead.

// ErrPanic is the cause of errors that [Panicked] returns. [Conn.Run] returns such an
// error after a panic.
var ErrPanic = errors.New("panic")

type wrapped struct {
	text  string
	cause error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.cause }

// Wrap returns an error that wraps err; its text is what, a colon, and that of err.
//
//go:noinline
func Wrap(what string, err error) error { return &wrapped{what + ": " + err.Error(), err} }

// Panicked returns an error that wraps [ErrPanic] and has the text of a recovered
// value, if that is an error, a string, or has a String method.
func Panicked(value any) error {
	return &wrapped{ErrPanic.Error() + ": " + textOf(value), ErrPanic}
}

func textOf(value any) (text string) {
	defer func() {
		if recover() != nil { // by its Error or String
			text = "a value without text"
		}
	}()
	switch v := value.(type) {
	case string:
		return v
	case error:
		return v.Error()
	case interface{ String() string }:
		return v.String()
	}
	return "a value without text"
}
