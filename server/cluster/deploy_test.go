package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// deployed is the configuration of NATS in the operator's guide.
const deployed = "../../cmd/pagemcpd/deploy/nats.conf"

// An authority signs certificates for one test.
type authority struct {
	t           testing.TB
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, dir string) *authority {
	a := &authority{t: t, dir: dir}
	a.certificate, a.key = a.sign("ca", &x509.Certificate{
		Subject: pkix.Name{CommonName: "test CA"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

// sign writes NAME.crt and NAME.key.
func (a *authority) sign(name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, key
	if a.certificate != nil {
		parent, signer = a.certificate, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for suffix, block := range map[string]*pem.Block{".crt": {Type: "CERTIFICATE", Bytes: der}, ".key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(a.dir, name+suffix), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return certificate, key
}

func (a *authority) client(name string) {
	a.sign(name, &x509.Certificate{Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
}

// readDeployed reads the configuration with files of a test in place of those of the guide.
func readDeployed(t testing.TB, dir, file string) *server.Options {
	t.Helper()
	t.Setenv("NATS_NAME", "nats1")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(name, []byte(strings.NewReplacer("/etc/nats", dir, `"/data"`, `"`+filepath.Join(dir, "data")+`"`).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return options
}

// A logged is a log that a test reads while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// The configuration of the guide has the times of this package, and lets a node do all that
// it needs, and nothing else.
func TestDeployedNATSServesNodes(t *testing.T) {
	dir := t.TempDir()
	ca := newAuthority(t, dir)
	ca.sign("server", &x509.Certificate{
		Subject: pkix.Name{CommonName: "nats1"}, DNSNames: []string{"nats1"}, IPAddresses: []net.IP{{127, 0, 0, 1}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	ca.client("pagemcpd")
	ca.client("stranger")
	options := readDeployed(t, dir, deployed)
	if options.PingInterval != natsPing || options.MaxPingsOut != maxNATSPings || options.Cluster.PingInterval != natsPing || options.WriteDeadline != natsWriteTime || options.MaxPayload < 64<<10 {
		t.Errorf("clients are pinged every %v, routes every %v, and writes have %v", options.PingInterval, options.Cluster.PingInterval, options.WriteDeadline)
	}
	if len(options.Routes) != 3 || options.Cluster.TLSConfig == nil || options.Cluster.Name == "" {
		t.Errorf("routes %v", options.Routes)
	}
	options.Cluster, options.Routes, options.HTTPPort = server.ClusterOpts{}, nil, 0 // one server is enough here
	options.Port = server.RANDOM_PORT
	s := startNATS(t, *options)
	url := "tls://" + s.Addr().String()
	in := func(name string) string { return filepath.Join(dir, name) }
	log := &logged{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log)
		}
	})
	node := func() *Node {
		connected := make(chan struct{}, 10)
		n, err := Connect(Options{
			Cluster: "prod", URLs: []string{url}, CA: in("ca.crt"), Cert: in("pagemcpd.crt"), Key: in("pagemcpd.key"), KV: true, Keys: testKeys("k1"),
			Log: slog.New(slog.NewTextHandler(log, nil)), Connected: func() { connected <- struct{}{} },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		select {
		case <-connected:
		case <-time.After(testTime):
			t.Fatalf("a node has not connected: %s", log)
		}
		if err := n.conn.FlushTimeout(testTime); err != nil {
			t.Fatal(err)
		}
		return n
	}
	a, b := node(), node()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	for _, subject := range []string{a.subjects.prefix + "hb", a.subjects.prefix + "ev.x", a.subjects.prefix + "s.x"} {
		got := make(chan struct{}, 1)
		if _, err := b.conn.Subscribe(subject, func(*nats.Msg) { got <- struct{}{} }); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(b.conn.FlushTimeout(testTime), a.conn.Publish(subject, nil)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-got:
		case <-ctx.Done():
			t.Errorf("nothing came on %s: %s", subject, log)
		}
	}
	for i, value := range []string{"1", "2"} { // made, and then changed by the other node
		writer, reader := []*Node{a, b}[i], []*Node{b, a}[i]
		writer.SessionValues().Update("o", "sid", put(value))
		(&testNode{Node: reader, t: t}).awaitValue("sid", value)
	}
	if text := log.String(); strings.Contains(text, "ermission") {
		t.Errorf("a permission is missing: %s", text)
	}
	for _, subject := range []string{"pagemcp.1.other.hb", ">", "$KV.pagemcp-prod-sessions.>", "$JS.API.>", "$SYS.>"} {
		refused := make(chan error, 10)
		conn, err := nats.Connect(url, nats.RootCAs(in("ca.crt")), nats.ClientCert(in("pagemcpd.crt"), in("pagemcpd.key")),
			nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", subject, err)
			}
		case <-ctx.Done():
			t.Errorf("a node may subscribe to %s", subject)
		}
		conn.Close()
	}
	for name, options := range map[string][]nats.Option{
		"no certificate":       {nats.RootCAs(in("ca.crt"))},
		"that of another user": {nats.RootCAs(in("ca.crt")), nats.ClientCert(in("stranger.crt"), in("stranger.key"))},
	} {
		if conn, err := nats.Connect(url, options...); err == nil {
			conn.Close()
			t.Errorf("%s: connected", name)
		}
	}
}
