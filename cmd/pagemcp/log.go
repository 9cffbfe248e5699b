package main

import (
	"io"
	"log/slog"
)

// newLogger returns a logger for a terminal: one line per event, without time, and
// without the level if it is Info.
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
