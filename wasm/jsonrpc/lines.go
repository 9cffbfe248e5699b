package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrTooLarge is what Read returns for a message over the port's limit. The
// message is lost, the port is open: Read again.
var ErrTooLarge = errors.New("message is too large")

// A TooLargeError is ErrTooLarge of a [Lines] port, with the parts of the message
// that were kept: they may have its id.
type TooLargeError struct{ Begin, End []byte }

func (e *TooLargeError) Error() string { return ErrTooLarge.Error() }
func (e *TooLargeError) Unwrap() error { return ErrTooLarge }

// MaxLine is how long a line that [Lines] reads may be, as messages of clients over
// HTTP.
const MaxLine = 1 << 20 // bytes

// Lines returns a port over two byte streams with one message a line, as the
// stdio transport has it: no line break inside a message. Blank lines are
// skipped, a carriage return before the line break is taken off. Close closes r
// and w if they can be closed; a Read of r that cannot be unblocked ends with
// the process. MCP 2026-07-28, basic/transports/stdio.
func Lines(r io.Reader, w io.Writer) Port {
	p := &lines{r: r, w: w, in: make(chan line), done: make(chan struct{})}
	go p.scan()
	return p
}

type line struct {
	msg []byte
	err error
}

type lines struct {
	r    io.Reader
	in   chan line
	done chan struct{}
	once sync.Once

	mu sync.Mutex // held while one message is written
	w  io.Writer
}

// scan reads lines until r ends or the port closes.
func (p *lines) scan() {
	reader := bufio.NewReaderSize(p.r, 64<<10)
	if mark, _ := reader.Peek(3); string(mark) == "\ufeff" { // some launchers write it before the first line
		reader.Discard(3)
	}
	for {
		msg, err := readLine(reader)
		if err == nil && len(msg) == 0 {
			continue
		}
		select {
		case p.in <- line{msg, err}:
		case <-p.done:
			return
		}
		if err != nil && !errors.Is(err, ErrTooLarge) {
			return
		}
	}
}

// readLine returns a line without its end. A last line without a line break
// counts as one.
func readLine(r *bufio.Reader) ([]byte, error) {
	var msg, end []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(msg) <= MaxLine+2 {
			msg = append(msg, part...)
		} else {
			end = append(end, part[max(0, len(part)-keptEnd):]...)
			end = append(end[:0], end[max(0, len(end)-keptEnd):]...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(end) == 0 {
			msg = bytes.TrimRight(msg, "\r\n")
		}
		switch {
		case len(msg) > MaxLine:
			return nil, &TooLargeError{msg, end}
		case err != nil && len(bytes.TrimSpace(msg)) == 0:
			return nil, err
		}
		return bytes.TrimSpace(msg), nil
	}
}

// keptEnd is how much of the end of a line that is too long is kept.
const keptEnd = 1 << 10 // bytes

func (p *lines) Read(ctx context.Context) ([]byte, error) {
	select {
	case l := <-p.in:
		return l.msg, l.err
	case <-p.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *lines) Write(_ context.Context, msg []byte) error {
	if bytes.ContainsAny(msg, "\r\n") { // white space between tokens: in strings it is escaped
		compact := jsontext.Value(bytes.Clone(msg))
		if err := compact.Compact(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)); err != nil {
			return err
		}
		msg = compact
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		return ErrClosed
	default:
	}
	_, err := p.w.Write(append(msg[:len(msg):len(msg)], '\n'))
	return err
}

func (p *lines) Close() error {
	p.once.Do(func() {
		close(p.done)
		for _, stream := range [...]any{p.r, p.w} {
			if c, ok := stream.(io.Closer); ok {
				c.Close()
			}
		}
	})
	return nil
}
