package config

import "reflect"

// NeedsRestart returns the keys in which l differs from old and whose changes need a restart: addresses, which are
// bound once, and the cluster. Certificates are replaced while TLS is in use, but
// a listener does not change between TLS and none, nor does one without TLS begin to accept all peers.
func (l *Loaded) NeedsRestart(old *Loaded) (keys []string) {
	acceptsAnyPeer := func(c *Config) bool { return c.TLS == TLS{} && len(c.TrustedProxies) == 0 }
	for _, one := range []struct {
		key   string
		value func(*Config) any
	}{
		{"publicURL", func(c *Config) any { return c.PublicURL }},
		{"listen", func(c *Config) any { return c.Listen }},
		{"admin.listen", func(c *Config) any { return c.Admin.Listen }},
		{"tls", func(c *Config) any { return c.TLS != TLS{} }},
		{"trustedProxies", func(c *Config) any { return acceptsAnyPeer(c) }},
		{"cluster", func(c *Config) any { return c.Cluster }},
	} {
		if !reflect.DeepEqual(one.value(&old.Config), one.value(&l.Config)) {
			keys = append(keys, one.key)
		}
	}
	return keys
}
