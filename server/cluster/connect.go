package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// Options of a Node. Fields are required unless documented otherwise.
type Options struct {
	Cluster string   // name of the deployment: a-z, 0-9 and `-`
	URLs    []string // of NATS servers: tls://host:port
	Log     *slog.Logger

	Creds     string // file that nsc has written: a JWT and an nkey; may be empty
	CA        string // file of certificates in PEM; empty means the roots of the system
	Cert, Key string // files of a client certificate in PEM; may be empty

	KV bool // values of sessions are kept in JetStream: see SessionValues

	Release string   // version of the program; may be empty
	Keys    [][]byte // that all nodes share, of sharedKeySize bytes each: the first one seals what this node sends, all of them open; see SetKeys

	// LinkVersions are the versions of links that the node speaks; nil: those of this
	// release. Others are for tests of mixed releases: they have the form of the present one.
	LinkVersions []byte

	// Ready reports whether the node is ready apart from the cluster. It may be nil.
	Ready func() bool

	// CheckMaxPayload returns an error if max_payload of the NATS servers, in bytes, is too
	// small. It may be nil.
	CheckMaxPayload func(int64) error

	// Called in their order, and not concurrently. They must not block. They may be nil.
	Connected    func()          // to a NATS server, first or again
	Disconnected func(err error) // after the links have ended; err may be nil
	SlowConsumer func()          // the NATS client has dropped messages, after the links have ended

	retryKV time.Duration // for tests: instead of pauseTime
	askTime time.Duration // for tests: instead of the constant
}

// Settings of the NATS client.
const (
	inboxPrefix     = "_INBOX_pagemcp"       // the permissions of the node's user name it
	reconnectWait   = 250 * time.Millisecond // and as much jitter
	natsPing        = 2 * time.Second        // with maxNATSPings: a frozen server is left after 4 to 6 s
	maxNATSPings    = 2
	natsWriteTime   = 5 * time.Second
	natsConnectTime = 2 * time.Second
	maxPending      = 256 << 20 // bytes of frames of all links that wait to be delivered
	maxMessages     = 16_384    // messages of the directory that wait
	awayTime        = 15 * time.Second
)

var (
	// errAway is returned while there is no connection to NATS. A view that is opened then
	// would show a part of the pages as the whole.
	errAway         = errors.New("NATS is away")
	errSlowConsumer = errors.New("the NATS client has dropped frames")
)

// A Node is one process of a cluster, with its connection to NATS.
type Node struct {
	options  Options
	id       string
	subjects subjects
	conn     *nats.Conn
	links    *links
	sealer   *sealer
	foreign  atomic.Int64     // messages that were not made by a node of the cluster, or sent again
	now      func() time.Time // replaced by tests

	directory *directory
	messages  chan *nats.Msg // for the directory
	sessions  *sessionEvents
	values    *sessionValues // nil without Options.KV
	back      chan struct{}  // gets a value when NATS is there, or there again; for values

	mu          sync.Mutex
	connected   bool
	awaySince   time.Time // zero if it has never been connected
	payloadErr  error     // of CheckMaxPayload
	problem     error     // why this node cannot serve with the others
	disconnects int
	refusal     string // the last error of an attempt to connect that was logged; "" while connected

	stop    chan struct{} // closed by Close
	stopped sync.WaitGroup
}

