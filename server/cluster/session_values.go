package cluster

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// A sessionValues keeps values of sessions in a bucket of JetStream's key-value store. No
// request waits for a write: values are written a little later, in the background. While
// the store is not available, sessions go on without it. See [Node.SessionValues].
type sessionValues struct {
	node   *Node
	bucket string
	stream jetstream.JetStream
	retry  time.Duration // pauseTime

	mu        sync.Mutex
	values    jetstream.KeyValue     // nil until the bucket was found or made
	pausedTil time.Time              // no value is loaded before that
	failing   bool                   // the last values were not written
	waiting   map[string]*ownUpdates // by owner
	count     int                    // of updates in waiting
	refused   int                    // since refusals were logged
	changed   chan struct{}          // has capacity 1
}

const (
	valueTTL      = 7 * 24 * time.Hour     // that of sessions
	markerTTL     = time.Hour              // of what is left of a deleted value: longer than an update that is under way
	maxValue      = 512 << 10              // bytes
	valueReplicas = 3                      // fewer if there are fewer servers
	writeBehind   = 300 * time.Millisecond // so that changes in a row are one write
	loadTime      = 250 * time.Millisecond // for one value
	pauseTime     = 5 * time.Second        // after one that was not loaded, and at most between attempts to open the bucket and to write
	firstPause    = 250 * time.Millisecond // after the first attempt; doubled for each further one
	writeTime     = 2 * time.Second        // for one attempt to open the bucket or to write a value
	flushTime     = 12 * time.Second       // for the last ones: JetStream takes 4 to 9 s to choose a leader
	maxBytes      = 256 << 20              // of the bucket
	maxWaiting    = 65_536                 // updates; further ones are dropped
	maxConflicts  = 5                      // in a row, with other nodes
	maxWriters    = 16                     // updates that are written at a time
)

func newSessionValues(n *Node, cluster string) (*sessionValues, error) {
	stream, err := jetstream.New(n.conn)
	if err != nil {
		return nil, err
	}
	return &sessionValues{
		node: n, bucket: "pagemcp-" + cluster + "-sessions", stream: stream, retry: cmp.Or(n.options.retryKV, pauseTime),
		waiting: map[string]*ownUpdates{}, changed: wait.NewSignal(),
	}, nil
}

// SessionValues implements [gateway.Peers]: it returns nil without Options.KV.
func (n *Node) SessionValues() gateway.SessionValues {
	if n.values == nil {
		return nil
	}
	return n.values
}

// errPaused is the error of Load while there is no bucket, or for a while after it did not
// answer.
var errPaused = errors.New("the key-value store of NATS does not answer")

// Load returns the value of key; nil if there is none. The error says that the store is not
// available.
func (v *sessionValues) Load(ctx context.Context, key string) ([]byte, error) {
	bucket := v.loadable()
	if bucket == nil {
		return nil, errPaused
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	entry, err := bucket.Get(ctx, key)
	switch {
	case err == nil:
		return entry.Value(), nil
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, nil
	case !errors.Is(err, context.Canceled):
		v.pause(err)
	}
	return nil, err
}

// IsAvailable reports whether updates are written now, as far as this node knows.
func (v *sessionValues) IsAvailable() bool {
	return v.loadable() != nil && !v.isFailing() && v.node.IsConnected()
}

func (v *sessionValues) isFailing() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failing
}

func (v *sessionValues) setFailing(failing bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failing = failing
}

// loadable returns the bucket, or nil while loading is paused.
func (v *sessionValues) loadable() jetstream.KeyValue {
	v.mu.Lock()
	defer v.mu.Unlock()
	if time.Now().Before(v.pausedTil) {
		return nil
	}
	return v.values
}

// pause keeps requests from waiting for a store that does not answer.
func (v *sessionValues) pause(err error) {
	v.node.options.Log.Warn("read the key-value store of NATS", "bucket", v.bucket, "error", err)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pausedTil = time.Now().Add(v.retry)
}

