package server

import "sync"

// A logRing keeps the last lines of the log, as JSON objects, for `pagemcp logs`. It is
// an io.Writer for a slog.Handler, which writes one line at a time.
type logRing struct {
	mu      sync.Mutex
	lines   [][]byte
	size    int           // bytes of lines
	dropped int           // lines that were removed from the front
	changed chan struct{} // closed and replaced when a line is added
}

// Bounds of a logRing.
const (
	maxLogLines = 1_000
	maxLogBytes = 256 << 10
	maxLogLine  = 4 << 10 // bytes; a longer line is not kept
)

func newLogRing() *logRing { return &logRing{changed: make(chan struct{})} }

// Write implements io.Writer.
func (l *logRing) Write(line []byte) (int, error) {
	if len(line) > maxLogLine {
		return len(line), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, append([]byte{}, line...))
	l.size += len(line)
	for len(l.lines) > maxLogLines || l.size > maxLogBytes {
		l.size -= len(l.lines[0])
		l.lines = l.lines[1:]
		l.dropped++
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return len(line), nil
}

// after returns the lines from position on, the position after them, how many of the lines
// from position on are no longer kept, and a channel that is closed when there are more.
func (l *logRing) after(position int) (lines [][]byte, next, lost int, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost = max(0, l.dropped-position)
	first := max(0, position-l.dropped)
	return append([][]byte{}, l.lines[min(first, len(l.lines)):]...), l.dropped + len(l.lines), lost, l.changed
}
