package hosted

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/internal/audit"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// loadTime is how long a reload waits for the first keys of an issuer, which are fetched
// within 5 s or not at all.
const loadTime = 10 * time.Second

// issuers verifies the credentials of assistants and pages by one configuration. A reload
// makes new ones, which keep what has not changed: key sets, so that an issuer's outage
// takes nothing away, and the authenticator, whose end would end the streams of all
// assistants.
type issuers struct {
	assistants *oauth.Authenticator
	pages      *oauth.JoinValidator
	metadata   http.Handler // of the protected resource
	fetched    map[keySource]*fetchedKeys
}

// A keySource says where fetched keys come from.
type keySource struct {
	kind        issuerKind
	issuer, url string
}

func (s keySource) String() string {
	if s.url != "" {
		return s.url
	}
	return s.issuer
}

// fetchedKeys are keys that are fetched until stop is called.
type fetchedKeys struct {
	*oauth.KeySet
	stop context.CancelFunc
}

// An issuerMaker makes the issuers of configurations.
type issuerMaker struct {
	metrics   *metrics
	log       *slog.Logger
	transport http.RoundTripper // for tests: fetches keys
}

// first returns the issuers of the configuration at the start. Their keys are not loaded yet.
func (m issuerMaker) first(l *config.Loaded) (*issuers, error) { return m.make(nil, nil, l) }

// next returns the issuers of the configuration that replaces old, whose issuers are before.
// It waits for the first keys of issuers that are new: without them the node could verify no
// token, so that an error leaves before in use.
func (m issuerMaker) next(before *issuers, old, next *config.Loaded) (*issuers, error) {
	i, err := m.make(before, old, next)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadTime)
	defer cancel()
	for source, keys := range i.fetched {
		if before.fetched[source] == keys {
			continue
		}
		if err := keys.Load(ctx); err != nil {
			i.closeExcept(before)
			return nil, fmt.Errorf("%s: the keys of %v cannot be fetched; check the issuer and its address: %w", source.kind.key(), source, err)
		}
	}
	return i, nil
}

func (m issuerMaker) make(before *issuers, old, next *config.Loaded) (*issuers, error) {
	i := &issuers{fetched: map[keySource]*fetchedKeys{}}
	if err := m.open(i, before, old, next); err != nil {
		i.closeExcept(before)
		return nil, err
	}
	return i, nil
}

func (m issuerMaker) open(i, before *issuers, old, next *config.Loaded) error {
	assistantKeys, err := m.keySet(i, before, assistantIssuer, next.AssistantKeys, next.Config.Assistants.Issuer, next.Config.Assistants.JWKS)
	if err != nil {
		return fmt.Errorf("assistants.jwks: %w", err)
	}
	if before != nil && sameAssistants(old, next) {
		i.assistants, i.metadata = before.assistants, before.metadata
	} else if err := m.openAssistants(i, next.Config, assistantKeys); err != nil {
		return err
	}
	tokens := next.Config.Pages.Tokens
	pageKeys, err := m.keySet(i, before, pageIssuer, next.PageKeys, tokens.Issuer, tokens.JWKS)
	if err != nil {
		return fmt.Errorf("pages.tokens.jwks: %w", err)
	}
	i.pages, err = oauth.NewJoinValidator(oauth.JoinConfig{Issuer: tokens.Issuer, Keys: pageKeys, PageURL: pageURL(next.Config.PublicURL), TenantClaim: next.Config.Assistants.TenantClaim})
	if err != nil {
		return fmt.Errorf("pages.tokens: %w", err)
	}
	return nil
}

func (m issuerMaker) openAssistants(i *issuers, c config.Config, keys *oauth.KeySet) error {
	scopes := oauth.ScopeNames(c.Assistants.Scopes)
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
		OnRefusal: func(reason oauth.Reason) { m.metrics.token(assistantIssuer, reason) },
	})
	if err != nil {
		return fmt.Errorf("assistants: %w", err)
	}
	i.metadata, err = oauth.NewMetadataHandler(oauth.Metadata{PublicURL: c.PublicURL, Issuer: c.Assistants.Issuer, Name: "PageMCP", Scopes: scopes})
	if err != nil {
		return fmt.Errorf("publicURL: %w", err)
	}
	return nil
}

// keySet returns the keys of an issuer: those in data, the contents of a file; those that
// are fetched already; or new ones.
func (m issuerMaker) keySet(i, before *issuers, kind issuerKind, data []byte, issuer, url string) (*oauth.KeySet, error) {
	if data != nil {
		return oauth.StaticKeySet(data)
	}
	source := keySource{kind, issuer, url}
	if before != nil && before.fetched[source] != nil {
		i.fetched[source] = before.fetched[source]
		return i.fetched[source].KeySet, nil
	}
	count := m.metrics.fetched(kind)
	keys, err := oauth.NewKeySet(oauth.KeySetConfig{Issuer: issuer, URL: url, Transport: m.transport, OnFetch: func(rejected int, err error) {
		count(rejected, err)
		if err != nil {
			m.log.Warn("fetch the keys of "+kind.key(), "from", source.String(), "error", err)
		}
	}})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	i.fetched[source] = &fetchedKeys{keys, stop}
	go keys.Run(ctx) // ends with stop
	return keys, nil
}

// isReady reports whether the keys of both issuers are there.
func (i *issuers) isReady() bool {
	for _, keys := range i.fetched {
		if !keys.Ready() {
			return false
		}
	}
	return true
}

// closeExcept ends fetching and the streams of assistants, besides those that other uses.
// other may be nil.
func (i *issuers) closeExcept(other *issuers) {
	for source, keys := range i.fetched {
		if other == nil || other.fetched[source] != keys {
			keys.stop()
		}
	}
	if i.assistants != nil && (other == nil || other.assistants != i.assistants) {
		i.assistants.Close()
	}
}

// sameAssistants reports whether tokens of assistants are verified in the same way by both.
func sameAssistants(old, next *config.Loaded) bool {
	before, after := old.Config.Assistants, next.Config.Assistants
	before.Origins, after.Origins = nil, nil // issuers do not use them
	return reflect.DeepEqual(before, after) && bytes.Equal(old.AssistantKeys, next.AssistantKeys)
}

// pageURL returns the URL of the WebSocket for pages, which join tokens name as `aud`.
func pageURL(publicURL string) string {
	return "ws" + strings.TrimPrefix(strings.TrimSuffix(publicURL, "/"), "http") + access.PagePath
}

// assistants implements access.Authenticator by the issuers of the current configuration.
type assistants struct {
	issuers *atomic.Pointer[issuers]
	users   *audit.Users
}

// identified is the context key of an identity: a request is authenticated once.
type identified struct{}

type identity struct {
	caller    access.Caller
	challenge *access.Challenge
}

// Authenticate implements [access.Authenticator].
func (a assistants) Authenticate(r *http.Request) (access.Caller, *access.Challenge) {
	if known, ok := r.Context().Value(identified{}).(*identity); ok {
		known.caller.Stays = ring.Stay(r.Context())
		return known.caller, known.challenge
	}
	caller, subject, challenge := a.issuers.Load().assistants.Identify(r)
	if challenge == nil {
		a.users.Add(caller.Owner, caller.Tenant, subject)
	}
	return caller, challenge
}
