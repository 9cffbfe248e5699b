package hosted

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

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

// A changeLog logs the outcome of activities that are repeated: the first error of each,
// every error with another text, and that it has succeeded again. Its methods may be called
// concurrently.
type changeLog struct {
	log *slog.Logger

	mu     sync.Mutex
	errors map[string]string // the last error by activity; none if it has succeeded
}

func newChangeLog(log *slog.Logger) *changeLog {
	return &changeLog{log: log, errors: map[string]string{}}
}

// report logs the outcome of an activity, which is the verb and object of the message.
func (c *changeLog) report(activity string, err error, attributes ...any) {
	text := ""
	if err != nil {
		text = strings.ToValidUTF8(err.Error(), "\uFFFD")
	}
	before := c.replace(activity, text)
	switch {
	case text == before:
	case err != nil:
		c.log.Warn(activity, append(attributes, "error", text)...)
	default:
		c.log.Info(activity+": succeeded again", attributes...)
	}
}

func (c *changeLog) replace(activity, text string) (before string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.errors[activity]
	if c.errors[activity] = text; text == "" {
		delete(c.errors, activity)
	}
	return before
}
