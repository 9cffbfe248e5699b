package hosted

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net/netip"
	"os"

	"github.com/pagemcp/pagemcp/server/hosted/keys"
)

// A loaded is a configuration with the contents of its files, all read at one time. It does
// not change.
type loaded struct {
	Config      Config
	certificate *tls.Certificate // nil without TLS
	keys        keys.Ring
	pageOrigins originList
	sampling    originList // origins of pages that may use the model of an assistant
	proxies     []netip.Prefix

	// JWK Sets that are files; nil if the keys are fetched from the issuer.
	assistantKeys, pageKeys []byte

	digests map[string]fileDigest // of all files, by name
}

// loadFile reads a configuration file, and the files that it names. The error joins a
// *ConfigError for each reason, see [ReadConfig].
func loadFile(name string) (*loaded, error) {
	first := digestOf(name) // before it is read: a change meanwhile is seen as one
	config, err := ReadConfig(name)
	if err != nil {
		return nil, err
	}
	l, err := loadConfig(config)
	if err != nil {
		return nil, err
	}
	l.digests[name] = first
	return l, nil
}

// loadConfig reads the files of a Config that a program passes.
func loadConfig(c Config) (*loaded, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	l := &loaded{Config: c.withDefaults(), digests: map[string]fileDigest{}}
	for _, file := range l.Config.files() {
		if *file.name != "" {
			l.digests[*file.name] = digestOf(*file.name)
		}
	}
	var err error
	if l.Config.TLS != (TLS{}) {
		if l.certificate, err = loadCertificate(l.Config.TLS); err != nil {
			return nil, refusal("tls", "%v", err)
		}
	}
	if l.keys, err = keys.Read(l.Config.Keys); err != nil {
		return nil, refusal("keys", "%v", err)
	}
	if l.pageOrigins, err = newOriginList(l.Config.Pages.Origins); err != nil {
		return nil, refusal("pages.origins", "%v", err)
	}
	if l.sampling, err = newOriginList(l.Config.Pages.Sampling); err != nil {
		return nil, refusal("pages.sampling", "%v", err)
	}
	if l.proxies, err = parseProxies(l.Config.TrustedProxies); err != nil {
		return nil, refusal("trustedProxies", "%v", err)
	}
	if l.assistantKeys, err = readKeySet(l.Config.Assistants.JWKS); err != nil {
		return nil, refusal("assistants.jwks", "%v", err)
	}
	if l.pageKeys, err = readKeySet(l.Config.Pages.Tokens.JWKS); err != nil {
		return nil, refusal("pages.tokens.jwks", "%v", err)
	}
	return l, nil
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

// hasChanged reports whether a file has other contents than those that were loaded.
func (l *loaded) hasChanged() bool {
	for name, digest := range l.digests {
		if digestOf(name) != digest {
			return true
		}
	}
	return false
}
