package hosted

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/internal/audit"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

const (
	maxJoinFrame  = 16 << 10           // bytes
	maxJoinToken  = 8 << 10            // bytes
	refreshEvery  = 3000 * time.Second // after which a page sends a new token
	refreshLate   = 10 * time.Minute   // more, and its socket is closed
	minSpread     = 500                // ms; see joinedFrame.Spread
	retryPressure = 15 * time.Second   // while memory is short

	// joinTime is that of a join in all: for its frame, for its turn, and for the answer.
	joinTime = 2*limits.HandshakeTime + limits.QueueTime
)

// Close codes of pages, besides those of package socket. The reason of closeDraining and
// closeLimit is the time to wait, in milliseconds.
const (
	closeExpired  websocket.StatusCode = 4410 // the token has expired, or was not renewed
	closeDraining websocket.StatusCode = 4412 // the node ends
	closeLimit    websocket.StatusCode = 4429 // a limit is reached
)

// tokenProtocol begins the subprotocol by which a page shows the token of its app's backend in
// the handshake, so that its owner is known before the upgrade. The token follows in base64url.
// It is a secret: the header must not be logged.
const tokenProtocol = "pagemcp.token."

// The frames of a page whose token is valid: JSON text.
//
//	page → gateway  helloFrame
//	gateway → page  joinedFrame  MCP follows, with the gateway as client
//	page → gateway  tokenFrame   before Refresh is over; no answer
type (
	helloFrame struct {
		Version   int            `json:"pagemcp"`
		Hello     *gateway.Hello `json:"hello"`
		Sequences bool           `json:"sequences"` // the page reads several messages in one frame
	}
	tokenFrame struct {
		Version int    `json:"pagemcp"`
		Token   string `json:"token"`
	}
	joinedFrame struct {
		Joined    string `json:"joined"`  // the name of the page
		Ping      int    `json:"ping"`    // seconds between two messages, at most
		Refresh   int    `json:"refresh"` // seconds until the page sends a new token
		Spread    int    `json:"spread"`  // ms: after a loss the page redials at a random time below it
		Sequences bool   `json:"sequences,omitempty"`
	}
)

// A doorkeeper lets pages join by the tokens of their app's backend. It implements
// [gateway.Doorkeeper].
type doorkeeper struct {
	issuers  *atomic.Pointer[issuers]
	origins  *atomic.Pointer[config.OriginList]
	usage    *limits.Usage
	registry *registry
	users    *audit.Users
	metrics  *metrics
	pressed  func() bool // memory is short
	draining *atomic.Bool
}

// Join implements [gateway.Doorkeeper]. A page learns no reason from a refusal, and whether
// to try again from the close code.
func (d *doorkeeper) Join(ctx context.Context, f gateway.Frames, r *http.Request) (joiner gateway.Joiner, err error) {
	origin := r.Header.Get("Origin")
	switch {
	case d.draining.Load():
		d.metrics.rejectJoin(joinDraining)
		return joiner, waitError(closeDraining, joinDraining, 0)
	case d.pressed():
		d.metrics.rejectJoin(joinMemory)
		return joiner, waitError(closeLimit, joinMemory, retryPressure)
	}
	granted, err := d.verify(r.WithContext(ctx))
	if errors.Is(err, gateway.ErrRefused) {
		d.metrics.rejectJoin(joinHandshake)
		return joiner, err
	}
	if err != nil {
		joiner.Owner = oauth.OwnerOf(err) // for the audit log
		return joiner, d.refuseToken(err)
	}
	d.users.Add(granted.Owner, granted.Tenant, granted.Subject)
	joiner.Owner = granted.Owner // for the audit log
	frame, err := readHello(ctx, f)
	switch {
	case frame.Version > 1:
		d.metrics.rejectJoin(joinVersion)
		return joiner, gateway.ErrVersion
	case err != nil || frame.Version != 1 || frame.Hello == nil || !frame.Hello.IsValid():
		d.metrics.rejectJoin(joinHandshake)
		return joiner, cmp.Or(err, gateway.ErrRefused)
	}
	who := limits.User{Tenant: granted.Tenant, Owner: string(granted.Owner)}
	if _, over := d.usage.Reserve(who, limits.Joins, 0); over != nil {
		return joiner, d.exceeded(over)
	}
	name := pageName(granted.Owner, origin, frame.Hello.Page, frame.Hello.Name)
	key := oauth.PageKey(granted.Owner, origin, frame.Hello.Page)
	leave, err := d.registry.enter(who, name, key)
	if errors.Is(err, errTaken) {
		d.metrics.rejectJoin(joinReplaced)
		return joiner, &gateway.CloseError{Code: socket.CloseReplaced, Reason: "another page has this name", Outcome: joinReplaced}
	}
	if err != nil {
		return joiner, d.exceeded(err)
	}
	access.MarkKnown(ctx) // the registry counts it from now on; a rejected one stays unknown until it is closed
	credential := &pageCredential{doorkeeper: d, owner: granted.Owner, origin: origin}
	joiner.Hello, joiner.Name, joiner.Sequences = *frame.Hello, name, frame.Sequences
	joiner.Via, joiner.Profile = ring.Via(r.Context()), frame.Hello.Profile
	joiner.Leave = func() { credential.end(); leave() }
	joiner.Valid = credential.isValid
	joiner.Credential, joiner.Joined = credential.renew, credential.begin
	// The page waits for its turn after it has shown its token, so that connections without one take no
	// turn from others, and an owner waits with no more pages than it may have.
	began := time.Now()
	finish, over := d.usage.Take(ctx, who, limits.Joining)
	if over != nil {
		return joiner, d.exceeded(over)
	}
	defer finish() // a page that is silent from now on takes no turn from others
	d.metrics.waited(time.Since(began))
	joiner.Welcome, err = json.Marshal(joinedFrame{
		Joined: name, Ping: int(limits.PingEvery / time.Second), Refresh: int(refreshEvery / time.Second),
		Spread: max(minSpread, d.registry.count()), Sequences: frame.Sequences,
	})
	return joiner, err
}

