package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// StdioOptions of ServeStdio. Port is required, and Command or Start.
type StdioOptions struct {
	State string       // directory of the gateway; default: the user's
	Port  jsonrpc.Port // to the assistant

	// Version is that of this program. A gateway of the background with an older one ends at the next moment without a
	// request, and this process starts the next one.
	Version string

	Command []string // line of the gateway that this process starts

	// Start starts a gateway that outlives this process, and returns when one runs; no other process of this kind starts
	// one meanwhile. Default: Command.
	Start func(ctx context.Context) error

	// As is the name of the assistant, for its rights, the limits and the audit log; see
	// [CheckAssistantName]. Empty: it is unnamed.
	As string

	// Channel sends what happens in pages as notifications of a channel of Claude Code, which
	// start a turn of its model. The assistant gets the older handshake only.
	Channel bool

	Logger *slog.Logger
}

// Times of a process that serves stdio.
const (
	retryInterval    = 50 * time.Millisecond
	maxRetryInterval = 2 * time.Second

	// drainTime is how long requests may be answered after the end of the input. Clients
	// kill a process that has not exited about a second after they closed its input.
	drainTime = 500 * time.Millisecond

	// stuckTime is how long the last messages may take to be written after that: nothing reads
	// the output then.
	stuckTime = time.Second
)

// ServeStdio serves one assistant until it disconnects or ctx ends: it passes messages to
// the gateway of this user and back. It starts a gateway if none runs, and connects again
// when the gateway was replaced or killed, without its assistant noticing: the new one gets
// the handshake and the subscriptions again, and the requests without an answer that are
// safe to repeat; other ones get an error.
func ServeStdio(ctx context.Context, opts StdioOptions) error {
	if opts.State == "" {
		dir, err := DefaultState()
		if err != nil {
			return err
		}
		opts.State = dir
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Start == nil {
		opts.Start = func(ctx context.Context) error { return startProgram(ctx, opts.State, opts.Command) }
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bridge{StdioOptions: opts, answered: wait.NewSignal()}
	gateway, err := b.connect(ctx)
	if err != nil {
		return err
	}
	if opts.Channel {
		channel := newChannelPort(opts.Port)
		b.Port = channel
		go channel.serve(ctx, &opts) // ends with ctx, unless its output is not read
	}
	return b.run(ctx, gateway)
}

// run passes messages until the assistant disconnects or ctx ends. gateway is the first one.
func (b *bridge) run(ctx context.Context, gateway jsonrpc.Port) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over, ended := make(chan struct{}), make(chan error, 1)
	go func() { // ends with ctx, unless its output is not read
		defer close(over)
		b.serve(ctx, cancel, gateway)
	}()
	go func() { ended <- b.readAssistant(ctx) }() // ends with the input, or with ctx
	select {
	case err = <-ended:
		b.awaitAnswers(ctx)
	case <-ctx.Done():
	}
	wasStopped := ctx.Err() != nil
	cancel()
	select {
	case <-over:
	case <-time.After(stuckTime):
		if !wasStopped {
			return errors.New("the input has ended, and nothing reads the output")
		}
	}
	return err
}

// A bridge connects an assistant on standard streams to a gateway.
type bridge struct {
	StdioOptions
	answered chan struct{} // receives when a request has its answer
	unlock   func()        // lets others start a gateway; nil: this process does not keep them from it. Used by connect and serve

	mu        sync.Mutex
	gateway   jsonrpc.Port            // nil: there is none
	failure   *jsonrpc.Error          // of requests while there is none; nil: they wait
	open      []*openRequest          // without an answer, in their order
	size      int                     // of these, in bytes
	session   []*openRequest          // initialize, setLevel and subscribe, which a new gateway gets again
	restoring map[string]*openRequest // of these, those without an answer of the new gateway, by ID.Key
	restored  int                     // ids that were made for these
}

// An openRequest is a request of the assistant.
type openRequest struct {
	jsonrpc.Message
	text         []byte
	sent         bool // to the present gateway
	acknowledged bool // a subscription that the assistant knows to be open
	failed       bool // to be restored
}

// maxOpen is the size of all requests without an answer.
const maxOpen = 16 << 20 // bytes

// connect connects to the gateway, and starts one if none runs. One that is ending breaks the
// connection: it tries again then.
func (b *bridge) connect(ctx context.Context) (jsonrpc.Port, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		p, err := dialLines(ctx, b.State, b.As, b.Version)
		switch {
		case err == nil:
			b.reserveStart(p.yields)
			return p, nil
		case errors.As(err, new(*RefusedError)):
			return nil, err
		case errors.Is(err, ErrNotRunning):
			if err := b.start(ctx); err != nil {
				return nil, err
			}
		}
		if !wait.For(ctx, retryInterval/2) {
			return nil, err
		}
	}
}

