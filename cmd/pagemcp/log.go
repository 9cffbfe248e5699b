package main

import (
	"bytes"
	"io"
	"log/slog"
)

// level returns the least level of events in the log.
func (s *settings) level() (level slog.Level) {
	level.UnmarshalText([]byte(s.logLevel)) // was checked
	return level
}

// logger returns the logger of a command. The format text is for a terminal: one line per event,
// without time, and without the level if it is Info. json is for programs.
func (s *settings) logger(std streams) *slog.Logger {
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(std.err, &slog.HandlerOptions{Level: s.level()}))
	}
	return slog.New(slog.NewTextHandler(plainBackslashes{std.err}, &slog.HandlerOptions{Level: s.level(),
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Equal(slog.Any(slog.LevelKey, slog.LevelInfo)) {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// plainBackslashes writes lines of a slog.TextHandler, with one backslash for each in a path of Windows.
type plainBackslashes struct{ io.Writer }

// Write implements io.Writer.
func (w plainBackslashes) Write(line []byte) (int, error) {
	_, err := w.Writer.Write(bytes.ReplaceAll(line, []byte(`\\`), []byte(`\`)))
	return len(line), err
}
