package jsonrpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// A Conn is the calling side of a port: it sends requests under ids of its own,
// counting from 1, and matches the answers.
type Conn struct {
	port   Port
	notify func(Message) // notifications of the peer, in order; must not block

	mu      sync.Mutex
	last    int64
	pending map[ID]*Pending
	closed  error // why the port ended

	broken int // messages in a row that were none; only for Run
}

// maxBroken is how many messages in a row may be broken before a port is closed.
const maxBroken = 100

// Pending is a request that waits for its answer.
type Pending struct {
	ID ID
	// OnAnswer, if not nil, gets the size of the result in bytes, 0 for an error, before Done is
	// closed and before anything more is read. It must not block, panic or use the Conn. Set it
	// before the request is sent, in what Begin calls.
	OnAnswer func(size int)

	done   chan struct{}
	result []byte
	err    error
}

// Done is closed when the answer is there, the request was cancelled, or the port
// has ended.
func (p *Pending) Done() <-chan struct{} { return p.done }

// Answer returns what came: the result, a JSON value, or an error, which is an
// *[Error] if the peer sent it. Only after Done.
func (p *Pending) Answer() ([]byte, error) { return p.result, p.err }

// NewConn returns a Conn on p. notify gets the notifications of the peer, in
// their order, and must not block; requests of the peer are answered with
// "method not found". Run has to be called for anything to arrive.
func NewConn(p Port, notify func(Message)) *Conn {
	return &Conn{port: p, notify: notify, pending: map[ID]*Pending{}}
}

// Run takes what the peer sends until the port ends, then fails every request
// that still waits, with an error that wraps [ErrClosed]. It returns nil if the
// peer closed the port. A panic, of the port or of what gets notifications, costs
// this port only: Run closes it and returns an error that wraps [ErrPanic].
func (c *Conn) Run(ctx context.Context) error {
	err := c.run(ctx)
	c.end()
	if err == io.EOF {
		return nil
	}
	return err
}

func (c *Conn) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Panicked(p)
			c.port.Close()
		}
	}()
	for c.broken <= maxBroken {
		var data []byte
		data, err = c.port.Read(ctx)
		if errors.Is(err, ErrTooLarge) {
			c.broken++
			continue
		}
		if err != nil {
			break
		}
		c.take(ctx, data)
	}
	if c.broken > maxBroken {
		err = errors.New("the peer sends what is no JSON-RPC")
		c.port.Close()
	}
	return err
}

// end fails all that waits.
func (c *Conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = ErrClosed
	for _, p := range c.pending {
		p.err = ErrClosed
		close(p.done)
	}
	c.pending = nil
}

func (c *Conn) take(ctx context.Context, data []byte) {
	msg, err := Parse(data)
	if err != nil {
		c.broken++
	} else {
		c.broken = 0
	}
	switch {
	case msg.Kind == Response && msg.ID != "":
		c.settle(msg, err)
	case err == nil && msg.Kind == Notification:
		c.notify(msg)
	case err == nil && msg.Kind == Request:
		refusal := &Error{Code: CodeMethodNotFound, Message: "this side takes no requests"}
		c.port.Write(ctx, AppendError(nil, msg.ID, refusal)) // if that fails, Read fails too
	}
}

// settle answers a request, unless it was cancelled meanwhile.
func (c *Conn) settle(msg Message, err *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[msg.ID]
	if p == nil {
		return
	}
	delete(c.pending, msg.ID)
	switch {
	case err != nil:
		p.err = err
	case msg.Error != nil:
		p.err = msg.Error
	default:
		p.result = msg.Result
	}
	if p.OnAnswer != nil {
		p.OnAnswer(len(p.result))
	}
	close(p.done)
}

// Begin sends a request. begin gets it before anything is sent, so that nothing that comes for it comes
// too early, and returns its params, a JSON object.
func (c *Conn) Begin(ctx context.Context, method string, begin func(*Pending) (params []byte)) (*Pending, error) {
	p, err := c.open()
	if err != nil {
		return nil, err
	}
	if err := c.port.Write(ctx, AppendRequest(nil, p.ID, method, begin(p))); err != nil {
		c.forget(p)
		return nil, err
	}
	return p, nil
}

// open makes a request with the next id.
func (c *Conn) open() (*Pending, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != nil {
		return nil, c.closed
	}
	c.last++
	p := &Pending{ID: IDOf(c.last), done: make(chan struct{})}
	c.pending[p.ID] = p
	return p, nil
}

// Call sends a request and waits for its answer. When ctx ends first, the
// request is cancelled at the peer, and a later answer is ignored.
func (c *Conn) Call(ctx context.Context, method string, params []byte) ([]byte, error) {
	p, err := c.Begin(ctx, method, func(*Pending) []byte { return params })
	if err != nil {
		return nil, err
	}
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		c.Cancel(p)
		return nil, ctx.Err()
	}
}

// Cancel cancels p, also at the peer; Answer then returns context.Canceled. A later
// answer is ignored.
func (c *Conn) Cancel(p *Pending) {
	if c.forget(p) {
		c.Notify(MethodCancelled, append(append([]byte(`{"requestId":`), p.ID...), '}'))
	}
}

// Notify sends a notification, without an error: it stops trying after notifyTimeout.
// params is a JSON object, or nil.
func (c *Conn) Notify(method string, params []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
	defer cancel()
	c.port.Write(ctx, AppendNotification(nil, method, params))
}

const notifyTimeout = 10 * time.Second

// Close ends the port, and with it Run.
func (c *Conn) Close() error { return c.port.Close() }

// forget ends p without an answer, unless it has one.
func (c *Conn) forget(p *Pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waits := c.pending[p.ID]
	if waits {
		delete(c.pending, p.ID)
		p.err = context.Canceled
		close(p.done)
	}
	return waits
}