// start starts a gateway, while no other process does.
func (b *bridge) start(ctx context.Context) (err error) {
	if b.unlock == nil {
		if b.unlock, err = lockStart(ctx, b.State); err != nil {
			return err
		}
	}
	defer b.reserveStart(false)
	return b.Start(ctx)
}

// reserveStart keeps other processes from starting a gateway, which may have an older version, or lets them again.
func (b *bridge) reserveStart(on bool) {
	switch {
	case on && b.unlock == nil:
		b.unlock, _ = osDisk{b.State}.Lock(startLock, "") // another process may have it, which starts the next gateway then
	case !on && b.unlock != nil:
		b.unlock()
		b.unlock = nil
	}
}

// serve passes messages of gateways to the assistant until ctx ends.
func (b *bridge) serve(ctx context.Context, cancel func(), gateway jsonrpc.Port) {
	defer b.reserveStart(false)
	for delay := retryInterval; ; {
		if gateway != nil {
			b.attach(ctx, gateway)
			for msg, err := gateway.Read(ctx); err == nil; msg, err = gateway.Read(ctx) {
				if b.write(ctx, b.fromGateway(ctx, msg)...) != nil {
					cancel() // the assistant has ended
					return
				}
				delay = retryInterval
			}
			gateway.Close()
			b.write(ctx, b.detach()...)
		}
		if !wait.For(ctx, delay) {
			return
		}
		var err error
		if gateway, err = b.connect(ctx); err != nil && ctx.Err() == nil {
			gateway, delay = nil, min(2*delay, maxRetryInterval)
			b.write(ctx, b.fail(err)...)
		}
	}
}

// write sends messages to the assistant.
func (b *bridge) write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := b.Port.Write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

// attach sends to a gateway what restores the session, and the requests without an answer.
// Then it gets those of the assistant directly.
func (b *bridge) attach(ctx context.Context, gateway jsonrpc.Port) {
	b.restore(ctx, gateway, b.startRestoring())
	for {
		r := b.nextUnsent(gateway)
		if r == nil || gateway.Write(ctx, r.text) != nil { // Read reports an error
			return
		}
	}
}

func (b *bridge) startRestoring() []*openRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.restoring = map[string]*openRequest{}
	return slices.Clone(b.session)
}

// restore sends requests again, with ids of their own.
func (b *bridge) restore(ctx context.Context, gateway jsonrpc.Port, requests []*openRequest) {
	for _, r := range requests {
		gateway.Write(ctx, jsonrpc.AppendRequest(nil, b.restoredID(r), r.Method, r.Params)) // Read reports an error
		if r.Method == engine.MethodInitialize {
			gateway.Write(ctx, jsonrpc.AppendNotification(nil, engine.MethodInitialized, nil))
		}
	}
}

func (b *bridge) restoredID(r *openRequest) jsonrpc.ID {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.restored++
	id := jsonrpc.ID(`"pagemcp/` + strconv.Itoa(b.restored) + `"`)
	b.restoring[id.Key()] = r
	return id
}

// nextUnsent returns a request that the gateway does not have. If it has all, the assistant
// is connected to it.
func (b *bridge) nextUnsent(gateway jsonrpc.Port) *openRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.open {
		if !r.sent {
			r.sent = true
			return r
		}
	}
	b.gateway, b.failure = gateway, nil
	return nil
}

