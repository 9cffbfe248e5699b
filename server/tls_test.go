package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// certificate writes a certificate for 127.0.0.1 and its key, and returns a client that trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir, roots := t.TempDir(), x509.NewCertPool()
	write := func(name, kind string, data []byte) string {
		file, text := filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data})
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if kind == "CERTIFICATE" {
			roots.AppendCertsFromPEM(text)
		}
		return file
	}
	client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	return write("cert.pem", "CERTIFICATE", signed), write("key.pem", "PRIVATE KEY", encoded), client
}

// With a certificate assistants and pages connect by TLS alone, and pages of the gateway's own
// https: origin are told apart from others as before.
func TestGatewayServesTLS(t *testing.T) {
	t.Parallel()
	cert, key, client := certificate(t)
	g, err := New(Options{State: t.TempDir(), Origins: []string{testOrigin}, Version: "0.0.0-test", TLSCert: cert, TLSKey: key})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(context.Background()) }()
	defer func() {
		g.Close(context.Background())
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	if !strings.HasPrefix(g.URL(), "https://127.0.0.1:") || !strings.HasPrefix(g.PageURL(), "wss://127.0.0.1:") {
		t.Errorf("%s, %s", g.URL(), g.PageURL())
	}
	list := func(origin string) (int, string) {
		c := gatewaytest.Client{T: t, URL: strings.TrimSuffix(g.URL(), "/mcp"), Token: g.testToken(), HTTP: client}
		answer, body := c.Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "resources/list", ""), gatewaytest.V2026, "Mcp-Method: resources/list", "Origin: "+origin)
		return answer.StatusCode, body
	}
	own := strings.TrimSuffix(g.URL(), "/mcp")
	for origin, want := range map[string]int{own: 200, strings.Replace(own, "https", "http", 1): 403, "https://evil.example": 403} {
		if status, body := list(origin); status != want {
			t.Errorf("from %s: %d %s", origin, status, body)
		}
	}
	if answer, err := gatewaytest.HTTP.Get(strings.Replace(g.URL(), "https", "http", 1)); err == nil {
		answer.Body.Close()
		if answer.StatusCode != 400 {
			t.Errorf("without TLS: %d", answer.StatusCode)
		}
	}
	open, secret := invited(t, g)
	if open.Address != g.PageURL() {
		t.Errorf("an invitation for %s", open.Address)
	}
	for _, address := range []string{strings.Replace(g.PageURL(), "wss", "ws", 1), g.PageURL()} {
		conn, _, err := websocket.Dial(t.Context(), g.PageURL(), &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"Origin": {testOrigin}}, Subprotocols: []string{gateway.PageProtocol}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		open.Address = address
		done, err := prove(t.Context(), conn, open, testOrigin, secret, &gateway.Hello{Page: "tab", Name: "notes"})
		if joined := err == nil && done.Joined != nil; joined != strings.HasPrefix(address, "wss") {
			t.Errorf("a page that has dialled %s: joined %v, %v", address, joined, err)
		}
	}
	if _, err := New(Options{State: t.TempDir(), TLSCert: cert, TLSKey: cert}); err == nil || !strings.Contains(err.Error(), "read the certificate for TLS") {
		t.Errorf("without a key: %v", err)
	}
}
