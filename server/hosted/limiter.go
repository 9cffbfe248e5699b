package hosted

import (
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// A limiter implements access.Limiter by the quotas of owners, tenants and clients.
type limiter struct {
	quotas   *quotas
	onExceed func(limit string) // called with the key of each limit that rejects a use
}

// Delay implements [access.Limiter].
func (l *limiter) Delay(c access.Client, method string) (wait time.Duration, over *access.Exceeded) {
	wait, err := l.quotas.delay(identityOf(c), method)
	return wait, l.exceeded(err)
}

// Acquire implements [access.Limiter]. Clients are told apart by their tokens, so caller,
// which may be false, is not needed.
func (l *limiter) Acquire(c access.Client, _ string, use access.Use) (release func(), over *access.Exceeded) {
	var err error
	switch use {
	case access.UseRequest:
		release, err = l.quotas.request(identityOf(c), c.Page)
	case access.UseBody:
		release, err = l.quotas.body(identityOf(c))
	default:
		release, err = l.quotas.stream(identityOf(c))
	}
	return release, l.exceeded(err)
}

func identityOf(c access.Client) identity { return identity{c.Tenant, c.Owner, c.Principal} }

// exceeded returns the response to a use that quotas have rejected, and counts it.
func (l *limiter) exceeded(err error) *access.Exceeded {
	over := (*exceededError)(nil)
	if !errors.As(err, &over) {
		return nil
	}
	l.onExceed(over.limit)
	return &access.Exceeded{Text: over.Error(), Retry: over.retry}
}
