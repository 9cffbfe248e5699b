package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/pagemcp/pagemcp/server/internal/testports"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// testTime is how long a test waits for what must come.
const testTime = 30 * time.Second

// startNATS starts a NATS server on loopback. Port 0 means any.
func startNATS(t testing.TB, options server.Options) *server.Server {
	t.Helper()
	options.Host, options.NoLog, options.NoSigs = "127.0.0.1", true, true
	if options.Port == 0 {
		options.Port = testports.Free(t, 1)[0] // tests start another one there
	}
	s, err := server.NewServer(&options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(testTime) {
		t.Fatal("the NATS server does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// A testNode is a Node whose events a test awaits.
type testNode struct {
	*Node
	t            testing.TB
	connected    chan struct{}
	disconnected chan struct{}
	slow         chan struct{}
}

func (n *testNode) await(what string, event <-chan struct{}) {
	n.t.Helper()
	select {
	case <-event:
	case <-time.After(testTime):
		n.t.Fatalf("node %s: nothing %s", n.id, what)
	}
}

// freeze lets the node answer no questions of others until resume is called.
func (n *testNode) freeze() (resume func()) {
	n.t.Helper()
	frozen, gate := make(chan struct{}), make(chan struct{})
	go n.directory.do(func() {
		close(frozen)
		<-gate
	})
	select {
	case <-frozen:
	case <-time.After(testTime):
		n.t.Fatalf("node %s: its directory does not run", n.id)
	}
	resume = sync.OnceFunc(func() { close(gate) })
	n.t.Cleanup(resume)
	return resume
}

// startNode starts a node and waits until it is connected, unless options say otherwise.
func startNode(t testing.TB, options Options) *testNode {
	t.Helper()
	n := &testNode{t: t, connected: make(chan struct{}, 100), disconnected: make(chan struct{}, 100), slow: make(chan struct{}, 100)}
	options.Cluster, options.Log = "test", slog.New(slog.DiscardHandler)
	if options.Keys == nil {
		options.Keys = testKeys("k1")
	}
	options.Connected = func() { n.connected <- struct{}{} }
	options.Disconnected = func(error) { n.disconnected <- struct{}{} }
	options.SlowConsumer = func() { n.slow <- struct{}{} }
	node, err := Connect(options)
	if err != nil {
		t.Fatal(err)
	}
	n.Node = node
	t.Cleanup(node.Close)
	return n
}

// joined starts a node, and waits until other nodes reach it.
func joined(t testing.TB, options Options) *testNode {
	t.Helper()
	n := startNode(t, options)
	n.await("connected", n.connected)
	if err := n.conn.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	return n
}

func echo(ctx context.Context, p jsonrpc.Port) {
	for {
		msg, err := p.Read(ctx)
		if err != nil || p.Write(ctx, msg) != nil {
			return
		}
	}
}

func serving(serve func(context.Context, jsonrpc.Port)) func(string, string, int64) (func(context.Context, jsonrpc.Port), error) {
	return func(string, string, int64) (func(context.Context, jsonrpc.Port), error) { return serve, nil }
}

func (n *testNode) awaitEnd(l *link) error {
	n.t.Helper()
	n.await("ended the link", l.done)
	return l.why()
}

// Frames of all kinds pass a real server, whose max_payload bounds the chunks.
func TestLinkOverNATS(t *testing.T) {
	for _, maxPayload := range []int32{64 << 10, 1 << 20} {
		t.Run(fmt.Sprint(maxPayload), func(t *testing.T) {
			urls := []string{startNATS(t, server.Options{MaxPayload: maxPayload}).ClientURL()}
			a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
			b.links.serve = serving(echo)
			l := a.links.dialTest(t, b.links)
			for i, size := range []int{0, 1, 60_000, 65_536, window + 1, maxMessage} {
				if err := l.Write(t.Context(), message(i, size)); err != nil {
					t.Fatalf("write: %v; %v", err, l.why())
				}
				if msg, err := l.Read(t.Context()); err != nil || !bytes.Equal(msg, message(i, size)) {
					t.Fatalf("%d bytes came back as %d: %v; %v", size, len(msg), err, l.why())
				}
			}
		})
	}
}

// A node that is gone is known at once: NATS answers that the frame has no receiver.
func TestGoneNodeIsNoticedOverNATS(t *testing.T) {
	urls := []string{startNATS(t, server.Options{}).ClientURL()}
	a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	b.links.serve = serving(echo)
	l := a.links.dialTest(t, b.links)
	b.conn.Close() // no frame says that its links have ended
	b.await("disconnected", b.disconnected)
	eventually(t, "the link", "ended", func() string { // the server may not have noticed the end of b at the first frame
		if l.Write(t.Context(), []byte("x")) == nil {
			return "open"
		}
		return "ended"
	})
	if err := a.awaitEnd(l); !errors.Is(err, errNoReceiver) {
		t.Errorf("the link ended by %v", err)
	}
	eventually(t, "dial", "no receiver", func() string { // NATS may take longer than dialTime on a loaded machine
		_, err := a.links.dial(t.Context(), b.id, opening{Owner: testOwner, Page: testPage})
		if errors.Is(err, errNoReceiver) {
			return "no receiver"
		}
		return fmt.Sprint(err)
	})
}

// The NATS server restarts: all links end at once, nothing that was written meanwhile is
// sent later, and new links can be opened when it is back.
func TestRestartOfNATSEndsLinks(t *testing.T) {
	s := startNATS(t, server.Options{})
	urls := []string{s.ClientURL()}
	a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	b.links.serve = serving(echo)
	l := a.links.dialTest(t, b.links)
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	a.await("disconnected", a.disconnected)
	b.await("disconnected", b.disconnected)
	// errNoReceiver if the server has disconnected b first.
	if err := a.awaitEnd(l); !errors.Is(err, errAway) && !errors.Is(err, nats.ErrReconnectBufExceeded) && !errors.Is(err, errNoReceiver) {
		t.Errorf("the link ended by %v", err)
	}
	if err := l.Write(t.Context(), []byte("stale")); err != jsonrpc.ErrClosed {
		t.Errorf("write: %v", err)
	}
	if _, err := a.links.dial(t.Context(), b.id, opening{Owner: testOwner, Page: testPage}); err == nil {
		t.Error("dial without NATS succeeded")
	}
	if err := a.Ready(); errors.Is(err, errAway) {
		t.Errorf("not ready at once: %v", err)
	}
	if links := a.Stats().Links + b.Stats().Links; links != 0 {
		t.Errorf("%d links remain", links)
	}
	startNATS(t, server.Options{Port: port})
	a.await("connected again", a.connected)
	b.await("connected again", b.connected)
	b.conn.FlushTimeout(testTime)
	l = a.links.dialTest(t, b.links)
	l.Write(t.Context(), []byte("fresh"))
	if msg, err := l.Read(t.Context()); string(msg) != "fresh" {
		t.Errorf("read: %q, %v", msg, err)
	}
}

// A node without NATS is ready for 15 s, one that never had it is not.
func TestReadinessFollowsNATS(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	n := &Node{options: Options{Log: slog.New(slog.DiscardHandler)}, now: func() time.Time { return now }}
	n.links = newLinks(newID(), newSubjects("test"), silence{})
	n.directory = newDirectory(n.links.node, n.links.subjects, nil, n.links)
	close(n.directory.ended)
	if err := n.Ready(); !errors.Is(err, errAway) {
		t.Errorf("before the first connection: %v", err)
	}
	n.markConnected(nil)
	if err := n.Ready(); err != nil {
		t.Errorf("connected: %v", err)
	}
	n.disconnected(nil, nil)
	now = now.Add(awayTime - 1)
	n.disconnected(nil, nil) // a failed attempt does not start the time again
	if err := n.Ready(); err != nil {
		t.Errorf("away for less than %v: %v", awayTime, err)
	}
	now = now.Add(1)
	if err := n.Ready(); !errors.Is(err, errAway) {
		t.Errorf("away for %v: %v", awayTime, err)
	}
	n.markConnected(nil)
	if err := n.Ready(); err != nil {
		t.Errorf("connected again: %v", err)
	}
	n.markConnected(errors.New("max_payload is too small"))
	if err := n.Ready(); err == nil || err.Error() != "max_payload is too small" {
		t.Errorf("with a small max_payload: %v", err)
	}
}

// A node starts while NATS is away, and is usable when that comes.
func TestNodeWaitsForNATS(t *testing.T) {
	s := startNATS(t, server.Options{})
	port := s.Addr().(*net.TCPAddr).Port
	url := s.ClientURL()
	s.Shutdown()
	s.WaitForShutdown()
	n := startNode(t, Options{URLs: []string{url}, CheckMaxPayload: func(size int64) error { return fmt.Errorf("max_payload is %d", size) }})
	if err := n.Ready(); !errors.Is(err, errAway) {
		t.Errorf("without NATS: %v", err)
	}
	startNATS(t, server.Options{Port: port, MaxPayload: 1000})
	n.await("connected", n.connected)
	if err := n.Ready(); err == nil || err.Error() != "max_payload is 1000" {
		t.Errorf("ready: %v", err)
	}
}

// A reader of the NATS connection that is too slow loses frames: all links end.
func TestSlowConsumerEndsLinks(t *testing.T) {
	urls := []string{startNATS(t, server.Options{}).ClientURL()}
	a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	b.links.serve = serving(echo)
	l := a.links.dialTest(t, b.links)
	a.failed(a.conn, &nats.Subscription{Subject: a.subjects.link(a.id, "*")}, nats.ErrSlowConsumer)
	a.await("reported", a.slow)
	if err := a.awaitEnd(l); err != errSlowConsumer {
		t.Errorf("the link ended by %v", err)
	}
}

// TLS, a credentials file, and a user with no more permissions than a node needs.
func TestNodeOverTLSWithCredentials(t *testing.T) {
	dir := t.TempDir()
	certificate := newCertificate(t, filepath.Join(dir, "ca.pem"))
	operator, account, user := newNKey(t, nkeys.CreateOperator), newNKey(t, nkeys.CreateAccount), newNKey(t, nkeys.CreateUser)
	accountJWT, err := jwt.NewAccountClaims(public(t, account)).Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(public(t, user))
	claims.Permissions.Pub.Allow.Add("pagemcp.1.test.>")
	claims.Permissions.Sub.Allow.Add("pagemcp.1.test.>", inboxPrefix+".>")
	userJWT, err := claims.Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, _ := user.Seed()
	creds, err := jwt.FormatUserConfig(userJWT, seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "node.creds")
	if err := os.WriteFile(file, creds, 0o600); err != nil {
		t.Fatal(err)
	}
	resolver := &server.MemAccResolver{}
	resolver.Store(public(t, account), accountJWT)
	s := startNATS(t, server.Options{
		TLS: true, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}, TLSTimeout: testTime.Seconds(),
		TrustedKeys: []string{public(t, operator)}, AccountResolver: resolver,
	})
	options := Options{URLs: []string{strings.Replace(s.ClientURL(), "nats://", "tls://", 1)}, Creds: file, CA: filepath.Join(dir, "ca.pem")}
	a, b := joined(t, options), joined(t, options)
	b.links.serve = serving(echo)
	l := a.links.dialTest(t, b.links)
	l.Write(t.Context(), []byte("hello"))
	if msg, err := l.Read(t.Context()); string(msg) != "hello" {
		t.Errorf("read: %q, %v", msg, err)
	}
	if err := a.conn.LastError(); err != nil {
		t.Errorf("permissions: %v", err)
	}
	options.CA = filepath.Join(dir, "absent.pem")
	if _, err := Connect(options); err == nil {
		t.Error("a missing file of authorities was accepted")
	}
}

func newNKey(t *testing.T, create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	t.Helper()
	key, err := create()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func public(t *testing.T, key nkeys.KeyPair) string {
	t.Helper()
	text, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// newCertificate returns a certificate for 127.0.0.1, and writes it as its own authority.
func newCertificate(t *testing.T, file string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
