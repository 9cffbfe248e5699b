// Package config reads and checks the configuration of a hosted gateway.
package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// A Config describes a deployment. All nodes have the same one. Secrets are in files, and
// names of files are relative to the configuration file, or to the working directory in a
// Config that was not read from one. A zero field means its default; fields without one
// are required. Formatting and logging it shows addresses without credentials only.
type Config struct {
	// PublicURL is the https origin that clients use: /mcp, /mcp/{page} and /page are below
	// it. Requests with another Host are rejected. On loopback it may be http.
	PublicURL string `yaml:"publicURL"`

	Listen string `yaml:"listen"` // IP address and port; default 0.0.0.0:8443

	// Either TLS or TrustedProxies is required, unless Listen is on loopback. With
	// TrustedProxies alone, connections are plain HTTP and accepted from these peers only.
	TLS            TLS      `yaml:"tls"`
	TrustedProxies []string `yaml:"trustedProxies"` // IP addresses, or prefixes like 10.0.0.0/8

	Admin      Admin      `yaml:"admin"`
	Assistants Assistants `yaml:"assistants"`
	Pages      Pages      `yaml:"pages"`

	// Keys is the file of the keys that all nodes share: 32 bytes per line in base64url. The
	// first one signs, all of them are accepted.
	Keys string `yaml:"keys"`

	Cluster *Cluster `yaml:"cluster"` // nil: one node, without NATS

	// Limits says what one owner, one tenant and one node may use: the keys and defaults are those of
	// limits.Hosted. An owner is served by one node; each node has its share of the limits of tenants.
	Limits map[string]int `yaml:"limits"`

	Log   Log   `yaml:"log"`
	Audit Audit `yaml:"audit"`
}

// A TLS names the files of a certificate chain and its private key, both in PEM.
type TLS struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// An Admin describes the listener for probes and metrics. It shows no secrets and changes
// nothing, but must not be public.
type Admin struct {
	Listen string `yaml:"listen"` // IP address and port; default 127.0.0.1:9090
}

// An Assistants describes the OAuth access tokens of assistants (RFC 9068).
type Assistants struct {
	Issuer       string   `yaml:"issuer"`       // exact; https
	JWKS         string   `yaml:"jwks"`         // URL or file of a JWK Set; default: by the metadata of Issuer (RFC 8414)
	Audience     []string `yaml:"audience"`     // default: PublicURL + /mcp
	SubjectClaim string   `yaml:"subjectClaim"` // default: sub; it must name the user as the `sub` of join tokens does
	TenantClaim  string   `yaml:"tenantClaim"`  // required in both kinds of tokens if it is set
	AcceptTypJWT bool     `yaml:"acceptTypJWT"` // for issuers whose access tokens have `typ: JWT`

	Scopes          map[string]string `yaml:"scopes"`          // names that the issuer has for our scopes
	ChallengeScopes []string          `yaml:"challengeScopes"` // that the first challenge names; default: all three
	DefaultScopes   []string          `yaml:"defaultScopes"`   // of a valid token that has none of the three

	Origins []string `yaml:"origins"` // of assistants in browsers; exact
}

// A Pages describes who may join as a page.
type Pages struct {
	Origins []string `yaml:"origins"` // exact, or with `*` for the leftmost label: https://*.app.example
	Tokens  Tokens   `yaml:"tokens"`

	// Sampling has the origins, as in Origins, whose pages may use the model of an assistant
	// with the context that they ask for, and see its roots. Default: none.
	Sampling []string `yaml:"sampling"`
}

// A Tokens names the issuer of join tokens: the backend of the app.
type Tokens struct {
	Issuer string `yaml:"issuer"` // exact; https
	JWKS   string `yaml:"jwks"`   // URL or file of a JWK Set; default: by the metadata of Issuer
}

// A Cluster connects the nodes of a deployment.
type Cluster struct {
	Name     string   `yaml:"name"` // of the deployment: a-z, 0-9 and `-`, at most 32 characters
	Internal Internal `yaml:"internal"`
	NATS     NATS     `yaml:"nats"` // needs JetStream
}

// An Internal describes the address of a node at which the others pass requests on to it.
type Internal struct {
	Listen string `yaml:"listen"` // IP address and port; default 0.0.0.0:8444. Others use the address by which this machine reaches NATS, if it is 0.0.0.0

	// TLS is required unless AllowPlaintext is set or Listen is on loopback. All certificates
	// are for the name pagemcpd, for servers and clients, and signed by CA.
	TLS            MutualTLS `yaml:"tls"`
	AllowPlaintext bool      `yaml:"allowPlaintext"` // for networks that are encrypted below TCP
}

