package hosted

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// issuers verifies the credentials of assistants and pages by one configuration. A reload
// makes new ones.
type issuers struct {
	assistants *oauth.Authenticator
	pages      *oauth.JoinValidator
	metadata   http.Handler // of the protected resource
	keySets    []*oauth.KeySet
	stop       context.CancelFunc // of fetching keys
}

// newIssuers returns issuers that fetch their keys until close.
func newIssuers(l *loaded, m *metrics, transport http.RoundTripper) (*issuers, error) {
	ctx, stop := context.WithCancel(context.Background())
	i := &issuers{stop: stop}
	err := i.open(ctx, l, m, transport)
	if err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

func (i *issuers) open(ctx context.Context, l *loaded, m *metrics, transport http.RoundTripper) error {
	c := l.Config
	scopes := oauth.ScopeNames(c.Assistants.Scopes)
	keys, err := i.keySet(ctx, l.assistantKeys, oauth.KeySetConfig{Issuer: c.Assistants.Issuer, URL: c.Assistants.JWKS, Transport: transport, OnFetch: m.fetched(assistantIssuer)})
	if err != nil {
		return fmt.Errorf("assistants.jwks: %w", err)
	}
	validator, err := oauth.NewValidator(oauth.Config{
		Issuer: c.Assistants.Issuer, Keys: keys, Audience: c.Assistants.Audience,
		SubjectClaim: c.Assistants.SubjectClaim, TenantClaim: c.Assistants.TenantClaim, AcceptTypJWT: c.Assistants.AcceptTypJWT,
		Scopes: scopes, DefaultScopes: c.Assistants.DefaultScopes,
	})
	if err != nil {
		return fmt.Errorf("assistants: %w", err)
	}
	i.assistants, err = oauth.NewAuthenticator(oauth.AuthenticatorConfig{
		PublicURL: c.PublicURL, Validator: validator, ChallengeScopes: c.Assistants.ChallengeScopes,
		OnRefusal: func(reason oauth.Reason) { m.token(assistantIssuer, reason) },
	})
	if err != nil {
		return fmt.Errorf("assistants: %w", err)
	}
	i.metadata, err = oauth.NewMetadataHandler(oauth.Metadata{PublicURL: c.PublicURL, Issuer: c.Assistants.Issuer, Name: "PageMCP", Scopes: scopes})
	if err != nil {
		return fmt.Errorf("publicURL: %w", err)
	}
	if keys, err = i.keySet(ctx, l.pageKeys, oauth.KeySetConfig{Issuer: c.Pages.Tokens.Issuer, URL: c.Pages.Tokens.JWKS, Transport: transport, OnFetch: m.fetched(pageIssuer)}); err != nil {
		return fmt.Errorf("pages.tokens.jwks: %w", err)
	}
	i.pages, err = oauth.NewJoinValidator(oauth.JoinConfig{Issuer: c.Pages.Tokens.Issuer, Keys: keys, PageURL: pageURL(c.PublicURL), TenantClaim: c.Assistants.TenantClaim})
	if err != nil {
		return fmt.Errorf("pages.tokens: %w", err)
	}
	return nil
}

// keySet returns the keys of an issuer: those in data, the contents of a file, or fetched
// until close.
func (i *issuers) keySet(ctx context.Context, data []byte, c oauth.KeySetConfig) (*oauth.KeySet, error) {
	if data != nil {
		return oauth.StaticKeySet(data)
	}
	keys, err := oauth.NewKeySet(c)
	if err != nil {
		return nil, err
	}
	i.keySets = append(i.keySets, keys)
	go keys.Run(ctx) // ends with close
	return keys, nil
}

// isReady reports whether the keys of both issuers are there.
func (i *issuers) isReady() bool {
	for _, keys := range i.keySets {
		if !keys.Ready() {
			return false
		}
	}
	return true
}

// close ends fetching, and the streams of assistants.
func (i *issuers) close() {
	i.stop()
	if i.assistants != nil {
		i.assistants.Close()
	}
}

// pageURL returns the URL of the WebSocket for pages, which join tokens name as `aud`.
func pageURL(publicURL string) string {
	return "ws" + strings.TrimPrefix(strings.TrimSuffix(publicURL, "/"), "http") + access.PagePath
}

// assistants implements access.Authenticator by the issuers of the current configuration.
type assistants struct {
	issuers *atomic.Pointer[issuers]
	users   *users
}

// Authenticate implements [access.Authenticator].
func (a assistants) Authenticate(r *http.Request) (access.Caller, *access.Challenge) {
	caller, subject, challenge := a.issuers.Load().assistants.Identify(r)
	if challenge == nil {
		a.users.add(caller.Owner, caller.Tenant, subject)
	}
	return caller, challenge
}
