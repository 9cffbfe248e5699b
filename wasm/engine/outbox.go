package engine

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An Outbox is the queue of what the engine sends to one client, or for one of its requests. The
// transport takes from it by Next. What waits is bounded: above 4 MiB no further request is read, a
// large answer is replaced by an error, and progress and log messages are dropped.
// Notifications are made when they are taken, so a topic waits once however often it changes.
type Outbox struct {
	ready chan struct{} // gets a value when there may be something to take

	mu    sync.Mutex
	queue []outgoing // from first on
	first int
	taken outgoing      // the last one, which is being written
	bytes int           // of the messages in queue, and of taken
	room  chan struct{} // closed when the queue has become shorter; nil: nothing waits for that
	end   error         // of Next after the queue; nil: more may come
}

// An outgoing is a whole message, or a topic of a client.
type outgoing struct {
	msg     []byte
	written func() // of an answer, see sink.Result; may be nil
	topic   sink.Topic
	wire    *wire // of the topic
}

// maxWaiting is how much may wait to be written.
const maxWaiting = 4 << 20 // bytes, for a client that does not read

// maxSmall is the size up to which an answer is kept in any case: an error is not much smaller.
const maxSmall = 1 << 10 // bytes

// maxSpare is how many messages an empty Outbox keeps room for.
const maxSpare = 64

// NewOutbox returns an Outbox for one request. See [Direct.Post].
func NewOutbox() *Outbox { return &Outbox{ready: make(chan struct{}, 1)} }