// detach is called when the connection to the gateway is lost. It returns the errors of
// requests that may have had effects. The others wait for the next gateway.
func (b *bridge) detach() (errs [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gateway = nil
	for _, r := range slices.Clone(b.open) {
		if r.sent && !isRepeatable(r.Method) {
			b.remove(r)
			errs = append(errs, jsonrpc.AppendError(nil, r.ID, message.Interrupted("The gateway has ended before it answered: whether the call took effect is not known")))
		}
		r.sent = false
	}
	return errs
}

// isRepeatable reports whether a request may be sent twice.
func isRepeatable(method string) bool {
	return method != engine.MethodCallTool && method != task.MethodUpdate && access.MethodOf(method).IsKnown()
}

// fail returns the errors of all requests: no gateway can be reached, and later ones get
// the same error.
func (b *bridge) fail(cause error) (errs [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failure := message.Unreachable(plain.Lines(cause.Error(), 1000)) // characters
	if b.failure == nil || b.failure.Message != failure.Message {
		b.Logger.Error("the gateway cannot be reached", "error", cause.Error())
	}
	b.failure = failure
	for _, r := range b.open {
		errs = append(errs, jsonrpc.AppendError(nil, r.ID, failure))
	}
	b.open, b.size = nil, 0
	wait.Wake(b.answered)
	return errs
}

// readAssistant passes messages of the assistant to the gateway until its input ends.
func (b *bridge) readAssistant(ctx context.Context) error {
	for {
		msg, err := b.Port.Read(ctx)
		large := (*jsonrpc.TooLargeError)(nil)
		switch {
		case errors.As(err, &large):
			refused := &message.TooLargeError{ID: message.IDOfParts(large.Begin, large.End)}
			if b.find(refused.ID) != nil { // a response with that id would complete the older request
				refused.ID = ""
			}
			b.write(ctx, jsonrpc.AppendError(nil, refused.ID, message.InvalidRequest("The message is larger than 1 MiB")))
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		default:
			b.fromAssistant(ctx, msg)
		}
	}
}

// fromAssistant passes on a message of the assistant.
func (b *bridge) fromAssistant(ctx context.Context, msg []byte) {
	m, refusal := jsonrpc.Parse(msg)
	gateway := jsonrpc.Port(nil)
	if refusal == nil {
		gateway, refusal = b.take(&openRequest{Message: m, text: msg})
	}
	switch {
	case refusal != nil:
		b.write(ctx, jsonrpc.AppendError(nil, m.ID, refusal))
	case gateway != nil:
		gateway.Write(ctx, msg) // Read reports an error
	}
}

// take records a message of the assistant. It returns the gateway that gets it now; nil: it
// is a request that waits, or concerns nothing that a next gateway has.
func (b *bridge) take(r *openRequest) (gateway jsonrpc.Port, refusal *jsonrpc.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Kind == jsonrpc.Request && b.byID(r.ID) == nil: // the gateway refuses an id that is in use
		if b.gateway == nil && b.failure != nil {
			return nil, b.failure
		}
		if b.size+len(r.text) > maxOpen {
			return nil, message.Busy("Too many requests without an answer")
		}
		r.sent = b.gateway != nil
		b.open, b.size = append(b.open, r), b.size+len(r.text)
	case r.Method == engine.MethodCancelled:
		if cancelled := b.byID(jsonrpc.ID(jsonrpc.Member(r.Params, "requestId"))); cancelled != nil {
			b.remove(cancelled)
		}
	}
	return b.gateway, nil
}

func (b *bridge) find(id jsonrpc.ID) *openRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byID(id)
}

// byID returns the request with an id, or nil. The caller holds the lock, here and below.
func (b *bridge) byID(id jsonrpc.ID) *openRequest {
	at := slices.IndexFunc(b.open, func(r *openRequest) bool { return r.ID.Key() == id.Key() })
	if at < 0 {
		return nil
	}
	return b.open[at]
}

func (b *bridge) remove(r *openRequest) {
	b.open = slices.DeleteFunc(b.open, func(other *openRequest) bool { return other == r })
	b.size -= len(r.text)
	wait.Wake(b.answered)
}

// fromGateway returns what the assistant gets for a message of the gateway.
func (b *bridge) fromGateway(ctx context.Context, msg []byte) [][]byte {
	h := message.HeadOf(msg)
	switch {
	case h.Kind == jsonrpc.Response:
		return b.answer(h, msg)
	case h.Method == engine.MethodAcknowledged:
		return b.acknowledge(msg)
	case h.Method == engine.MethodResourcesChanged:
		gateway, failed := b.failedToRestore()
		b.restore(ctx, gateway, failed) // perhaps their page is back
	}
	return [][]byte{msg}
}

