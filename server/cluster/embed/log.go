//go:build embednats

package embed

import (
	"context"
	"fmt"
	"log/slog"
)

// A logger writes what the server says to the log of the program. The server calls its
// methods with locks held: they must not block, nor call it.
type logger struct {
	log   *slog.Logger
	fatal chan string // gets the first fatal error
}

func (l *logger) write(level slog.Level, format string, v []any) {
	l.log.Log(context.Background(), level, "NATS server: "+fmt.Sprintf(format, v...))
}

// Noticef logs a notice as debug: there are many.
func (l *logger) Noticef(format string, v ...any) { l.write(slog.LevelDebug, format, v) }

// Warnf logs a warning.
func (l *logger) Warnf(format string, v ...any) { l.write(slog.LevelWarn, format, v) }

// Errorf logs an error.
func (l *logger) Errorf(format string, v ...any) { l.write(slog.LevelError, format, v) }

// Fatalf logs an error after which the server cannot be used.
func (l *logger) Fatalf(format string, v ...any) {
	l.write(slog.LevelError, format, v)
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default:
	}
}

// Debugf logs nothing.
func (l *logger) Debugf(string, ...any) {}

// Tracef logs nothing: it would show messages.
func (l *logger) Tracef(string, ...any) {}
