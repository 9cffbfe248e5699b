package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// Load checks a Config and reads the files that it names. The error joins a *Error for each
// reason not to start. Not checked are limits of the process, see [Config.CheckFileLimit].
func Load(config Config) (*Loaded, error) {
	config = config.WithDefaults()
	c := checker{Loaded: &Loaded{Config: config, digests: map[string]fileDigest{}}}
	for _, file := range config.Files() {
		if isSecret(*file.Name) && !exists(*file.Name) {
			c.refuse(file.Key, "it contains a secret; set the name of a file, and replace the secret")
		} else if *file.Name != "" {
			c.digests[*file.Name] = digestOf(*file.Name)
		}
	}
	if len(c.problems) > 0 { // errors of the system would quote it
		return nil, errors.Join(c.problems...)
	}
	c.listeners(config)
	c.assistants(config.Assistants)
	c.pages(config.Pages)
	if config.Keys == "" {
		c.refuse("keys", "it is missing; set a file, and %s", keys.Remedy)
	} else {
		c.Keys = checked(&c, "keys", "", func() (keys.Ring, error) { return keys.Read(config.Keys) })
	}
	if config.Cluster != nil {
		c.cluster(*config.Cluster)
	}
	c.limits(config.Limits)
	c.Limits = config.limits()
	c.oneOf("log.level", config.Log.Level, "debug", "info", "warn", "error")
	c.oneOf("audit.uris", config.Audit.URIs, "full", "hash")
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	return c.Loaded, nil
}

// A checker fills a Loaded and collects problems. Their texts contain names of files, but no
// values that may contain credentials.
type checker struct {
	*Loaded
	problems []error
}

func (c *checker) refuse(key, format string, args ...any) {
	c.problems = append(c.problems, Refusal(key, format, args...))
}

// checked returns the value of a key, or refuses it with the error and a remedy.
func checked[T any](c *checker, key, remedy string, read func() (T, error)) T {
	value, err := read()
	if err != nil {
		c.refuse(key, "%v%s", err, remedy)
	}
	return value
}

// Refusal returns a problem of one key, as [Load] does.
func Refusal(key, format string, args ...any) error {
	return &Error{Key: key, Text: fmt.Sprintf(format, args...)}
}

func (c *checker) listeners(config Config) {
	const publicURL = "publicURL"
	if config.PublicURL == "" {
		c.refuse(publicURL, "it is missing; set the URL that clients use, like https://mcp.app.example")
	} else if c.url(publicURL, config.PublicURL) {
		if u, err := url.Parse(config.PublicURL); err != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
			c.refuse(publicURL, "want scheme and host alone, like https://mcp.app.example; /mcp and /page are below it")
		}
	}
	c.address("listen", config.Listen)
	c.address("admin.listen", config.Admin.Listen)
	if config.Listen == config.Admin.Listen && !strings.HasSuffix(config.Listen, ":0") {
		c.refuse("admin.listen", "it is the address of `listen`; set another port")
	}
	if config.TLS != (TLS{}) {
		c.Certificate = c.certificate("tls", config.TLS)
	} else if len(config.TrustedProxies) == 0 && !IsLoopback(config.Listen) {
		c.refuse("tls", "it is missing, and `listen` is not on loopback; set tls: { cert: FILE, key: FILE }, or trustedProxies if a balancer ends TLS")
	}
	for _, text := range config.TrustedProxies {
		prefix, err := parseProxy(text)
		switch {
		case err != nil:
			c.refuse("trustedProxies", "%q is neither an IP address nor a prefix like 10.0.0.0/8", text)
		case prefix.Bits() == 0:
			c.refuse("trustedProxies", "%q trusts all addresses; name those of the balancer", text)
		}
		c.Proxies = append(c.Proxies, prefix)
	}
}

func (c *checker) assistants(a Assistants) {
	c.issuer("assistants.issuer", a.Issuer, "the issuer of the access tokens of assistants")
	c.AssistantKeys = c.keySet("assistants.jwks", a.JWKS)
	if len(a.Audience) == 0 || slices.Contains(a.Audience, "") {
		c.refuse("assistants.audience", "it is empty; leave it out for publicURL + /mcp")
	}
	c.scopes("assistants.scopes", slices.Sorted(maps.Keys(a.Scopes)))
	for scope, name := range a.Scopes {
		if name == "" || strings.ContainsAny(name, " \t\r\n\"\\") {
			c.refuse("assistants.scopes", "want the issuer's name of %q, without blanks and quotation marks", scope)
		}
	}
	c.scopes("assistants.challengeScopes", a.ChallengeScopes)
	c.scopes("assistants.defaultScopes", a.DefaultScopes)
	c.origins("assistants.origins", a.Origins, access.CheckOrigin)
}

// origins checks each origin. The text of one with credentials must not be in an error.
func (c *checker) origins(key string, origins []string, check func(string) error) {
	for _, origin := range origins {
		if strings.Contains(origin, "@") {
			c.refuse(key, "it has an entry with credentials; want scheme and host alone")
		} else if err := check(origin); err != nil {
			c.refuse(key, "%v", err)
		}
	}
}

func (c *checker) scopes(key string, scopes []string) {
	for _, scope := range scopes {
		if !slices.Contains(oauth.AllScopes(), scope) {
			c.refuse(key, "there is no scope %q; want one of %s", scope, strings.Join(oauth.AllScopes(), ", "))
		}
	}
}