// Connect returns a Node, which connects in the background: [Node.Ready] says when it is
// usable. The error is about the options alone. Close ends it.
func Connect(options Options) (*Node, error) {
	n := &Node{options: options, id: newID(), subjects: newSubjects(options.Cluster), now: time.Now, back: wait.NewSignal(), stop: make(chan struct{})}
	var err error
	if n.sealer, err = newSealer(n.id, options.Keys); err != nil {
		return nil, err
	}
	n.messages = make(chan *nats.Msg, maxMessages)
	n.links = newLinks(n.id, n.subjects, n)
	if options.LinkVersions != nil {
		n.links.versions = options.LinkVersions
	}
	n.sessions = newSessionEvents(n)
	n.directory = newDirectory(n.id, n.subjects, n, n.links)
	n.directory.askTime = cmp.Or(options.askTime, askTime)
	n.links.serve = n.directory.serve
	n.directory.self, n.directory.problem, n.directory.mismatched = n.heartbeat, n.setProblem, n.mismatched
	n.directory.returned, n.directory.hasStream = n.sessions.lost, n.sessions.subscribes
	n.problem = errStarting
	conn, err := n.dialNATS()
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	n.conn = conn
	if err := n.start(); err != nil {
		close(n.directory.ended)
		conn.Close()
		return nil, fmt.Errorf("subscribe to subjects of the cluster: %w", err)
	}
	return n, nil
}

func (n *Node) dialNATS() (*nats.Conn, error) {
	options := nats.GetDefaultOptions()
	options.Servers = n.options.URLs
	settings := []nats.Option{
		nats.Name("pagemcpd " + n.id),
		nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectWait, reconnectWait),
		nats.ReconnectBufSize(-1), // publishing fails while NATS is away: nothing stale is sent later
		nats.PingInterval(natsPing), nats.MaxPingsOutstanding(maxNATSPings),
		nats.FlusherTimeout(natsWriteTime), nats.Timeout(natsConnectTime),
		nats.NoEcho(), nats.CustomInboxPrefix(inboxPrefix),
		nats.ConnectHandler(n.reconnected), nats.ReconnectHandler(n.reconnected),
		nats.DisconnectErrHandler(n.disconnected), nats.ErrorHandler(n.failed), nats.ReconnectErrHandler(n.refused),
	}
	if n.options.Creds != "" {
		settings = append(settings, nats.UserCredentials(n.options.Creds)) // read at each connect
	}
	if n.options.CA != "" {
		settings = append(settings, nats.RootCAs(n.options.CA))
	}
	if n.options.Cert != "" {
		settings = append(settings, nats.ClientCert(n.options.Cert, n.options.Key))
	}
	for _, set := range settings {
		if err := set(&options); err != nil {
			return nil, err
		}
	}
	return options.Connect()
}

// start subscribes, and starts what runs until Close.
func (n *Node) start() error {
	frames, err := n.conn.Subscribe(n.subjects.link(n.id, "*"), n.receiveFrame)
	if err != nil {
		return err
	}
	if err := frames.SetPendingLimits(-1, maxPending); err != nil {
		return err
	}
	if err := n.directory.start(); err != nil {
		return err
	}
	n.stopped.Go(n.run)
	n.stopped.Go(n.sessions.run)
	if n.options.KV {
		if n.values, err = newSessionValues(n, n.options.Cluster); err != nil {
			return err
		}
		n.stopped.Go(n.values.run)
	}
	return nil
}

// run is the directory's goroutine. It ends with Close.
func (n *Node) run() {
	defer close(n.directory.ended)
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case m := <-n.messages:
			if payload, ok := n.open(m); ok {
				n.directory.handle(m.Subject, m.Reply, payload)
			}
		case command := <-n.directory.commands:
			command()
		case <-ticker.C:
			n.directory.tick()
		case <-n.stop:
			return
		}
	}
}

// Subscribe implements bus. All subscriptions share one channel: a subscription costs no
// goroutine.
func (n *Node) Subscribe(subject string) (unsubscribe func(), err error) {
	sub, err := n.conn.ChanSubscribe(subject, n.messages)
	if err != nil {
		return nil, err
	}
	return func() { sub.Unsubscribe() }, nil // it fails only if the connection is closed
}

// Flush implements bus.
func (n *Node) Flush(ctx context.Context) error { return n.conn.FlushWithContext(ctx) }

// IsConnected implements bus.
func (n *Node) IsConnected() bool { return n.conn.IsConnected() }

func (n *Node) heartbeat() heartbeat {
	ready := n.Ready() == nil && (n.options.Ready == nil || n.options.Ready())
	return heartbeat{Ready: ready, Release: n.options.Release, Versions: n.links.versions, Keys: n.sealer.ring.Load().ids()}
}

