package front

import (
	"crypto/tls"
	"errors"
	"sync/atomic"
)

// Certificates holds the certificate of the public listener, which a reload replaces for
// the connections that follow.
type Certificates struct {
	current atomic.Pointer[tls.Certificate]
}

// Use replaces the certificate.
func (c *Certificates) Use(certificate *tls.Certificate) { c.current.Store(certificate) }

var errNoCertificate = errors.New("there is no certificate")

// config returns the configuration of a listener. Assistants may use HTTP/2; WebSockets of
// pages use HTTP/1.1: browsers request it for them by ALPN, unless a server announces RFC
// 8441, which net/http does not.
func (c *Certificates) config() *tls.Config {
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