// verifiedJoin is the context key of what identify has found in the token of a page.
type verifiedJoin struct{}

// A verified is the outcome of a token.
type verified struct {
	join oauth.Join
	err  error
}

// verify verifies the token in the handshake of a page, once. The error is [gateway.ErrRefused] if
// there is none.
func (d *doorkeeper) verify(r *http.Request) (oauth.Join, error) {
	if known, ok := r.Context().Value(verifiedJoin{}).(*verified); ok {
		return known.join, known.err
	}
	token := joinToken(r.Header)
	if token == "" {
		return oauth.Join{}, gateway.ErrRefused
	}
	return d.issuers.Load().pages.Validate(r.Context(), token, r.Header.Get("Origin"))
}

// joinToken returns the token in the handshake of a page; "" if there is none, several, or one
// that is too long.
func joinToken(header http.Header) (token string) {
	for _, line := range header.Values("Sec-WebSocket-Protocol") {
		for one := range strings.SplitSeq(line, ",") {
			encoded, found := strings.CutPrefix(strings.Trim(one, " \t"), tokenProtocol)
			if !found {
				continue
			}
			decoded, err := base64.RawURLEncoding.DecodeString(encoded)
			if err != nil || token != "" || len(decoded) > maxJoinToken {
				return ""
			}
			token = string(decoded)
		}
	}
	return token
}

// refuseToken returns the error of a join or a renewal whose token was rejected.
func (d *doorkeeper) refuseToken(err error) error {
	reason := oauth.ReasonOf(err)
	d.metrics.token(pageIssuer, reason)
	d.metrics.rejectJoin(string(reason))
	switch reason {
	case oauth.Expired:
		return &gateway.CloseError{Code: closeExpired, Reason: "the token has expired", Outcome: string(reason)}
	case oauth.NotYetValid: // a clock is wrong, perhaps that of this node: the page tries others
		return &gateway.CloseError{Code: closeExpired, Reason: "the token is not valid yet", Outcome: string(reason)}
	case oauth.KeysUnavailable: // the token may be valid
		return waitError(closeLimit, string(reason), oauth.RetryAfter(err))
	}
	return &gateway.CloseError{Code: socket.CloseRefused, Reason: "refused", Outcome: string(reason)}
}

func (d *doorkeeper) exceeded(err error) error {
	over := (*limits.Exceeded)(nil)
	if !errors.As(err, &over) {
		return err
	}
	d.metrics.rejectJoin(over.Limit)
	return waitError(closeLimit, "busy", over.Retry)
}

// waitError returns the error of a join that may succeed after some time.
func waitError(code websocket.StatusCode, outcome string, wait time.Duration) error {
	return &gateway.CloseError{Code: code, Reason: strconv.FormatInt(wait.Milliseconds(), 10), Outcome: outcome}
}

// readHello reads the first frame. Duplicate names are errors, and names are case-sensitive.
func readHello(ctx context.Context, f gateway.Frames) (frame helloFrame, err error) {
	ctx, cancel := context.WithTimeout(ctx, limits.HandshakeTime)
	defer cancel()
	kind, data, err := f.Read(ctx)
	if err != nil {
		return frame, err
	}
	if kind != websocket.MessageText || !utf8.Valid(data) || json.Unmarshal(data, &frame) != nil {
		return frame, gateway.ErrRefused
	}
	return frame, nil
}

// parseToken reads the frame of a renewal.
func parseToken(text string) (token string, err error) {
	var frame tokenFrame
	if !utf8.ValidString(text) || json.Unmarshal([]byte(text), &frame) != nil || frame.Version != 1 || frame.Token == "" || len(frame.Token) > maxJoinToken {
		return "", gateway.ErrRefused
	}
	return frame.Token, nil
}