// SetKeys replaces Options.Keys after a reload. Keys that Connect would reject are an error,
// and leave the old ones in use.
func (n *Node) SetKeys(keys [][]byte) error { return n.sealer.setKeys(keys) }

func (n *Node) setProblem(err error) {
	before := n.swapProblem(err)
	switch {
	case err != nil && !errors.Is(err, errStarting) && (before == nil || before.Error() != err.Error()):
		n.options.Log.Error("this node cannot serve with the others and is not ready", "error", err)
	case err == nil && before != nil && !errors.Is(before, errStarting):
		n.options.Log.Info("this node can serve with the others")
	}
}

func (n *Node) swapProblem(err error) (before error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before, n.problem = n.problem, err
	return before
}

// mismatched reports another node that cannot serve together with this one.
func (n *Node) mismatched(node, release string, err error) {
	n.options.Log.Warn("this node and another one cannot serve each other's users", "node", node, "release", release, "error", err)
}

// ID returns the id of the node: random, of this process.
func (n *Node) ID() string { return n.id }

// Publish implements carrier. The payload is sealed.
func (n *Node) Publish(subject, reply string, payload []byte) (err error) {
	buffer := buffers.Get().(*[]byte)
	*buffer = n.sealer.seal((*buffer)[:0], subject, n.bound(reply), payload)
	if reply == "" {
		err = n.conn.Publish(subject, *buffer)
	} else {
		err = n.conn.PublishRequest(subject, reply, *buffer)
	}
	if cap(*buffer) <= maxPooled {
		buffers.Put(buffer)
	}
	if err != nil && n.conn.IsConnected() { // what is lost while NATS is away is expected
		n.options.Log.Error("publish to NATS", "subject", subject, "error", err)
	}
	return err
}

// bound returns reply if it is the subject of a link, which a message is bound to. Other reply
// subjects are inboxes of the NATS client.
func (n *Node) bound(reply string) string {
	if _, _, ok := n.subjects.parseLink(reply); ok {
		return reply
	}
	return ""
}

// open returns the payload of a message of another node, and counts others.
func (n *Node) open(m *nats.Msg) (payload []byte, ok bool) {
	payload, _, ok = n.openDelayed(m)
	return payload, ok
}

// openDelayed is open, and returns how long the message was on the way.
func (n *Node) openDelayed(m *nats.Msg) (payload []byte, delay time.Duration, ok bool) {
	payload, from, delay, err := n.sealer.open(m.Subject, n.bound(m.Reply), m.Data)
	if err == nil {
		return payload, delay, true
	}
	if errors.Is(err, errOwn) {
		return nil, 0, false
	}
	if errors.Is(err, errUnknownKey) && m.Subject == n.subjects.heartbeat() { // by the directory's goroutine
		n.directory.handleStranger(from)
	}
	if n.foreign.Add(1) == 1 {
		n.options.Log.Warn("another program sends messages on the subjects of this cluster, or a node without a common key; they are ignored", "subject", m.Subject, "error", err)
	}
	return nil, 0, false
}

// MaxPayload returns the size of the largest payload that Publish accepts, in bytes. It is 0
// before the first connection.
func (n *Node) MaxPayload() int64 { return max(0, n.conn.MaxPayload()-sealOverhead) }

// receiveFrame is called for one message at a time, in the order of arrival.
func (n *Node) receiveFrame(m *nats.Msg) {
	if isNoResponders(m) {
		n.links.deliver(m.Subject, m.Reply, nil, true)
		return
	}
	if payload, ok := n.open(m); ok {
		n.links.deliver(m.Subject, m.Reply, payload, false)
	}
}

// isNoResponders reports whether m is the NATS server's: the message with this subject as
// its reply had no receiver.
func isNoResponders(m *nats.Msg) bool {
	return len(m.Data) == 0 && m.Header.Get("Status") == "503"
}

