//go:build embednats

package cluster

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/pagemcp/pagemcp/server/cluster/embed"
	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// An embeddedNATS is what the tests see of an embed.Server.
type embeddedNATS interface {
	embed.Server
	ClientURL() string
	NumRemotes() int
}

// startEmbedded starts three servers whose routes need certificates of one authority.
func startEmbedded(t *testing.T) (servers []embeddedNATS) {
	t.Helper()
	dir := t.TempDir()
	newServerCertificate(t, dir)
	var addresses, routes []string
	for _, port := range testports.Free(t, 3) { // JetStream needs to know routes before there are any
		address := fmt.Sprintf("127.0.0.1:%d", port)
		addresses = append(addresses, address)
		routes = append(routes, `"nats://`+address+`"`)
	}
	for i := range 3 {
		file := filepath.Join(dir, fmt.Sprintf("nats%d.conf", i))
		text := fmt.Sprintf(`server_name: nats%d
jetstream { store_dir: "%s", max_file_store: 1GB, max_memory_store: 1MB }
cluster { name: test, listen: "%s", routes: [%s], tls { cert_file: "%s/server.crt", key_file: "%s/server.key", ca_file: "%s/ca.crt", verify: true } }
`, i, filepath.Join(dir, fmt.Sprint(i)), addresses[i], strings.Join(routes, ", "), dir, dir, dir)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := embed.Start(embed.Options{File: file, KV: true}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		servers = append(servers, s.(embeddedNATS))
	}
	return servers
}

func newServerCertificate(t testing.TB, dir string) {
	newAuthority(t, dir).sign("server", &x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{{127, 0, 0, 1}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// Nodes with a NATS server each find each other's pages, also when one of them has ended
// with its server.
func TestNodesServeWithTheirOwnNATS(t *testing.T) {
	servers := startEmbedded(t)
	for _, s := range servers {
		eventually(t, "servers connected with each one", "2", func() string { return fmt.Sprint(s.NumRemotes()) })
		if err := s.Joined(); err != nil {
			t.Errorf("a connected server: %v", err)
		}
	}
	var nodes []*gatewayNode
	for _, s := range servers {
		nodes = append(nodes, startGatewayWith(t, Options{Server: s}))
	}
	p := newTab(t, "notes")
	nodes[1].join(p)
	client := nodes[0].assistant(t)
	client.watch(cart)
	want(t, "across nodes", client.read(cart), "notes: first for client:test")
	servers[2].Close()
	p.set("second")
	client.update("after the loss of a server")
	want(t, "across nodes without the third", client.read(cart), "notes: second for client:test")
}

// A server listens to its own node alone, whatever another program of this machine presents.
func TestEmbeddedNATSHasOneClient(t *testing.T) {
	server := startEmbedded(t)[0]
	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	for what, credentials := range map[string]nats.Option{
		"nothing":         func(*nats.Options) error { return nil },
		"a name":          nats.UserInfo("node", ""),
		"another key":     nats.Nkey(public, key.Sign),
		"the node's key":  nats.Nkey(server.PublicKey(), server.Sign),
		"the node's name": nats.Nkey(server.PublicKey(), key.Sign),
	} {
		if conn, err := nats.Connect(server.ClientURL(), credentials); err == nil {
			t.Errorf("a connection over TCP with %s is accepted", what)
			conn.Close()
		}
	}
	conn, err := nats.Connect("", nats.InProcessServer(server), nats.Nkey(server.PublicKey(), server.Sign))
	if err != nil {
		t.Fatalf("the node is not accepted: %v", err)
	}
	conn.Close()
}

// A server with routes is not ready before another one has answered.
func TestEmbeddedNATSWaitsForOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(`cluster { name: test, listen: "127.0.0.1:-1", routes: ["nats://127.0.0.1:1"] }`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := embed.Start(embed.Options{File: file}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	node := joined(t, Options{Server: s})
	if err := node.Ready(); err == nil || s.Joined() == nil {
		t.Errorf("it is ready at once: %v", err)
	}
}

func TestEmbeddedNATSRefusals(t *testing.T) {
	dir := t.TempDir()
	newServerCertificate(t, dir)
	tls := fmt.Sprintf(`tls { cert_file: "%s/server.crt", key_file: "%s/server.key", ca_file: "%s/ca.crt", verify: true }`, dir, dir, dir)
	store := fmt.Sprintf(`jetstream { store_dir: "%s" }`, dir)
	open := `cluster { name: a, listen: "0.0.0.0:6222" }`
	noTLS := "add `tls` with `verify: true` to `cluster`"
	tests := []struct {
		text    string
		options embed.Options
		want    string // "" if it is accepted
	}{
		{text: ""},
		{text: store, options: embed.Options{KV: true}},
		{text: "", options: embed.Options{KV: true}, want: "add `jetstream`"},
		{text: "jetstream: enabled", want: "add `store_dir`"},
		{text: "listen: 4222", want: "remove `listen`"},
		{text: "port: 4222", want: "remove `listen`"},
		{text: "accounts { A { users: [{ user: a, password: b }] } }", want: "remove `accounts`"},
		{text: "authorization { token: a }", want: "remove `accounts`"},
		{text: "websocket { port: 8080, no_tls: true }", want: "remove `gateway`"},
		{text: "leafnodes { port: 7422 }", want: "remove `gateway`"},
		{text: "http: 8222", want: "`http` must be on loopback"},
		{text: "http: 127.0.0.1:8222"},
		{text: open, want: noTLS},
		{text: open, options: embed.Options{AllowPlaintext: true}, want: noTLS},
		{text: `cluster { name: a, listen: "0.0.0.0:6222", authorization { user: a, password: b } }`, want: noTLS},
		{text: `cluster { name: a, listen: "0.0.0.0:6222", authorization { user: a, password: b } }`, options: embed.Options{AllowPlaintext: true}},
		{text: `cluster { name: a, listen: "0.0.0.0:6222", ` + tls + ` }`},
		{text: `cluster { listen: "127.0.0.1:6222" }`, want: "add `name`"},
		{text: `cluster { name: a, listen: "127.0.0.1:6222", routes: ["nats://10.0.0.1:6222"] }`, want: noTLS},
		{text: `cluster { name: a, listen: "127.0.0.1:6222", routes: ["nats://127.0.0.1:6223"] }`},
		{text: "cluster {", want: "Unexpected"},
	}
	for _, test := range tests {
		test.options.File = filepath.Join(dir, "nats.conf")
		if err := os.WriteFile(test.options.File, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := embed.Check(test.options)
		if got := fmt.Sprint(err); (test.want == "") != (err == nil) || !strings.Contains(got, test.want) && test.want != "" {
			t.Errorf("%s with %+v: %s, want %q", test.text, test.options, got, test.want)
		}
	}
}

// The configuration of the guide is accepted, and has the times of this package.
func TestDeployedEmbeddedNATS(t *testing.T) {
	dir := t.TempDir()
	newServerCertificate(t, dir)
	options := readDeployed(t, dir, "../../cmd/pagemcpd/deploy/nats-embedded.conf")
	if err := embed.Check(embed.Options{File: filepath.Join(dir, "nats.conf"), KV: true}); err != nil {
		t.Error(err)
	}
	if options.Cluster.PingInterval != natsPing || options.Cluster.MaxPingsOut != maxNATSPings || options.WriteDeadline != natsWriteTime {
		t.Errorf("times: %v, %d, %v", options.Cluster.PingInterval, options.Cluster.MaxPingsOut, options.WriteDeadline)
	}
}
