package config

import (
	"crypto/x509"
	"net/url"
	"os"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/keys"
)

const maxClusterName = 32 // characters

// cluster checks how the nodes are connected. Tokens and contents pass between them, and NATS has
// the documents of sessions, so both need TLS and credentials, unless they are on loopback.
func (c *checker) cluster(cluster Cluster) {
	if !isClusterName(cluster.Name) {
		c.refuse("cluster.name", "want 1 to %d characters of a-z, 0-9 and `-`, like prod", maxClusterName)
	}
	c.internal(cluster.Internal)
	nats := cluster.NATS
	if len(nats.URLs) == 0 {
		c.refuse("cluster.nats.urls", "it is missing; set the NATS servers, like [tls://nats:4222], or remove `cluster` for a single node")
	}
	remote := false
	for _, address := range nats.URLs {
		remote = c.natsURL(address, nats.AllowPlaintext) || remote
	}
	if remote && nats.Creds == "" && nats.TLS.Cert == "" {
		c.refuse("cluster.nats.creds", "it is missing; set the credentials file of the node's NATS user, or a client certificate in cluster.nats.tls")
	}
	if nats.Creds != "" {
		if _, err := os.ReadFile(nats.Creds); err != nil {
			c.refuse("cluster.nats.creds", "%v; want the credentials file of the node's NATS user", err)
		} else if err := keys.CheckPrivate(nats.Creds); err != nil {
			c.refuse("cluster.nats.creds", "%v", err)
		}
	}
	if nats.TLS.Cert != "" || nats.TLS.Key != "" {
		c.certificate("cluster.nats.tls", TLS{nats.TLS.Cert, nats.TLS.Key})
	}
	c.authorities("cluster.nats.tls.ca", nats.TLS.CA)
}

// internal checks the address for the other nodes.
func (c *checker) internal(inside Internal) {
	c.address("cluster.internal.listen", inside.Listen)
	const key = "cluster.internal.tls"
	switch files := inside.TLS; {
	case files != MutualTLS{} && (files.CA == "" || files.Cert == "" || files.Key == ""):
		c.refuse(key, "want three files, { ca: FILE, cert: FILE, key: FILE }")
	case files != MutualTLS{}:
		c.certificate(key, TLS{files.Cert, files.Key})
		c.authorities(key+".ca", files.CA)
	case !inside.AllowPlaintext && !IsLoopback(inside.Listen):
		c.refuse(key, "it is missing; set { ca: FILE, cert: FILE, key: FILE } with a certificate for the name pagemcpd of an authority of your own, or cluster.internal.allowPlaintext: true if the network is encrypted")
	}
}

// authorities checks a file of certificates, if there is one.
func (c *checker) authorities(key, name string) {
	if name == "" {
		return
	}
	if text, err := os.ReadFile(name); err != nil {
		c.refuse(key, "%v; want certificates of authorities in PEM", err)
	} else if !x509.NewCertPool().AppendCertsFromPEM(text) {
		c.refuse(key, "%s has no certificate; want those of authorities in PEM", name)
	}
}

// natsURL checks the address of one NATS server, and reports whether it is on another
// machine.
func (c *checker) natsURL(address string, plaintext bool) (remote bool) {
	const key = "cluster.nats.urls"
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		c.refuse(key, "it has an entry that is not a URL; want tls://host:4222")
		return true
	}
	remote = !isLoopbackHost(u.Hostname())
	switch {
	case u.User != nil:
		c.refuse(key, "the URL of %s contains credentials; remove them, and set cluster.nats.creds", u.Host)
	case u.Scheme != "tls" && u.Scheme != "wss" && u.Scheme != "nats" && u.Scheme != "ws":
		c.refuse(key, "the URL of %s must begin with tls:// or wss://", u.Host)
	case remote && !plaintext && (u.Scheme == "nats" || u.Scheme == "ws"):
		c.refuse(key, "the connection to %s is not encrypted; use tls://, or set allowPlaintext: true if the network is encrypted", u.Host)
	}
	return remote
}

// isClusterName reports whether name can be a token of a NATS subject.
func isClusterName(name string) bool {
	return name != "" && len(name) <= maxClusterName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
