package hosted

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

const (
	renewPause = 1 * time.Second // between two renewals of one page; earlier ones are ignored
	renewTime  = 10 * time.Second
)

// A pageCredential is the right of a joined page to stay. The page renews it by new tokens
// of the same user; without one its socket is closed.
type pageCredential struct {
	doorkeeper *doorkeeper
	owner      access.Owner
	origin     string

	mu        sync.Mutex
	closeWith func(websocket.StatusCode, string) // nil before begin
	timer     *time.Timer                        // ends the socket
	renewing  bool                               // a token is being verified
	renewed   time.Time                          // when the last one came
	ended     bool
}

// begin starts the time after which the page must have sent a new token.
func (c *pageCredential) begin(closeWith func(websocket.StatusCode, string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeWith = closeWith
	c.timer = time.AfterFunc(refreshEvery+refreshLate, func() { closeWith(closeExpired, "the token was not renewed") })
}

// end stops the timer.
func (c *pageCredential) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// isValid reports whether the origin of the page is still on the list.
func (c *pageCredential) isValid() bool { return c.doorkeeper.origins.Load().Contains(c.origin) }

// renew verifies a new token on a goroutine of its own, since the keys may have to be
// fetched first. Tokens that come in the meantime, or too often, are ignored: verifying
// them costs more than sending them.
func (c *pageCredential) renew(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.renewing || c.ended || now.Sub(c.renewed) < renewPause {
		return
	}
	c.renewing, c.renewed = true, now
	text := string(frame) // the frame's memory is used again
	go c.verify(text)
}

func (c *pageCredential) verify(text string) {
	ctx, cancel := context.WithTimeout(context.Background(), renewTime)
	defer cancel()
	err := c.check(ctx, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewing = false
	refused := (*gateway.CloseError)(nil)
	switch {
	case c.ended || errors.Is(err, oauth.ErrKeysUnavailable): // the time that the page has left goes on
	case err == nil:
		c.timer.Reset(refreshEvery + refreshLate)
	case errors.As(err, &refused):
		go c.closeWith(refused.Code, refused.Reason) // without the lock
	default:
		go c.closeWith(socket.CloseRefused, "refused")
	}
}

// check verifies the token in a frame. It must be of the same user.
func (c *pageCredential) check(ctx context.Context, text string) error {
	token, err := parseToken(text)
	if err != nil {
		return err
	}
	granted, err := c.doorkeeper.issuers.Load().pages.Validate(ctx, token, c.origin)
	if errors.Is(err, oauth.ErrKeysUnavailable) {
		return err
	}
	if err != nil {
		return c.doorkeeper.refuseToken(err)
	}
	if granted.Owner != c.owner {
		return gateway.ErrRefused
	}
	return nil
}
