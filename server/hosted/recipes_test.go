package hosted

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The script makes the certificates for nats.conf and the nodes, and does not replace existing ones. It needs a Unix shell.
func TestCertificatesOfNATSServe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("certificates.sh is for Unix")
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Fatalf("%v: install openssl", err)
	}
	dir := t.TempDir()
	for range 2 {
		if out, err := exec.Command("sh", deploy+"/certificates.sh", dir, "nats1", "nats2").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	load := func(name string) tls.Certificate {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	shake := func(client, name string) (subject string, err error) {
		near, far := net.Pipe()
		server := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{load("server")}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots})
		ended := make(chan error, 1)
		go func() {
			ended <- server.HandshakeContext(t.Context())
			far.Close()
		}()
		dialled := tls.Client(near, &tls.Config{Certificates: []tls.Certificate{load(client)}, RootCAs: roots, ServerName: name})
		err = dialled.HandshakeContext(t.Context())
		near.Close()
		if failed := <-ended; err == nil && failed != nil {
			return "", failed
		}
		if err != nil {
			return "", err
		}
		return server.ConnectionState().PeerCertificates[0].Subject.String(), nil
	}
	subject, err := shake("pagemcpd", "nats2")
	if err != nil || !strings.Contains(readGuide(t, deploy+"/nats.conf"), `user: "`+subject+`"`) {
		t.Errorf("a node is %q, which is no user of nats.conf: %v", subject, err)
	}
	if _, err := shake("server", "nats1"); err != nil { // a route
		t.Error(err)
	}
	if _, err := shake("pagemcpd", "nats3"); err == nil {
		t.Error("a server without a name of its own is accepted")
	}
}
