package main

import (
	"io"
	"log/slog"
)

// newLogger writes what the gateway logs to a terminal: one line each, without time, and
// with the level only of what went wrong.
func newLogger(out io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Equal(slog.Any(slog.LevelKey, slog.LevelInfo)) {
				return slog.Attr{}
			}
			return a
		},
	}))
}
