package hosted

import (
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/clock"
)

// certificates holds the certificate of the public listener, which a reload replaces for
// the connections that follow.
type certificates struct {
	current atomic.Pointer[tls.Certificate]
}

// loadCertificate reads a chain and its key. The error says whether they do not match, or
// the certificate has expired or is not valid yet.
func loadCertificate(files TLS) (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return nil, err
	}
	now := clock.Now()
	switch leaf := certificate.Leaf; {
	case now.After(leaf.NotAfter):
		return nil, fmt.Errorf("the certificate in %s has expired at %s; renew it", files.Cert, leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return nil, fmt.Errorf("the certificate in %s is valid from %s on; compare the clock of this machine", files.Cert, leaf.NotBefore.Format(time.RFC3339))
	}
	return &certificate, nil
}

// use replaces the certificate.
func (c *certificates) use(certificate *tls.Certificate) { c.current.Store(certificate) }

var errNoCertificate = errors.New("there is no certificate")

// config returns the configuration of a listener. Assistants may use HTTP/2; WebSockets of
// pages use HTTP/1.1: browsers request it for them by ALPN, unless a server announces RFC
// 8441, which net/http does not.
func (c *certificates) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if certificate := c.current.Load(); certificate != nil {
				return certificate, nil
			}
			return nil, errNoCertificate
		},
	}
}