func (c *checker) pages(p Pages) {
	if len(p.Origins) == 0 {
		c.refuse("pages.origins", "it is missing; set the origins of your web app, like [https://app.example]")
	}
	c.origins("pages.origins", p.Origins, c.PageOrigins.add)
	c.origins("pages.sampling", p.Sampling, c.Sampling.add)
	c.issuer("pages.tokens.issuer", p.Tokens.Issuer, "the issuer of the join tokens of pages")
	c.PageKeys = c.keySet("pages.tokens.jwks", p.Tokens.JWKS)
}

func (c *checker) issuer(key, issuer, what string) {
	if issuer == "" {
		c.refuse(key, "it is missing; set %s", what)
		return
	}
	c.url(key, issuer)
}

// keySet returns a file of keys; nil for their URL, and without either.
func (c *checker) keySet(key, jwks string) []byte {
	if jwks == "" {
		return nil
	}
	if isURL(jwks) {
		c.url(key, jwks)
		return nil
	}
	return checked(c, key, "; want a URL, or a file of a JWK Set with public keys", func() ([]byte, error) {
		data, err := os.ReadFile(jwks)
		if err == nil {
			_, err = oauth.StaticKeySet(data)
		}
		return data, err
	})
}

// certificate reads a chain and its key. It refuses a key that does not match, and a
// certificate that has expired or is not valid yet.
func (c *checker) certificate(key string, files TLS) *tls.Certificate {
	if files.Cert == "" || files.Key == "" {
		c.refuse(key, "want both the file of the certificate and that of its key, { cert: FILE, key: FILE }")
		return nil
	}
	certificate, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		c.refuse(key, "%v; want a certificate chain in %s and its private key in %s, both in PEM", err, files.Cert, files.Key)
		return nil
	}
	if err := keys.CheckPrivate(files.Key); err != nil {
		c.refuse(key+".key", "%v", err)
	}
	now := time.Now()
	switch leaf := certificate.Leaf; {
	case now.After(leaf.NotAfter):
		c.refuse(key, "the certificate in %s has expired at %s; renew it", files.Cert, leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		c.refuse(key, "the certificate in %s is valid from %s on; compare the clock of this machine", files.Cert, leaf.NotBefore.Format(time.RFC3339))
	}
	return &certificate
}

func (c *checker) oneOf(key, value string, values ...string) {
	if !slices.Contains(values, value) {
		c.refuse(key, "%q is not possible; want one of %s", value, strings.Join(values, ", "))
	}
}

const maxClusterName = 32 // characters

// cluster checks how the nodes are connected. Tokens and contents pass between them, and NATS has
// the documents of sessions, so both need TLS and credentials, unless they are on loopback.
func (c *checker) cluster(cluster Cluster) {
	if name := cluster.Name; name == "" || len(name) > maxClusterName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" { // a token of a NATS subject
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
	if nats.TLS.CA != "" {
		c.authorities("cluster.nats.tls.ca", nats.TLS.CA)
	}
}

// internal checks the address for the other nodes.
func (c *checker) internal(inside Internal) {
	c.address("cluster.internal.listen", inside.Listen)
	const key = "cluster.internal.tls"
	switch files := inside.TLS; {
	case files != MutualTLS{} && (files.CA == "" || files.Cert == "" || files.Key == ""):
		c.refuse(key, "want three files, { ca: FILE, cert: FILE, key: FILE }")
	case files != MutualTLS{}:
		c.Peer = &PeerTLS{c.certificate(key, TLS{files.Cert, files.Key}), c.authorities(key+".ca", files.CA)}
	case !inside.AllowPlaintext && !IsLoopback(inside.Listen):
		c.refuse(key, "it is missing; set { ca: FILE, cert: FILE, key: FILE } with a certificate for the name pagemcpd of an authority of your own, or cluster.internal.allowPlaintext: true if the network is encrypted")
	}
}

// authorities reads a file of certificates.
func (c *checker) authorities(key, name string) *x509.CertPool {
	pool := x509.NewCertPool()
	if text, err := os.ReadFile(name); err != nil {
		c.refuse(key, "%v; want certificates of authorities in PEM", err)
	} else if !pool.AppendCertsFromPEM(text) {
		c.refuse(key, "%s has no certificate; want those of authorities in PEM", name)
	}
	return pool
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

// url refuses an address unless it is https, or http on loopback: keys and tokens from a
// network without TLS may be anybody's.
func (c *checker) url(key, address string) bool {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Fragment != "":
		c.refuse(key, "it is not a URL; want one like https://app.example")
	case u.User != nil:
		c.refuse(key, "the URL contains credentials; remove them")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopbackHost(u.Hostname())):
		c.refuse(key, "the URL must begin with https://; http is accepted on loopback only")
	default:
		return true
	}
	return false
}

// address checks the address of a listener.
func (c *checker) address(key, address string) {
	host, port, err := net.SplitHostPort(address)
	if err == nil && host != "" && host != "localhost" {
		_, err = netip.ParseAddr(host)
	}
	if _, notPort := strconv.ParseUint(port, 10, 16); err != nil || notPort != nil {
		c.refuse(key, "%q is not an address; want IP address and port, like 0.0.0.0:8443", address)
	}
}

func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && isLoopbackHost(host)
}

func isLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// parseProxy reads an IP address or a prefix. IPv4 addresses in IPv6 become IPv4: remote
// addresses must be unmapped before they are compared.
func parseProxy(text string) (netip.Prefix, error) {
	const mapped = 96 // bits before an IPv4 address in IPv6 (RFC 4291, section 2.5.5.2)
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		return address.Unmap().Prefix(address.Unmap().BitLen())
	}
	prefix, err := netip.ParsePrefix(text)
	if err == nil && prefix.Addr().Is4In6() && prefix.Bits() >= mapped {
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mapped)
	}
	return prefix.Masked(), err
}