func (b *bridge) failedToRestore() (gateway jsonrpc.Port, failed []*openRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.session {
		if r.failed {
			r.failed, failed = false, append(failed, r)
		}
	}
	return b.gateway, failed
}

// answer completes a request. What a session has subscribed to may have changed while there
// was no gateway, which is announced when the new one has the subscription.
func (b *bridge) answer(h message.Head, msg []byte) [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.restoring[h.ID.Key()]; r != nil {
		delete(b.restoring, h.ID.Key())
		if r.failed = h.Failed; h.Failed {
			return nil
		}
		return announcements(r)
	}
	if r := b.byID(h.ID); r != nil {
		b.remove(r)
		if !h.Failed {
			b.remember(r)
		}
	}
	return [][]byte{msg}
}

// remember keeps a request that has changed the session.
func (b *bridge) remember(r *openRequest) {
	uri := func(r *openRequest) string { return engine.CanonicalURI(uriOf(r.Params)) }
	replaces := func(older *openRequest) bool {
		switch r.Method {
		case engine.MethodInitialize:
			return true
		case engine.MethodSubscribe, engine.MethodUnsubscribe:
			return older.Method == engine.MethodSubscribe && uri(older) == uri(r)
		}
		return older.Method == r.Method
	}
	switch r.Method {
	case engine.MethodInitialize, engine.MethodSetLevel, engine.MethodSubscribe, engine.MethodUnsubscribe:
		b.session = slices.DeleteFunc(b.session, replaces)
		if r.Method != engine.MethodUnsubscribe {
			b.session = append(b.session, r)
		}
	}
}

// announcements are the notifications of what may have changed, after a request of the
// session was restored.
func announcements(r *openRequest) (msgs [][]byte) {
	switch r.Method {
	case engine.MethodInitialize:
		for _, method := range [...]string{engine.MethodResourcesChanged, engine.MethodPromptsChanged, engine.MethodToolsChanged} {
			msgs = append(msgs, jsonrpc.AppendNotification(nil, method, nil))
		}
	case engine.MethodSubscribe:
		params := append(jsonrpc.AppendString([]byte(`{"uri":`), uriOf(r.Params)), '}')
		msgs = append(msgs, jsonrpc.AppendNotification(nil, engine.MethodUpdated, params))
	}
	return msgs
}

func uriOf(params []byte) string {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	return uri
}

// acknowledge returns an acknowledgement, or, if an earlier gateway has sent it, the
// notifications of what may have changed since.
func (b *bridge) acknowledge(msg []byte) (msgs [][]byte) {
	m, _ := jsonrpc.Parse(msg)
	meta, granted := jsonrpc.Member(m.Params, "_meta"), jsonrpc.Member(m.Params, "notifications")
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.byID(jsonrpc.ID(jsonrpc.Member(meta, metaSubscription)))
	if r == nil || !r.acknowledged {
		if r != nil {
			r.acknowledged = true
		}
		return [][]byte{msg}
	}
	for member, method := range map[string]string{
		"resourcesListChanged": engine.MethodResourcesChanged, "promptsListChanged": engine.MethodPromptsChanged, "toolsListChanged": engine.MethodToolsChanged,
	} {
		if string(jsonrpc.Member(granted, member)) == "true" {
			msgs = append(msgs, jsonrpc.AppendNotification(nil, method, slices.Concat([]byte(`{"_meta":`), meta, []byte("}"))))
		}
	}
	uris, _ := jsonrpc.Elements(jsonrpc.Member(granted, "resourceSubscriptions"))
	for _, uri := range uris {
		msgs = append(msgs, jsonrpc.AppendNotification(nil, engine.MethodUpdated, slices.Concat([]byte(`{"_meta":`), meta, []byte(`,"uri":`), uri, []byte("}"))))
	}
	return msgs
}

// metaSubscription is the key in _meta of the id of a subscription. MCP 2026-07-28,
// basic/patterns/subscriptions.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// awaitAnswers waits until no request but a subscription is open, at most drainTime.
func (b *bridge) awaitAnswers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for b.isPending() {
		select {
		case <-b.answered:
		case <-ctx.Done():
			return
		}
	}
}

func (b *bridge) isPending() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.open, func(r *openRequest) bool { return r.Method != engine.MethodListen })
}