// A NATS describes the connection to the NATS servers.
type NATS struct {
	URLs           []string  `yaml:"urls"`           // tls://host:port, without credentials
	Creds          string    `yaml:"creds"`          // file that nsc has written: a JWT and an nkey
	TLS            MutualTLS `yaml:"tls"`            // default: the roots of the system, and no client certificate, which replaces Creds
	AllowPlaintext bool      `yaml:"allowPlaintext"` // for networks that are encrypted below TCP
}

// A MutualTLS names PEM files.
type MutualTLS struct {
	CA   string `yaml:"ca"`
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// A Log describes the log on standard error.
type Log struct {
	Level string `yaml:"level"` // debug, info, warn or error; default info
}

// An Audit describes the audit log on standard output.
type Audit struct {
	URIs string `yaml:"uris"` // full or hash; default full
}

// WithDefaults returns c with the defaults of zero fields.
func (c Config) WithDefaults() Config {
	c.Listen = cmp.Or(c.Listen, "0.0.0.0:8443")
	c.Admin.Listen = cmp.Or(c.Admin.Listen, "127.0.0.1:9090")
	if c.Assistants.Audience == nil && c.PublicURL != "" {
		c.Assistants.Audience = []string{strings.TrimSuffix(c.PublicURL, "/") + "/mcp"}
	}
	c.Assistants.SubjectClaim = cmp.Or(c.Assistants.SubjectClaim, "sub")
	if c.Assistants.ChallengeScopes == nil {
		c.Assistants.ChallengeScopes = oauth.AllScopes()
	}
	if c.Cluster != nil {
		cluster := *c.Cluster
		cluster.Internal.Listen = cmp.Or(cluster.Internal.Listen, "0.0.0.0:8444")
		c.Cluster = &cluster
	}
	c.Log.Level = cmp.Or(c.Log.Level, "info")
	c.Audit.URIs = cmp.Or(c.Audit.URIs, "full")
	return c
}

// A File is a field that is the name of a file.
type File struct {
	Key  string
	Name *string
}

func (c *Config) Files() []File {
	files := []File{{"tls.cert", &c.TLS.Cert}, {"tls.key", &c.TLS.Key}, {"keys", &c.Keys}}
	if !isURL(c.Assistants.JWKS) {
		files = append(files, File{"assistants.jwks", &c.Assistants.JWKS})
	}
	if !isURL(c.Pages.Tokens.JWKS) {
		files = append(files, File{"pages.tokens.jwks", &c.Pages.Tokens.JWKS})
	}
	if c.Cluster != nil {
		nats, inside := &c.Cluster.NATS, &c.Cluster.Internal.TLS
		files = append(files, File{"cluster.internal.tls.ca", &inside.CA}, File{"cluster.internal.tls.cert", &inside.Cert}, File{"cluster.internal.tls.key", &inside.Key},
			File{"cluster.nats.creds", &nats.Creds},
			File{"cluster.nats.tls.ca", &nats.TLS.CA}, File{"cluster.nats.tls.cert", &nats.TLS.Cert}, File{"cluster.nats.tls.key", &nats.TLS.Key})
	}
	return files
}

// isURL distinguishes the two kinds of values of jwks.
func isURL(text string) bool { return strings.Contains(text, "://") }

// Format implements fmt.Formatter for all verbs.
func (c Config) Format(f fmt.State, _ rune) {
	for i, attr := range c.LogValue().Group() {
		if i > 0 {
			fmt.Fprint(f, " ")
		}
		fmt.Fprint(f, attr)
	}
}

// LogValue implements slog.LogValuer.
func (c Config) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("publicURL", withoutCredentials(c.PublicURL)),
		slog.String("listen", c.Listen),
		slog.String("admin", c.Admin.Listen),
		slog.String("assistants", withoutCredentials(c.Assistants.Issuer)),
		slog.String("pages", withoutCredentials(c.Pages.Tokens.Issuer)),
	}
	if c.Cluster != nil {
		attrs = append(attrs, slog.String("cluster", c.Cluster.Name))
	}
	return slog.GroupValue(attrs...)
}

// withoutCredentials returns scheme, host and path of a URL.
func withoutCredentials(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not a URL)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
