package hosted

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// A nodeLog writes the log of a node as JSON lines. Its level can change while it is used.
type nodeLog struct {
	*slog.Logger
	level slog.LevelVar
}

// newLog returns a log on w, which is standard error in production. Each line is one write.
func newLog(w io.Writer) *nodeLog {
	l := &nodeLog{}
	l.Logger = slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: &l.level}))
	return l
}

// configure sets the level, as a reload does.
func (l *nodeLog) configure(c config.Log) error {
	if err := l.level.UnmarshalText([]byte(c.Level)); err != nil {
		return fmt.Errorf("log.level: %w", err)
	}
	return nil
}
