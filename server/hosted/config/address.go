package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
)

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

// parseProxies reads trustedProxies of a configuration that was checked.
func parseProxies(texts []string) ([]netip.Prefix, error) {
	prefixes := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		prefix, err := parseProxy(text)
		if err != nil {
			return nil, err
		}
		prefixes[i] = prefix
	}
	return prefixes, nil
}
