package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// Check reads the files that c names and returns all reasons not to start: a *Error
// for each, joined by errors.Join. Not checked are limits of the process, see
// [Config.CheckFileLimit].
func (c Config) Check() error {
	var errs []error
	for _, problem := range c.WithDefaults().problems() {
		errs = append(errs, problem)
	}
	return errors.Join(errs...)
}

// problems checks a Config that has its defaults.
func (c Config) problems() []*Error {
	check := checker{}
	for _, file := range c.Files() {
		if isSecret(*file.Name) && !exists(*file.Name) {
			check.refuse(file.Key, "it contains a secret; set the name of a file, and replace the secret")
		}
	}
	if len(check.problems) > 0 { // errors of the system would quote it
		return check.problems
	}
	check.listeners(c)
	check.assistants(c.Assistants)
	check.pages(c.Pages)
	check.keys(c.Keys)
	if c.Cluster != nil {
		check.cluster(*c.Cluster)
	}
	check.limits(c.Limits)
	check.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	check.oneOf("audit.uris", c.Audit.URIs, "full", "hash")
	return check.problems
}

// A checker collects problems. Texts contain names of files, but no values that may
// contain credentials.
type checker struct{ problems []*Error }

func (c *checker) refuse(key, format string, args ...any) {
	c.problems = append(c.problems, &Error{Key: key, Text: fmt.Sprintf(format, args...)})
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
	hasTLS := config.TLS != TLS{}
	if !hasTLS && len(config.TrustedProxies) == 0 && !IsLoopback(config.Listen) {
		c.refuse("tls", "it is missing, and `listen` is not on loopback; set tls: { cert: FILE, key: FILE }, or trustedProxies if a balancer ends TLS")
	}
	if hasTLS {
		c.certificate("tls", config.TLS)
	}
	for _, proxy := range config.TrustedProxies {
		prefix, err := parseProxy(proxy)
		switch {
		case err != nil:
			c.refuse("trustedProxies", "%q is neither an IP address nor a prefix like 10.0.0.0/8", proxy)
		case prefix.Bits() == 0:
			c.refuse("trustedProxies", "%q trusts all addresses; name those of the balancer", proxy)
		}
	}
}

func (c *checker) assistants(a Assistants) {
	c.issuer("assistants.issuer", a.Issuer, "the issuer of the access tokens of assistants")
	c.keySet("assistants.jwks", a.JWKS)
	if len(a.Audience) == 0 || slices.Contains(a.Audience, "") {
		c.refuse("assistants.audience", "it is empty; leave it out for publicURL + /mcp")
	}
	for _, scope := range slices.Sorted(maps.Keys(a.Scopes)) {
		name := a.Scopes[scope]
		if !slices.Contains(oauth.AllScopes(), scope) {
			c.refuse("assistants.scopes."+printable(scope), "there is no such scope; want one of %s", strings.Join(oauth.AllScopes(), ", "))
		} else if name == "" || strings.ContainsAny(name, " \t\r\n\"\\") {
			c.refuse("assistants.scopes."+scope, "want the issuer's name of the scope, without blanks and quotation marks")
		}
	}
	c.scopes("assistants.challengeScopes", a.ChallengeScopes)
	c.scopes("assistants.defaultScopes", a.DefaultScopes)
	for _, origin := range a.Origins {
		if c.withoutUser("assistants.origins", origin) {
			if err := access.CheckOrigin(origin); err != nil {
				c.refuse("assistants.origins", "%v", err)
			}
		}
	}
}

// withoutUser refuses an origin with credentials, whose text must not be in an error.
func (c *checker) withoutUser(key, origin string) bool {
	if strings.Contains(origin, "@") {
		c.refuse(key, "it has an entry with credentials; want scheme and host alone")
		return false
	}
	return true
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
	c.pageOrigins("pages.origins", p.Origins)
	c.pageOrigins("pages.sampling", p.Sampling)
	c.issuer("pages.tokens.issuer", p.Tokens.Issuer, "the issuer of the join tokens of pages")
	c.keySet("pages.tokens.jwks", p.Tokens.JWKS)
}

func (c *checker) pageOrigins(key string, origins []string) {
	for _, origin := range origins {
		if c.withoutUser(key, origin) {
			if _, err := newOriginList([]string{origin}); err != nil {
				c.refuse(key, "%v", err)
			}
		}
	}
}

func (c *checker) issuer(key, issuer, what string) {
	if issuer == "" {
		c.refuse(key, "it is missing; set %s", what)
		return
	}
	c.url(key, issuer)
}

// keySet checks a URL or a file of keys.
func (c *checker) keySet(key, jwks string) {
	if jwks == "" {
		return
	}
	if isURL(jwks) {
		c.url(key, jwks)
		return
	}
	data, err := os.ReadFile(jwks)
	if err == nil {
		_, err = oauth.StaticKeySet(data)
	}
	if err != nil {
		c.refuse(key, "%v; want a URL, or a file of a JWK Set with public keys", err)
	}
}

func (c *checker) keys(name string) {
	if name == "" {
		c.refuse("keys", "it is missing; set a file, and %s", keys.Remedy)
	} else if _, err := keys.Read(name); err != nil {
		c.refuse("keys", "%v", err)
	}
}

// certificate checks the files of a certificate and its key.
func (c *checker) certificate(key string, files TLS) {
	if files.Cert == "" || files.Key == "" {
		c.refuse(key, "want both the file of the certificate and that of its key, { cert: FILE, key: FILE }")
	} else if _, err := tls.LoadX509KeyPair(files.Cert, files.Key); err != nil {
		c.refuse(key, "%v; want a certificate chain in %s and its private key in %s, both in PEM", err, files.Cert, files.Key)
	} else if err := keys.CheckPrivate(files.Key); err != nil {
		c.refuse(key+".key", "%v", err)
	}
}

func (c *checker) oneOf(key, value string, values ...string) {
	if !slices.Contains(values, value) {
		c.refuse(key, "%q is not possible; want one of %s", value, strings.Join(values, ", "))
	}
}
