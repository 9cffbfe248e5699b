package hosted

import (
	"fmt"
	"slices"
)

// A restartKey is a key of the configuration whose changes need a restart.
type restartKey struct {
	key   string
	value func(*Config) any
	keep  func(old, next *loaded) // copies the value
}

// restartKeys returns the addresses, which are bound once, and the cluster. Certificates
// are replaced while TLS is in use, but a listener does not change between TLS and none.
func restartKeys() []restartKey {
	return []restartKey{
		{"publicURL", func(c *Config) any { return c.PublicURL }, keepPublicURL},
		{"listen", func(c *Config) any { return c.Listen }, func(old, next *loaded) { next.Config.Listen = old.Config.Listen }},
		{"admin.listen", func(c *Config) any { return c.Admin.Listen }, func(old, next *loaded) { next.Config.Admin.Listen = old.Config.Admin.Listen }},
		{"tls", func(c *Config) any { return c.TLS != TLS{} }, func(old, next *loaded) {
			next.Config.TLS, next.certificate = old.Config.TLS, old.certificate
		}},
		{"trustedProxies", func(c *Config) any { return acceptsAnyPeer(c) }, func(old, next *loaded) {
			next.Config.TrustedProxies, next.proxies = old.Config.TrustedProxies, old.proxies
		}},
		{"cluster", func(c *Config) any { return c.Cluster }, func(old, next *loaded) { next.Config.Cluster = old.Config.Cluster }},
	}
}

// acceptsAnyPeer reports whether a listener without TLS accepts all peers, which it may on
// loopback only. The file is checked with its own address, and another one may be bound.
func acceptsAnyPeer(c *Config) bool { return c.TLS == TLS{} && len(c.TrustedProxies) == 0 }

// keepPublicURL keeps the audience, too, if it is the default: it contains the URL.
func keepPublicURL(old, next *loaded) {
	standard := Config{PublicURL: next.Config.PublicURL}.withDefaults().Assistants.Audience
	if slices.Equal(next.Config.Assistants.Audience, standard) {
		next.Config.Assistants.Audience = Config{PublicURL: old.Config.PublicURL}.withDefaults().Assistants.Audience
	}
	next.Config.PublicURL = old.Config.PublicURL
}

// digestText distinguishes values of one key.
func digestText(value any) string {
	if cluster, ok := value.(*Cluster); ok && cluster != nil {
		value = *cluster
	}
	return fmt.Sprintf("%+v", value)
}