// Next returns the next message, and waits for it until ctx ends. After the last message of a client
// or request the error is io.EOF, or [jsonrpc.ErrClosed] if the client was closed before. When it is
// called, the message before has been written.
func (o *Outbox) Next(ctx context.Context) ([]byte, error) {
	o.wrote()
	for {
		next, err := o.take()
		if next.topic != nil {
			next.msg = next.wire.notification(next.topic)
		}
		if next.msg != nil || err != nil {
			return next.msg, err
		}
		if next.topic != nil {
			continue
		}
		select {
		case <-o.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Put adds a message of the transport's own.
func (o *Outbox) Put(msg []byte) { o.put(outgoing{msg: msg}) }

// End ends the Outbox: nothing is added any more.
func (o *Outbox) End() { o.close(io.EOF) }

// Close ends the Outbox of a request whose transport takes nothing more.
func (o *Outbox) Close() {
	o.End()
	for dropped, cancel := context.WithCancel(context.Background()); ; {
		cancel()
		if _, err := o.Next(dropped); err != nil {
			return
		}
	}
}

// Room waits until no more waits than may, or ctx ends.
func (o *Outbox) Room(ctx context.Context) error {
	for {
		room := o.waitsForRoom()
		if room == nil {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wrote records that the message that was taken is written.
func (o *Outbox) wrote() {
	if written := o.forgetTaken(); written != nil {
		written()
	}
}

func (o *Outbox) forgetTaken() (written func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	written = o.taken.written
	o.bytes -= len(o.taken.msg)
	o.taken = outgoing{}
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
	return written
}

// take removes the first of the queue.
func (o *Outbox) take() (next outgoing, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == len(o.queue) {
		return next, o.end
	}
	next, o.queue[o.first] = o.queue[o.first], outgoing{}
	if o.first++; o.first == len(o.queue) {
		o.queue, o.first = o.queue[:0], 0 // an array for each message would be a tenth of what a small read allocates
		if cap(o.queue) > maxSpare {
			o.queue = nil
		}
	}
	o.taken = next
	return next, nil
}

// put adds a message or topic, and reports whether it has.
func (o *Outbox) put(next outgoing) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end != nil {
		return false
	}
	if o.first > len(o.queue)/2 && len(o.queue) == cap(o.queue) {
		o.queue, o.first = slices.Delete(o.queue, 0, o.first), 0
	}
	o.queue = append(o.queue, next)
	o.bytes += len(next.msg)
	o.wake()
	return true
}

func (o *Outbox) close(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end == nil {
		o.end = err
		o.wake()
	}
}

// wake lets Next go on; o.mu is held.
func (o *Outbox) wake() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

func (o *Outbox) isFull() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes > maxWaiting
}

// waitsForRoom returns a channel that is closed when there may be room; nil: there is.
func (o *Outbox) waitsForRoom() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes <= maxWaiting {
		return nil
	}
	if o.room == nil {
		o.room = make(chan struct{})
	}
	return o.room
}

// A wire is the Sink of a [Direct]: it turns calls back into ids, and puts whole messages into
// Outboxes. What it has is guarded by the client's mu.
type wire struct {
	client *Client
	own    *Outbox // of the client: for what belongs to no request, and for requests without their own
	to     *Outbox // of the message that the client takes now

	last  sink.Call
	open  map[sink.Call]openCall
	calls map[wireKey]sink.Call // of open
	apart int                   // of open: those of other Outboxes than own
}

// An openCall is a request without its answer.
type openCall struct {
	id  jsonrpc.ID
	out *Outbox
}

// A wireKey has an id, which is unique in an Outbox.
type wireKey struct {
	key string
	out *Outbox
}

func (w *wire) Open(id jsonrpc.ID) (sink.Call, bool) {
	key := wireKey{id.Key(), w.to}
	if w.calls[key] != 0 {
		return 0, false
	}
	w.last++
	w.open[w.last], w.calls[key] = openCall{id, w.to}, w.last
	if w.to != w.own {
		w.apart++
	}
	return w.last, true
}

// find returns the call with an id of one Outbox.
func (w *wire) find(id jsonrpc.ID, out *Outbox) (sink.Call, bool) {
	call := w.calls[wireKey{id.Key(), out}]
	return call, call != 0
}

// Find returns the newest call: over HTTP a cancellation comes by a request of its own.
func (w *wire) Find(id jsonrpc.ID) (newest sink.Call, found bool) {
	if call, found := w.find(id, w.to); found {
		return call, true
	}
	if w.apart == 0 {
		return 0, false
	}
	for call, of := range w.open {
		if call > newest && of.id.Key() == id.Key() {
			newest = call
		}
	}
	return newest, newest != 0
}

// close ends a call.
func (w *wire) close(call sink.Call) openCall {
	closed := w.open[call]
	delete(w.open, call)
	delete(w.calls, wireKey{closed.id.Key(), closed.out})
	if closed.out != w.own {
		w.apart--
	}
	return closed
}

// answer puts an answer, the last message of its request. written may be nil.
func (w *wire) answer(to openCall, msg []byte, written func()) {
	if isPut := to.out.put(outgoing{msg: msg, written: written}); !isPut && written != nil {
		written()
	}
	if to.out != w.own {
		to.out.End()
	}
}

func (w *wire) Respond(call sink.Call, result sink.Result) {
	of := w.close(call)
	var msg []byte
	switch isFull := of.out.isFull(); {
	case len(result.Refs) > 0: // only the wasm program's Sink has contents of a Ref
		msg = jsonrpc.AppendError(nil, of.id, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"})
	case isFull && len(result.Document.JSON) > maxSmall:
		msg = jsonrpc.AppendError(nil, of.id, w.client.engine.Reason("The answer is dropped: 4 MiB of earlier ones wait. Read these first, and request fewer at a time", "busy", false))
	default:
		msg = jsonrpc.AppendResult(nil, of.id, result.Document.JSON)
	}
	w.answer(of, msg, result.Written)
}

func (w *wire) Fail(call sink.Call, err *jsonrpc.Error) {
	of := w.close(call)
	w.answer(of, jsonrpc.AppendError(nil, of.id, err), nil)
}

func (w *wire) Drop(call sink.Call) {
	if of := w.close(call); of.out != w.own {
		of.out.End()
	}
}

func (w *wire) End(call sink.Call, result *sink.Document) {
	of := w.close(call)
	tagged := bytes.Replace(result.JSON, []byte(`"_meta":{`), append(tag(hop.KeySubscription, of.id), ','), 1)
	of.out.Put(jsonrpc.AppendResult(nil, of.id, tagged))
	w.answer(of, cancelled(of.id), nil)
}

func (w *wire) Refuse(err *jsonrpc.Error) { w.to.Put(jsonrpc.AppendError(nil, "", err)) }

func (w *wire) Notify(message *sink.Document, call sink.Call, as sink.Relation) {
	out := w.own
	if call != 0 {
		out = w.open[call].out
	}
	if out != nil && !(message.Optional && out.isFull()) {
		out.Put(w.related(message, call, as))
	}
}

func (w *wire) Announce(topic sink.Topic) { w.own.put(outgoing{topic: topic, wire: w}) }

// notification returns the message about a topic, or nil.
func (w *wire) notification(topic sink.Topic) []byte {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	doc, subscription := topic.Take()
	if doc == nil {
		return nil
	}
	return w.related(doc, subscription, sink.OfSubscription)
}

// related returns a message with the id of its call.
func (w *wire) related(message *sink.Document, call sink.Call, as sink.Relation) []byte {
	key := MetaRequest
	switch {
	case as == sink.Plain || call == 0:
		return message.JSON
	case as == sink.OfSubscription:
		key = hop.KeySubscription
	}
	return bytes.Replace(message.JSON, []byte(`"_meta":{}`), append(tag(key, w.open[call].id), '}'), 1)
}

// tag returns the beginning of a _meta with an id.
func tag(key string, id jsonrpc.ID) []byte {
	return append([]byte(`"_meta":{"`+key+`":`), id...)
}

// closeAll ends the Outboxes of the client and of its requests. The client's mu is held.
func (w *wire) closeAll() {
	for _, of := range w.open {
		of.out.close(jsonrpc.ErrClosed)
	}
	w.own.close(jsonrpc.ErrClosed)
}
