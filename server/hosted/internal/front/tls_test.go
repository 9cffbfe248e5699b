package front

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// writeCertificate writes a certificate for 127.0.0.1 with a serial number, and its key.
func writeCertificate(t testing.TB, dir string, serial int64, from, until time.Time) config.TLS {
	t.Helper()
	cert, key := configtest.Certificate(t, dir, serial, from, until)
	return config.TLS{Cert: cert, Key: key}
}

func hourAround(now time.Time) (from, until time.Time) {
	return now.Add(-time.Hour), now.Add(time.Hour)
}

func loadPair(files config.TLS) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	return &pair, err
}

// serveTLS serves handler over TLS, and returns the address and its certificates.
func serveTLS(t *testing.T, handler http.Handler) (address string, secure *Certificates) {
	t.Helper()
	secure = &Certificates{}
	from, until := hourAround(time.Now())
	certificate, err := loadPair(writeCertificate(t, t.TempDir(), 1, from, until))
	if err != nil {
		t.Fatal(err)
	}
	secure.Use(certificate)
	l, err := Listen("127.0.0.1:0", secure, NewProxies(nil, true, nil), handler, nil, 8_000, nil, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- l.Serve() }() // ends with Close
	t.Cleanup(func() {
		l.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Address().String(), secure
}

func clientOf(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	config.InsecureSkipVerify = true // the certificate signs itself; what is tested is ALPN
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// HTTP/2 and WebSockets work on one address, also for a client whose requests before used
// HTTP/2.
func TestWebSocketsAndHTTP2OnOneAddress(t *testing.T) {
	address, _ := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			w.Header().Set("X-Protocol", r.Proto)
			return
		}
		if !socket.WantsUpgrade(w, r) {
			return
		}
		conn, err := socket.Accept(w, r, "pagemcp.v1")
		if err != nil {
			return
		}
		defer conn.CloseNow()
		if kind, frame, err := conn.Read(context.WithoutCancel(r.Context())); err == nil {
			conn.Write(context.WithoutCancel(r.Context()), kind, append([]byte(r.Proto+" "), frame...))
		}
		conn.Close(websocket.StatusNormalClosure, "")
	}))
	client := clientOf(t, &tls.Config{})
	for range 2 {
		response, err := client.Get("https://" + address + "/mcp")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := response.Header.Get("X-Protocol"); got != "HTTP/2.0" {
			t.Errorf("a request uses %s", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		conn, _, err := websocket.Dial(ctx, "wss://"+address+"/page", &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{"pagemcp.v1"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(ctx, websocket.MessageText, []byte("hello")); err != nil {
			t.Fatal(err)
		}
		if _, frame, err := conn.Read(ctx); err != nil || string(frame) != "HTTP/1.1 hello" {
			t.Errorf("%q, %v", frame, err)
		}
		conn.CloseNow()
	}
	old := clientOf(t, &tls.Config{NextProtos: []string{"http/1.1"}})
	old.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	response, err := old.Get("https://" + address + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := response.Header.Get("X-Protocol"); got != "HTTP/1.1" {
		t.Errorf("a client of HTTP/1.1 uses %s", got)
	}
}

// A response before the end of the body ends the stream of HTTP/2, and not the connection
// with all requests of its client.
func TestAnEarlyResponseKeepsTheHTTP2Connection(t *testing.T) {
	address, _ := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Peer", r.RemoteAddr)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	client := clientOf(t, &tls.Config{})
	peers := map[string]bool{}
	for range 3 {
		response, err := client.Post("https://"+address+"/mcp", "application/json", strings.NewReader(strings.Repeat(" ", 4<<20)))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		peers[response.Header.Get("X-Peer")] = true
		if response.StatusCode != 401 || response.ProtoMajor != 2 || response.Header.Get("Connection") != "" {
			t.Errorf("%s %s %v", response.Proto, response.Status, response.Header)
		}
	}
	if len(peers) != 1 {
		t.Errorf("%d connections", len(peers))
	}
}

// A new certificate is for new connections; those that are open go on.
func TestCertificatesAreReplaced(t *testing.T) {
	address, secure := serveTLS(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	serial := func(c *http.Client) int64 {
		response, err := c.Get("https://" + address + "/")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	open := clientOf(t, &tls.Config{})
	if got := serial(open); got != 1 {
		t.Fatalf("certificate %d", got)
	}
	from, until := hourAround(time.Now())
	next, err := loadPair(writeCertificate(t, t.TempDir(), 2, from, until))
	if err != nil {
		t.Fatal(err)
	}
	secure.Use(next)
	if got := serial(open); got != 1 {
		t.Errorf("the open connection has certificate %d", got)
	}
	if got := serial(clientOf(t, &tls.Config{})); got != 2 {
		t.Errorf("a new connection has certificate %d", got)
	}
}

func TestOldVersionsOfTLSAreRejected(t *testing.T) {
	address, _ := serveTLS(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for version, accepted := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
		if (err == nil) != accepted {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			conn.Close()
		}
	}
}