// Update replaces the value of key, which is one of owner, soon by what update returns for
// the current one, and tries again until it has succeeded. nil means that the current one
// stays, and an empty value deletes it.
func (v *sessionValues) Update(owner, key string, update func(current []byte) []byte) {
	v.enqueue(owner, key, update, true)
	wait.Wake(v.changed)
}

// run opens the bucket and writes updates until Close, which waits for the last ones.
func (v *sessionValues) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with Close
		defer cancel()
		<-v.node.stop
	}()
	defer v.flush()
	pauses := v.pauses()
	for v.open(ctx) != nil {
		select {
		case <-v.node.back: // the first attempt comes before the connection
		case <-time.After(pauses()):
		case <-ctx.Done():
			return
		}
	}
	pauses = v.pauses()
	for {
		select {
		case <-v.changed:
		case <-ctx.Done():
			return
		}
		if !wait.For(ctx, writeBehind) {
			return
		}
		failed := v.writeAll(ctx, v.take(time.Now()), false)
		v.setFailing(failed > 0)
		if refused := v.takeRefused(); refused > 0 {
			v.node.options.Log.Error("changes of sessions are lost: too many wait for the key-value store of NATS", "bucket", v.bucket, "sessions", refused)
		}
		if failed == 0 {
			pauses = v.pauses()
			if v.waitingUpdates() > 0 { // updates of owners that have written much
				wait.Wake(v.changed)
			}
			continue
		}
		v.node.options.Log.Warn("changes of sessions are not written to the key-value store of NATS yet", "bucket", v.bucket, "sessions", failed)
		if !wait.For(ctx, pauses()) {
			return
		}
		wait.Wake(v.changed)
	}
}

// pauses returns the pauses after attempts that fail in a row.
func (v *sessionValues) pauses() (next func() time.Duration) {
	pause := min(firstPause, v.retry)
	return func() time.Duration {
		current := pause
		pause = min(2*pause, v.retry)
		return current
	}
}

// flush writes what waits when the node ends, and tries again while JetStream may be about to
// become available, also to open the bucket.
func (v *sessionValues) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	pauses := v.pauses()
	for v.waitingUpdates() > 0 && v.node.IsConnected() {
		if v.isOpen() || v.open(ctx) == nil {
			if v.writeAll(ctx, v.takeAll(), true) == 0 {
				return
			}
		}
		if !wait.For(ctx, pauses()) {
			v.node.options.Log.Error("changes of sessions are lost: they could not be written to the key-value store of NATS", "bucket", v.bucket, "sessions", v.waitingUpdates())
			return
		}
	}
}

func (v *sessionValues) isOpen() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.values != nil
}

// open finds the bucket or makes it, with as many replicas as there are servers for.
func (v *sessionValues) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	bucket, err := v.stream.KeyValue(ctx, v.bucket)
	for replicas := valueReplicas; replicas > 0 && errors.Is(err, jetstream.ErrBucketNotFound); replicas -= 2 {
		bucket, err = v.create(ctx, replicas)
		if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) && replicas > 1 {
			err = jetstream.ErrBucketNotFound // with fewer
		}
	}
	if err != nil {
		if v.node.IsConnected() { // while NATS is away it is expected
			v.node.options.Log.Warn("open the key-value store of NATS", "bucket", v.bucket, "error", err)
		}
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.values = bucket
	return nil
}

// create makes the bucket, unless another node has made it meanwhile.
func (v *sessionValues) create(ctx context.Context, replicas int) (jetstream.KeyValue, error) {
	bucket, err := v.stream.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: v.bucket, Description: "changes of classic sessions, sealed", TTL: valueTTL, LimitMarkerTTL: markerTTL, MaxValueSize: maxValue, MaxBytes: maxBytes, Replicas: replicas,
	})
	if errors.Is(err, jetstream.ErrBucketExists) {
		return v.stream.KeyValue(ctx, v.bucket)
	}
	return bucket, err
}
