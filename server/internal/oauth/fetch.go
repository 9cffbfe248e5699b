package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
)

const (
	fetchTimeout = 5 * time.Second // for metadata and keys together
	maxDocument  = 1 << 20         // bytes, after decompression
)

// A fetcher reads the keys of an issuer over HTTP. Its methods must not run at the same
// time.
type fetcher struct {
	client     http.Client
	issuer     string
	url        string // of the keys; "" until it is discovered
	configured bool   // url is from the configuration
	discovered time.Time
}

func newFetcher(c KeySetConfig) (*fetcher, error) {
	f := &fetcher{issuer: c.Issuer, url: c.URL, configured: c.URL != ""}
	for _, one := range []string{c.Issuer, c.URL} {
		if one != "" {
			if err := checkURL(one); err != nil {
				return nil, err
			}
		}
	}
	if c.Issuer == "" && c.URL == "" {
		return nil, errors.New("neither an issuer nor the URL of its keys is configured")
	}
	f.client.Transport = c.Transport
	if c.Transport == nil {
		f.client.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConns: 2,
			IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		}
	}
	// A redirect could lead to an address that only this machine can reach.
	f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return f, nil
}

// checkURL returns an error unless address is https, or http on loopback: keys from
// anywhere else could be replaced on the way.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%q: want an https URL", address)
	}
	if u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%q: want https; http is accepted on loopback only", address)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fetch returns the current keys.
func (f *fetcher) fetch(ctx context.Context) (*snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if !f.configured && (f.url == "" || time.Since(f.discovered) >= refreshInterval) {
		found, err := f.discover(ctx)
		if err != nil && f.url == "" {
			return nil, err
		}
		if err == nil { // otherwise the address of before is used
			f.url, f.discovered = found, time.Now()
		}
	}
	data, err := f.get(ctx, f.url)
	if err != nil {
		return nil, err
	}
	set, err := parseKeys(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.url, err)
	}
	set.fetched = time.Now()
	return set, nil
}

// discover returns the address of the keys by the first metadata document that is valid.
func (f *fetcher) discover(ctx context.Context) (string, error) {
	var problems []error
	for _, address := range metadataURLs(f.issuer) {
		found, err := f.readMetadata(ctx, address)
		if err == nil {
			return found, nil
		}
		problems = append(problems, err)
	}
	return "", fmt.Errorf("find the keys of %s: %w", f.issuer, errors.Join(problems...))
}

// metadataURLs returns the addresses of an issuer's metadata: RFC 8414, section 3.1, then
// OpenID Connect Discovery 1.0 in the form of RFC 8414, section 5, and in its own. See MCP
// 2026-07-28, basic/authorization.
func metadataURLs(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	base, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	addresses := []string{base + "/.well-known/oauth-authorization-server" + path}
	if path != "" {
		addresses = append(addresses, base+"/.well-known/openid-configuration"+path)
	}
	return append(addresses, base+path+"/.well-known/openid-configuration")
}

// readMetadata rejects a document of another issuer (RFC 8414, section 3.3), and keys on
// this machine unless the issuer is here, too.
func (f *fetcher) readMetadata(ctx context.Context, address string) (keysURL string, err error) {
	data, err := f.get(ctx, address)
	if err != nil {
		return "", err
	}
	var metadata struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(data, &metadata); err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	if metadata.Issuer != f.issuer {
		return "", fmt.Errorf("%s: the document is of the issuer %.200q", address, metadata.Issuer)
	}
	if err := checkURL(metadata.Keys); err != nil {
		return "", fmt.Errorf("%s: jwks_uri %w", address, err)
	}
	if strings.HasPrefix(metadata.Keys, "http:") && !strings.HasPrefix(f.issuer, "http:") {
		return "", fmt.Errorf("%s: jwks_uri %q is not https", address, metadata.Keys)
	}
	return metadata.Keys, nil
}

// get returns a document of at most 1 MiB.
func (f *fetcher) get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json, application/jwk-set+json")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s; redirects are not followed", address, response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", address, err)
	}
	if len(data) > maxDocument {
		return nil, fmt.Errorf("GET %s: more than %d bytes", address, maxDocument)
	}
	return data, nil
}
