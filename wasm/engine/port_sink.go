package engine

import (
	"bytes"
	"context"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A portSink is the Sink of Serve and of [Direct]: it turns calls back into ids and writes
// bytes. Its methods only queue: a slow client blocks no other. A goroutine writes the
// queue, and ends when it is empty; or that of a request that has its answer does (see
// hold). What waits to be written is bounded: above maxQueued no further request is read,
// and equal notifications that wait become one.
type portSink struct {
	engine *Engine
	write  func(msg []byte) error // to the port
	failed func()                 // called after a write has failed; may be nil

	mu      sync.Mutex
	last    sink.Call
	calls   map[string]sink.Call     // by the id's key
	ids     map[sink.Call]jsonrpc.ID // of the same calls
	queue   [][]byte                 // whole messages
	queued  map[string]struct{}      // notifications in queue; nil before the first
	bytes   int                      // in queue, and being written
	holders int                      // goroutines that will call flush
	writing bool                     // a goroutine writes, or was started for it; it does so until queue is empty
	failure error                    // nothing is written after it: a write has failed, or Serve ends
	ended   chan struct{}            // closed when nothing more is written; nil until close
	room    chan struct{}            // has room for one: the queue has become shorter
}

// maxQueued is how much may wait to be written before reading pauses.
const maxQueued = 4 << 20 // bytes, for a client that does not read

func newPortSink(e *Engine, write func(msg []byte) error) *portSink {
	return &portSink{
		engine: e,
		write:  write,
		calls:  map[string]sink.Call{},
		ids:    map[sink.Call]jsonrpc.ID{},
		room:   make(chan struct{}, 1),
	}
}

// writeQueue writes what is queued, for the goroutine that has set writing.
func (s *portSink) writeQueue() {
	var queue [][]byte
	for {
		if queue = s.dequeueAll(queue); len(queue) == 0 {
			return
		}
		err := errPanicked
		s.engine.safely("writing to a client", func() { err = s.writeAll(queue) })
		if err != nil {
			s.fail(err)
			if s.failed != nil {
				s.failed()
			}
		}
	}
}

func (s *portSink) writeAll(queue [][]byte) error {
	for i, msg := range queue {
		if err := s.write(msg); err != nil {
			return err
		}
		queue[i] = nil
		s.wrote(len(msg))
	}
	return nil
}

func (s *portSink) wrote(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= size
	wake(s.room)
}

// dequeueAll empties the queue for the goroutine that writes, and has written what it got before. Without anything to
// write it ends writing.
func (s *portSink) dequeueAll(written [][]byte) (queue [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil || len(s.queue) == 0 {
		s.writing = false
		s.end()
		return nil
	}
	queue = s.queue
	if cap(written) > maxSpare {
		written = nil
	}
	s.queue = written[:0] // an array for each message is a tenth of what a small read allocates
	clear(s.queued)
	return queue
}

// maxSpare is how many messages the array has room for that a portSink keeps.
const maxSpare = 64

// fail ends writing.
func (s *portSink) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
	s.end()
}

// end closes ended if nothing more is written; s.mu is held.
func (s *portSink) end() {
	if s.ended != nil && !s.writing && (s.failure != nil || len(s.queue) == 0) {
		close(s.ended)
		s.ended = nil
	}
}

// hold promises a call of flush: what is queued meanwhile does not start a goroutine that
// writes. For a goroutine that answers and then ends, that saves two switches.
func (s *portSink) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holders++
}

// flush writes what is queued, unless another goroutine does. It may block, unlike the
// methods of a Sink.
func (s *portSink) flush() {
	if s.unhold() {
		s.writeQueue()
	}
}

// unhold reports whether the caller has to write the queue.
func (s *portSink) unhold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holders--
	return s.startWriting()
}

// startWriting reports whether something waits that no goroutine writes, and sets
// writing then; s.mu is held.
func (s *portSink) startWriting() bool {
	if s.writing || s.failure != nil || len(s.queue) == 0 {
		return false
	}
	s.writing = true
	return true
}

func (s *portSink) waitForRoom(ctx context.Context) error {
	for s.isFull() {
		select {
		case <-s.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *portSink) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes > maxQueued
}

// close waits until what is queued is written, and returns why not all of it was.
func (s *portSink) close() error {
	<-s.closing()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

func (s *portSink) closing() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := make(chan struct{})
	s.ended = ended
	if s.holders == 0 && s.startWriting() {
		go s.writeQueue()
	}
	s.end()
	return ended
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// enqueue queues a message; s.mu is held.
func (s *portSink) enqueue(msg []byte) {
	s.queue = append(s.queue, msg)
	s.bytes += len(msg)
	if s.holders == 0 && s.startWriting() {
		go s.writeQueue() // ends when the queue is empty
	}
}

// endCall ends a call and returns its id; s.mu is held.
func (s *portSink) endCall(call sink.Call) jsonrpc.ID {
	id := s.ids[call]
	delete(s.ids, call)
	delete(s.calls, id.Key())
	return id
}

func (s *portSink) Open(id jsonrpc.ID) (sink.Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, busy := s.calls[id.Key()]; busy {
		return 0, false
	}
	s.last++
	s.calls[id.Key()] = s.last
	s.ids[s.last] = id
	return s.last, true
}

func (s *portSink) Find(id jsonrpc.ID) (sink.Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, found := s.calls[id.Key()]
	return call, found
}

func (s *portSink) Respond(call sink.Call, result sink.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(result.Refs) > 0 { // only the wasm program's Sink has contents of a Ref
		s.enqueue(jsonrpc.AppendError(nil, s.endCall(call), &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"}))
		return
	}
	s.enqueue(jsonrpc.AppendResult(nil, s.endCall(call), result.Document.JSON))
}

func (s *portSink) Fail(call sink.Call, err *jsonrpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(jsonrpc.AppendError(nil, s.endCall(call), err))
}

func (s *portSink) Drop(call sink.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endCall(call)
}

func (s *portSink) End(call sink.Call, result *sink.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.endCall(call)
	tagged := bytes.Replace(result.JSON, []byte(`"_meta":{`), append(subscriptionMember(id), ','), 1)
	s.enqueue(jsonrpc.AppendResult(nil, id, tagged))
	params := append(append([]byte(`{"requestId":`), id...), '}')
	s.enqueue(jsonrpc.AppendNotification(nil, MethodCancelled, params))
}

func (s *portSink) Refuse(err *jsonrpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(jsonrpc.AppendError(nil, "", err))
}

func (s *portSink) Notify(notification *sink.Document, subscription sink.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if notification.Optional && s.bytes > maxQueued {
		return
	}
	msg := notification.JSON
	if subscription != 0 {
		msg = bytes.Replace(msg, []byte(`"_meta":{}`), append(subscriptionMember(s.ids[subscription]), '}'), 1)
	}
	if _, waits := s.queued[string(msg)]; waits {
		return
	}
	if s.queued == nil {
		s.queued = map[string]struct{}{}
	}
	s.queued[string(msg)] = struct{}{}
	s.enqueue(msg)
}

func (s *portSink) Relate(message *sink.Document, call sink.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if message.Optional && s.bytes > maxQueued {
		return
	}
	meta := append([]byte(`"_meta":{"`+MetaRequest+`":`), s.ids[call]...)
	s.enqueue(bytes.Replace(message.JSON, []byte(`"_meta":{}`), append(meta, '}'), 1))
}

// subscriptionMember returns the beginning of a _meta with the subscription's id.
func subscriptionMember(id jsonrpc.ID) []byte {
	return append([]byte(`"_meta":{"`+hop.KeySubscription+`":`), id...)
}
