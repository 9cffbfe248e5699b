package main

import (
	"io"
	"log/slog"
)

// newLogger returns a logger. The format text is for a terminal: one line per event,
// without time, and without the level if it is Info. json is for programs.
func newLogger(out io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(out, nil))
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Equal(slog.Any(slog.LevelKey, slog.LevelInfo)) {
				return slog.Attr{}
			}
			return a
		},
	}))
}