// reconnected is called by the client for the first connection, too.
func (n *Node) reconnected(conn *nats.Conn) {
	var payloadErr error
	if n.options.CheckMaxPayload != nil {
		payloadErr = n.options.CheckMaxPayload(conn.MaxPayload())
	}
	n.markConnected(payloadErr)
	n.options.Log.Info("connected to NATS", "server", conn.ConnectedUrlRedacted(), "node", n.id)
	if payloadErr != nil {
		n.options.Log.Error(payloadErr.Error())
	}
	n.directory.do(n.directory.reconnected)
	n.sessions.lost()
	wait.Wake(n.back)
	if n.options.Connected != nil {
		n.options.Connected()
	}
}

func (n *Node) markConnected(payloadErr error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.connected, n.payloadErr, n.refusal = true, payloadErr, ""
}

// disconnected ends all links: frames may have been lost.
func (n *Node) disconnected(_ *nats.Conn, err error) {
	n.markAway()
	n.links.endAll(errAway)
	if err != nil {
		n.options.Log.Warn("disconnected from NATS", "error", err)
	}
	if n.options.Disconnected != nil {
		n.options.Disconnected(err)
	}
}

func (n *Node) markAway() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.connected {
		n.connected, n.awaySince = false, n.now()
		n.disconnects++
	}
}

// refused logs the first error of attempts to connect, and each one with another text: there
// are several attempts per second.
func (n *Node) refused(_ *nats.Conn, err error) {
	if err != nil && n.swapRefusal(err.Error()) != err.Error() {
		n.options.Log.Warn("connect to NATS; trying again", "error", err)
	}
}

func (n *Node) swapRefusal(text string) (before string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before, n.refusal = n.refusal, text
	return before
}

// failed gets errors that no call returns.
func (n *Node) failed(_ *nats.Conn, sub *nats.Subscription, err error) {
	n.options.Log.Error("NATS client", "error", err)
	if !errors.Is(err, nats.ErrSlowConsumer) {
		return
	}
	switch {
	case sub.Subject == n.subjects.link(n.id, "*"):
		n.links.endAll(errSlowConsumer)
	case n.sessions.isOf(sub):
		n.sessions.lost()
	default:
		n.directory.do(n.directory.resync)
	}
	if n.options.SlowConsumer != nil {
		n.options.SlowConsumer()
	}
}

// Ready returns nil if the node can serve: it is connected to NATS, or away for less than
// 15 s, and has had a key and a link version in common with the others. Else the error says
// why not.
func (n *Node) Ready() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.payloadErr != nil:
		return n.payloadErr
	case !n.connected && n.awaySince.IsZero():
		return fmt.Errorf("%w: not connected yet", errAway)
	case n.problem != nil:
		return n.problem
	case !n.connected && n.now().Sub(n.awaySince) >= awayTime:
		return fmt.Errorf("%w for more than %v", errAway, awayTime)
	}
	return nil
}

// Drain tells the other nodes that this one will end soon.
func (n *Node) Drain() {
	n.directory.do(func() {
		n.directory.draining = true
		n.directory.beat(false)
	})
}

// Close ends all links, says that the node ends, and disconnects. The pages that it still
// has are lost for the other nodes until they join one of those.
func (n *Node) Close() {
	n.links.close()
	n.directory.do(n.directory.bye)
	close(n.stop)
	n.stopped.Wait()
	if n.conn.IsConnected() {
		n.conn.FlushTimeout(natsConnectTime) // best effort
	}
	n.conn.Close()
}

// Stats returns the present figures.
func (n *Node) Stats() gateway.PeerStats {
	stats := gateway.PeerStats{Connected: n.IsConnected(), Unread: n.links.unread.Load(), Foreign: n.foreign.Load()}
	stats.Links, stats.Peers = n.links.count()
	n.directory.do(func() {
		stats.Members = len(n.directory.live())
		stats.Mismatched = n.directory.mismatches()
		stats.Pages = n.directory.heartbeat(false).Pages
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	stats.Disconnects = n.disconnects
	return stats
}
