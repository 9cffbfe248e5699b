package config

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/keys"
)

// A Loaded is a configuration with the contents of its files, all read at one time. It does
// not change.
type Loaded struct {
	Config      Config
	Certificate *tls.Certificate // nil without TLS
	Peer        *PeerTLS         // nil without a cluster, or TLS between its nodes
	Keys        keys.Ring
	PageOrigins OriginList
	Sampling    OriginList // origins of pages that may use the model of an assistant
	Proxies     []netip.Prefix

	// JWK Sets that are files; nil if the keys are fetched from the issuer.
	AssistantKeys, PageKeys []byte

	digests map[string]fileDigest // of all files, by name
}

// LoadFile reads a configuration file, and the files that it names. The error joins a
// *Error for each reason, see [Read].
func LoadFile(name string) (*Loaded, error) {
	first := digestOf(name) // before it is read: a change meanwhile is seen as one
	config, err := Read(name)
	if err != nil {
		return nil, err
	}
	l, err := Load(config)
	if err != nil {
		return nil, err
	}
	l.digests[name] = first
	return l, nil
}

// Load reads the files of a Config that a program passes.
func Load(c Config) (*Loaded, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	l := &Loaded{Config: c.WithDefaults(), digests: map[string]fileDigest{}}
	for _, file := range l.Config.Files() {
		if *file.Name != "" {
			l.digests[*file.Name] = digestOf(*file.Name)
		}
	}
	var err error
	if l.Config.TLS != (TLS{}) {
		if l.Certificate, err = loadCertificate(l.Config.TLS); err != nil {
			return nil, Refusal("tls", "%v", err)
		}
	}
	if l.Config.Cluster != nil && l.Config.Cluster.Internal.TLS != (MutualTLS{}) {
		if l.Peer, err = loadPeer(l.Config.Cluster.Internal.TLS); err != nil {
			return nil, Refusal("cluster.internal.tls", "%v", err)
		}
	}
	if l.Keys, err = keys.Read(l.Config.Keys); err != nil {
		return nil, Refusal("keys", "%v", err)
	}
	if l.PageOrigins, err = newOriginList(l.Config.Pages.Origins); err != nil {
		return nil, Refusal("pages.origins", "%v", err)
	}
	if l.Sampling, err = newOriginList(l.Config.Pages.Sampling); err != nil {
		return nil, Refusal("pages.sampling", "%v", err)
	}
	if l.Proxies, err = parseProxies(l.Config.TrustedProxies); err != nil {
		return nil, Refusal("trustedProxies", "%v", err)
	}
	if l.AssistantKeys, err = readKeySet(l.Config.Assistants.JWKS); err != nil {
		return nil, Refusal("assistants.jwks", "%v", err)
	}
	if l.PageKeys, err = readKeySet(l.Config.Pages.Tokens.JWKS); err != nil {
		return nil, Refusal("pages.tokens.jwks", "%v", err)
	}
	return l, nil
}

// loadCertificate reads a chain and its key. The error says whether they do not match, or
// the certificate has expired or is not valid yet.
func loadCertificate(files TLS) (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	switch leaf := certificate.Leaf; {
	case now.After(leaf.NotAfter):
		return nil, fmt.Errorf("the certificate in %s has expired at %s; renew it", files.Cert, leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return nil, fmt.Errorf("the certificate in %s is valid from %s on; compare the clock of this machine", files.Cert, leaf.NotBefore.Format(time.RFC3339))
	}
	return &certificate, nil
}

// A PeerTLS is how a node and the others know each other.
type PeerTLS struct {
	Certificate *tls.Certificate
	Authorities *x509.CertPool
}

func loadPeer(files MutualTLS) (*PeerTLS, error) {
	text, err := os.ReadFile(files.CA)
	if err != nil {
		return nil, err
	}
	p := &PeerTLS{Authorities: x509.NewCertPool()}
	p.Authorities.AppendCertsFromPEM(text)
	p.Certificate, err = loadCertificate(TLS{files.Cert, files.Key})
	return p, err
}

// readKeySet returns the contents of jwks if it is a file, or nil.
func readKeySet(jwks string) ([]byte, error) {
	if jwks == "" || isURL(jwks) {
		return nil, nil
	}
	return os.ReadFile(jwks)
}

// A fileDigest is the SHA-256 of a file, or of the error of reading it. Contents are
// compared rather than times: Kubernetes replaces the target of a symbolic link, and
// programs that renew certificates may keep the time.
type fileDigest [sha256.Size]byte

// digestOf reads at most 1 MiB, as the readers of all files do.
func digestOf(name string) fileDigest {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name) // opening a named pipe could block
	}
	hash := sha256.New()
	if err == nil {
		err = copyFile(hash, name)
	}
	if err != nil {
		fmt.Fprint(hash, err)
	}
	return fileDigest(hash.Sum(nil))
}

func copyFile(w io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, io.LimitReader(file, maxConfigFile))
	return err
}

// HasChanged reports whether a file has other contents than those that were loaded.
func (l *Loaded) HasChanged() bool {
	for name, digest := range l.digests {
		if digestOf(name) != digest {
			return true
		}
	}
	return false
}
