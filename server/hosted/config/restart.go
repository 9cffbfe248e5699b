package config

import (
	"fmt"
	"reflect"
	"slices"
)

// A restartKey is a key of the configuration whose changes need a restart.
type restartKey struct {
	key   string
	value func(*Config) any
	keep  func(old, next *Loaded) // copies the value
}

// restartKeys returns the addresses, which are bound once, the cluster, and what
// engines offer, which views keep. Certificates
// are replaced while TLS is in use, but a listener does not change between TLS and none.
func restartKeys() []restartKey {
	return []restartKey{
		{"publicURL", func(c *Config) any { return c.PublicURL }, keepPublicURL},
		{"listen", func(c *Config) any { return c.Listen }, func(old, next *Loaded) { next.Config.Listen = old.Config.Listen }},
		{"admin.listen", func(c *Config) any { return c.Admin.Listen }, func(old, next *Loaded) { next.Config.Admin.Listen = old.Config.Admin.Listen }},
		{"tls", func(c *Config) any { return c.TLS != TLS{} }, func(old, next *Loaded) {
			next.Config.TLS, next.Certificate = old.Config.TLS, old.Certificate
		}},
		{"trustedProxies", func(c *Config) any { return acceptsAnyPeer(c) }, func(old, next *Loaded) {
			next.Config.TrustedProxies, next.Proxies = old.Config.TrustedProxies, old.Proxies
		}},
		{"cluster", func(c *Config) any { return c.Cluster }, func(old, next *Loaded) { next.Config.Cluster, next.Peer = old.Config.Cluster, old.Peer }},
	}
}

// acceptsAnyPeer reports whether a listener without TLS accepts all peers, which it may on
// loopback only. The file is checked with its own address, and another one may be bound.
func acceptsAnyPeer(c *Config) bool { return c.TLS == TLS{} && len(c.TrustedProxies) == 0 }

// keepPublicURL keeps the audience, too, if it is the default: it contains the URL.
func keepPublicURL(old, next *Loaded) {
	standard := Config{PublicURL: next.Config.PublicURL}.WithDefaults().Assistants.Audience
	if slices.Equal(next.Config.Assistants.Audience, standard) {
		next.Config.Assistants.Audience = Config{PublicURL: old.Config.PublicURL}.WithDefaults().Assistants.Audience
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

// KeepUntilRestart gives l the values of old for keys that need a restart. It returns a digest
// of the new value of each one that differs.
func (l *Loaded) KeepUntilRestart(old *Loaded) (differing map[string]string) {
	differing = map[string]string{}
	for _, one := range restartKeys() {
		was, is := one.value(&old.Config), one.value(&l.Config)
		if !reflect.DeepEqual(was, is) {
			differing[one.key] = digestText(is)
			one.keep(old, l)
		}
	}
	return differing
}
