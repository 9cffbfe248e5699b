package cluster

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A SessionValues keeps values of sessions in a bucket of JetStream's key-value store. No
// request waits for a write: values are written a little later, in the background. While
// the store is not available, sessions go on without it. See [Node.SessionValues].
type SessionValues struct {
	node   *Node
	bucket string
	stream jetstream.JetStream
	retry  time.Duration // pauseTime

	mu        sync.Mutex
	values    jetstream.KeyValue             // nil until the bucket was found or made
	pausedTil time.Time                      // no value is loaded before that
	waiting   map[string]func([]byte) []byte // updates by key
	changed   chan struct{}                  // has capacity 1
}

const (
	valueTTL      = 7 * 24 * time.Hour     // that of sessions
	maxValue      = 512 << 10              // bytes
	valueReplicas = 3                      // fewer if there are fewer servers
	writeBehind   = 300 * time.Millisecond // so that changes in a row are one write
	loadTime      = 250 * time.Millisecond // for one value
	pauseTime     = 5 * time.Second        // after one that was not loaded, and between tries to write
	writeTime     = 10 * time.Second       // for one value: a new leader is elected within 4 to 9 s
	flushTime     = 2 * time.Second        // for the last ones
	maxWaiting    = 65_536                 // updates; further ones are dropped
	maxConflicts  = 5                      // in a row, with other nodes
	maxWriters    = 16                     // updates that are written at a time
)

func newSessionValues(n *Node, cluster string) (*SessionValues, error) {
	stream, err := jetstream.New(n.conn)
	if err != nil {
		return nil, err
	}
	return &SessionValues{
		node: n, bucket: "pagemcp-" + cluster + "-sessions", stream: stream, retry: cmp.Or(n.options.retryKV, pauseTime),
		waiting: map[string]func([]byte) []byte{}, changed: make(chan struct{}, 1),
	}, nil
}

// SessionValues returns the values of classic sessions that all nodes share, or nil without
// Options.KV.
func (n *Node) SessionValues() *SessionValues { return n.values }

// Load returns the value of key; nil if there is none, or if the store is not available.
func (v *SessionValues) Load(ctx context.Context, key string) []byte {
	bucket := v.loadable()
	if bucket == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	entry, err := bucket.Get(ctx, key)
	switch {
	case err == nil:
		return entry.Value()
	case !errors.Is(err, jetstream.ErrKeyNotFound) && !errors.Is(err, context.Canceled):
		v.pause(err)
	}
	return nil
}

// loadable returns the bucket, or nil while loading is paused.
func (v *SessionValues) loadable() jetstream.KeyValue {
	v.mu.Lock()
	defer v.mu.Unlock()
	if time.Now().Before(v.pausedTil) {
		return nil
	}
	return v.values
}

// pause keeps requests from waiting for a store that does not answer.
func (v *SessionValues) pause(err error) {
	v.node.options.Log.Warn("read the key-value store of NATS", "bucket", v.bucket, "error", err)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pausedTil = time.Now().Add(v.retry)
}

// Update replaces the value of key soon by what update returns for the current one, and
// tries again until it has succeeded. nil means that the current one stays.
func (v *SessionValues) Update(key string, update func(current []byte) []byte) {
	if v.enqueue(key, update, true) {
		signal(v.changed)
		return
	}
	v.node.options.Log.Error("too many changes of sessions wait for the key-value store of NATS", "waiting", maxWaiting)
}

// enqueue adds an update; it replaces another one of the same key if replace is set. It
// returns false if there are too many.
func (v *SessionValues) enqueue(key string, update func([]byte) []byte, replace bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, found := v.waiting[key]; found && !replace {
		return true
	} else if !found && len(v.waiting) >= maxWaiting {
		return false
	}
	v.waiting[key] = update
	return true
}

// run opens the bucket and writes updates until Close, which waits for the last ones.
func (v *SessionValues) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with Close
		defer cancel()
		<-v.node.stop
	}()
	for v.open(ctx) != nil {
		select {
		case <-v.node.back: // the first attempt comes before the connection
		case <-time.After(v.retry):
		case <-ctx.Done():
			return
		}
	}
	defer v.flush()
	for {
		select {
		case <-v.changed:
		case <-ctx.Done():
			return
		}
		if !wait(ctx, writeBehind) {
			return
		}
		if failed := v.writeAll(ctx, v.take()); failed > 0 {
			v.node.options.Log.Warn("changes of sessions are not written to the key-value store of NATS yet", "bucket", v.bucket, "sessions", failed)
			if !wait(ctx, v.retry) {
				return
			}
			signal(v.changed)
		}
	}
}

// flush writes what waits when the node ends.
func (v *SessionValues) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if updates := v.take(); len(updates) > 0 && v.node.IsConnected() {
		v.writeAll(ctx, updates)
	}
}

// wait returns false if ctx ends first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// open finds the bucket or makes it, with as many replicas as there are servers for.
func (v *SessionValues) open(ctx context.Context) error {
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
func (v *SessionValues) create(ctx context.Context, replicas int) (jetstream.KeyValue, error) {
	bucket, err := v.stream.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: v.bucket, Description: "changes of classic sessions, sealed", TTL: valueTTL, MaxValueSize: maxValue, Replicas: replicas,
	})
	if errors.Is(err, jetstream.ErrBucketExists) {
		return v.stream.KeyValue(ctx, v.bucket)
	}
	return bucket, err
}

// take returns all updates that wait.
func (v *SessionValues) take() map[string]func([]byte) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	waiting := v.waiting
	v.waiting = map[string]func([]byte) []byte{}
	return waiting
}

// writeAll writes updates, and returns how many have failed. These wait again.
func (v *SessionValues) writeAll(ctx context.Context, updates map[string]func([]byte) []byte) (failed int) {
	keys := make(chan string)
	var writers sync.WaitGroup
	var mu sync.Mutex
	for range min(maxWriters, len(updates)) {
		writers.Go(func() {
			for key := range keys {
				if v.write(ctx, key, updates[key]) == nil {
					continue
				}
				v.enqueue(key, updates[key], false) // if there are too many, it is dropped
				mu.Lock()
				failed++
				mu.Unlock()
			}
		})
	}
	for key := range updates {
		keys <- key
	}
	close(keys)
	writers.Wait()
	return failed
}

// write updates one value, again if another node has written it meanwhile.
func (v *SessionValues) write(ctx context.Context, key string, update func([]byte) []byte) (err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	for range maxConflicts {
		if err = v.writeOnce(ctx, key, update); !isConflict(err) {
			return err
		}
	}
	return err
}

// isConflict reports whether the value has another revision than the one that was read.
// Servers have one code for streams with replicas, and another one for those without.
func isConflict(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) &&
		(refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func (v *SessionValues) writeOnce(ctx context.Context, key string, update func([]byte) []byte) error {
	var current []byte
	var revision uint64
	switch entry, err := v.values.Get(ctx, key); { // values does not change after open
	case err == nil:
		current, revision = entry.Value(), entry.Revision()
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return err
	}
	value := update(current)
	if value == nil {
		return nil
	}
	_, err := v.values.Update(ctx, key, value, revision)
	if errors.Is(err, nats.ErrMaxPayload) { // it will not fit later either
		v.node.options.Log.Error("the changes of a session exceed max_payload of NATS", "bytes", len(value))
		return nil
	}
	return err
}
