// Package natskv keeps what the nodes of a hosted gateway share in two buckets of NATS JetStream.
package natskv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// Settings of the NATS client.
const (
	inboxPrefix   = "_INBOX_pagemcp"       // the permissions of the node's user name it
	reconnectWait = 250 * time.Millisecond // and as much jitter
	pingEvery     = 2 * time.Second        // with maxPings: a frozen server is left after 4 to 6 s
	maxPings      = 2
	connectTime   = 2 * time.Second
	replicas      = 3       // of a bucket; 1 if there are fewer servers
	maxNodes      = 1 << 20 // bytes of the bucket of nodes
	maxSessions   = 1 << 30 // bytes of the bucket of sessions
	overhead      = 4 << 10 // bytes of a message besides its value
	maxPayload    = mcphttp.MaxStored + overhead
)

// Open returns a Store, which connects in the background. The error is about the configuration
// alone.
func Open(c config.Cluster, log *slog.Logger) (*ring.Store, error) {
	conn, err := dial(c.NATS, log)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	stream, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	of := func(name, description string, expiry time.Duration, bytes int64, storage jetstream.StorageType) *bucket {
		return &bucket{stream: stream, log: log, config: jetstream.KeyValueConfig{
			Bucket: "pagemcp-" + c.Name + "-" + name, Description: description, TTL: expiry, MaxBytes: bytes, MaxValueSize: maxPayload, Storage: storage,
		}}
	}
	return &ring.Store{
		Nodes:    of("nodes", "nodes that are alive", ring.Expiry, maxNodes, jetstream.MemoryStorage),
		Sessions: of("sessions", "sessions of assistants", ring.SessionExpiry, maxSessions, jetstream.FileStorage),
		Host:     func() (string, error) { return ownAddress(c.NATS.URLs[0]) },
		Close:    conn.Close,
	}, nil
}

func dial(c config.NATS, log *slog.Logger) (*nats.Conn, error) {
	options := nats.GetDefaultOptions()
	options.Servers = c.URLs
	settings := []nats.Option{
		nats.Name("pagemcpd"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectWait, reconnectWait),
		nats.ReconnectBufSize(-1), // writes fail while NATS is away: nothing stale is sent later
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(maxPings), nats.Timeout(connectTime), nats.CustomInboxPrefix(inboxPrefix),
		nats.ConnectHandler(func(c *nats.Conn) { connected(c, log) }), nats.ReconnectHandler(func(c *nats.Conn) { connected(c, log) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { log.Warn("disconnected from NATS", "error", err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Error("NATS client", "error", err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { log.Debug("connect to NATS; trying again", "error", err) }),
	}
	if c.Creds != "" {
		settings = append(settings, nats.UserCredentials(c.Creds)) // read at each connect
	}
	if c.TLS.CA != "" {
		settings = append(settings, nats.RootCAs(c.TLS.CA))
	}
	if c.TLS.Cert != "" {
		settings = append(settings, nats.ClientCert(c.TLS.Cert, c.TLS.Key))
	}
	for _, set := range settings {
		if err := set(&options); err != nil {
			return nil, err
		}
	}
	return options.Connect()
}

func connected(c *nats.Conn, log *slog.Logger) {
	log.Info("connected to NATS", "server", c.ConnectedUrlRedacted())
	if c.MaxPayload() < maxPayload {
		log.Error("max_payload of the NATS server is too small for sessions; raise it in nats.conf, its default is 1 MiB", "bytes", c.MaxPayload(), "want", maxPayload)
	}
}

// ownAddress returns the address from which this machine reaches a NATS server. Nothing is sent.
func ownAddress(server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		port = "4222"
	}
	conn, err := net.Dial("udp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).IP.String(), nil
}

// A bucket implements [ring.Bucket]. It is found or made by its first use that succeeds.
type bucket struct {
	stream jetstream.JetStream
	log    *slog.Logger
	config jetstream.KeyValueConfig

	mu sync.Mutex
	kv jetstream.KeyValue // nil until it is there
}

func (b *bucket) known() jetstream.KeyValue {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kv
}

// open returns the bucket, with three replicas where there are servers for them.
func (b *bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	if kv := b.known(); kv != nil {
		return kv, nil
	}
	kv, err := b.stream.KeyValue(ctx, b.config.Bucket)
	for _, count := range []int{replicas, 1} {
		if !errors.Is(err, jetstream.ErrBucketNotFound) {
			break
		}
		config := b.config
		config.Replicas = count
		kv, err = b.stream.CreateKeyValue(ctx, config)
		refused := (*jetstream.APIError)(nil)
		switch {
		case errors.Is(err, jetstream.ErrBucketExists): // another node was faster
			kv, err = b.stream.KeyValue(ctx, b.config.Bucket)
		case errors.As(err, &refused) && count > 1:
			err = jetstream.ErrBucketNotFound
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s: %w", b.config.Bucket, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kv = kv
	return kv, nil
}

// failed forgets a bucket that does not exist any more, as after all servers have lost it.
func (b *bucket) failed(err error) {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.kv = nil
	}
}

// Get implements [ring.Bucket].
func (b *bucket) Get(ctx context.Context, key string) (value []byte, revision uint64, err error) {
	kv, err := b.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	entry, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		b.failed(err)
		return nil, 0, err
	}
	return entry.Value(), entry.Revision(), nil
}

// Put implements [ring.Bucket].
func (b *bucket) Put(ctx context.Context, key string, value []byte, last uint64) (revision uint64, err error) {
	kv, err := b.open(ctx)
	if err != nil {
		return 0, err
	}
	switch last {
	case ring.AnyRevision:
		revision, err = kv.Put(ctx, key, value)
	case 0:
		revision, err = kv.Create(ctx, key, value)
	default:
		revision, err = kv.Update(ctx, key, value, last)
	}
	refused := (*jetstream.APIError)(nil)
	if errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return 0, ring.ErrRevision
	}
	if err != nil {
		b.failed(err)
	}
	return revision, err
}

// Delete implements [ring.Bucket].
func (b *bucket) Delete(ctx context.Context, key string) error {
	kv, err := b.open(ctx)
	if err != nil {
		return err
	}
	return kv.Delete(ctx, key)
}

// Watch implements [ring.Bucket].
func (b *bucket) Watch(ctx context.Context, changed func(key string, value []byte)) error {
	opening, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	kv, err := b.open(opening)
	if err != nil {
		return err
	}
	watcher, err := kv.WatchAll(ctx)
	if err != nil {
		b.failed(err)
		return err
	}
	defer watcher.Stop()
	for {
		select {
		case entry, ok := <-watcher.Updates():
			switch {
			case !ok:
				return errors.New("the watch has ended")
			case entry == nil:
				changed("", nil)
			case entry.Operation() == jetstream.KeyValuePut:
				changed(entry.Key(), entry.Value())
			default:
				changed(entry.Key(), nil)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
