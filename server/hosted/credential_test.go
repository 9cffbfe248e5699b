package hosted

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

const (
	appIssuer = "https://backend.example"
	testPage1 = "wss://mcp.app.example/page"
)

// A closeRecord is how a socket was closed.
type closeRecord struct {
	mu     sync.Mutex
	codes  []int
	reason string
}

func (c *closeRecord) close(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.codes, c.reason = append(c.codes, int(code)), reason
}

func (c *closeRecord) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.codes)
}

// joinedCredential returns the credential of a page of alice that has just joined, in a
// bubble of synctest.
func joinedCredential(t *testing.T) (*pageCredential, *oauthtest.Issuer, *closeRecord) {
	t.Helper()
	issuer := oauthtest.New(appIssuer)
	keys, err := oauth.NewKeySet(oauth.KeySetConfig{Issuer: appIssuer, Transport: issuer})
	if err != nil {
		t.Fatal(err)
	}
	go keys.Run(t.Context()) // ends with the test
	validator, err := oauth.NewJoinValidator(oauth.JoinConfig{Issuer: appIssuer, Keys: keys, PageURL: testPage1})
	if err != nil {
		t.Fatal(err)
	}
	current := &atomic.Pointer[issuers]{}
	current.Store(&issuers{pages: validator})
	c := &pageCredential{
		doorkeeper: &doorkeeper{issuers: current, metrics: newMetrics("test", nil)},
		owner:      oauth.OwnerKey("", "alice"), origin: appOrigin,
	}
	closed := &closeRecord{}
	c.begin(closed.close)
	synctest.Wait()
	return c, issuer, closed
}

func renewal(token string) []byte { return fmt.Appendf(nil, `{"pagemcp":1,"token":%q}`, token) }

// A page that sends a new token in time stays for as long as it does; one that does not is
// closed as expired.
func TestPagesStayWhileTheyRenew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, issuer, closed := joinedCredential(t)
		for range 20 {
			time.Sleep(refreshEvery + refreshLate - time.Second)
			c.renew(renewal(issuer.JoinToken(testPage1, appOrigin, nil)))
			synctest.Wait()
			if got := closed.String(); got != "[]" {
				t.Fatal(got)
			}
		}
		time.Sleep(refreshEvery + refreshLate - time.Millisecond)
		if got := closed.String(); got != "[]" {
			t.Errorf("closed before its time: %s", got)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if got := closed.String(); got != "[4410]" {
			t.Error(got)
		}
	})
}

func TestRenewalsAreForTheSameUserAndOrigin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		frame  func(i *oauthtest.Issuer) string
		closed websocket.StatusCode
	}{
		{"another user", func(i *oauthtest.Issuer) string {
			return string(renewal(i.JoinToken(testPage1, appOrigin, map[string]any{"sub": "bob"})))
		}, socket.CloseRefused},
		{"another origin", func(i *oauthtest.Issuer) string {
			return string(renewal(i.JoinToken(testPage1, "https://evil.example", nil)))
		}, socket.CloseRefused},
		{"expired", func(i *oauthtest.Issuer) string {
			return string(renewal(i.JoinToken(testPage1, appOrigin, map[string]any{"iat": time.Now().Unix() - 200, "exp": time.Now().Unix() - 100})))
		}, closeExpired},
		{"not a token", func(*oauthtest.Issuer) string { return `{"pagemcp":1,"token":"x"}` }, socket.CloseRefused},
		{"no token", func(*oauthtest.Issuer) string { return `{"pagemcp":1}` }, socket.CloseRefused},
		{"another version", func(i *oauthtest.Issuer) string {
			return strings.Replace(string(renewal(i.JoinToken(testPage1, appOrigin, nil))), ":1,", ":2,", 1)
		}, socket.CloseRefused},
		{"not JSON", func(*oauthtest.Issuer) string { return `{"pagemcp":` }, socket.CloseRefused},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			c, issuer, closed := joinedCredential(t)
			c.renew([]byte(test.frame(issuer)))
			synctest.Wait()
			if got, want := closed.String(), fmt.Sprint([]int{int(test.closed)}); got != want {
				t.Errorf("%s: %s, want %s", test.name, got, want)
			}
			c.end()
		})
	}
}

// While the keys of the issuer cannot be fetched a renewal changes nothing, and the page
// keeps the time that it has left.
func TestAnOutageOfTheIssuerClosesNoPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, issuer, closed := joinedCredential(t)
		issuer.SetOutage(oauthtest.Errors)
		time.Sleep(25 * time.Hour) // the last good keys have expired
		if got := closed.String(); got != "[4410]" {
			t.Fatal(got)
		}
		c.begin(closed.close) // another page of the same kind
		c.renew(renewal(issuer.JoinToken(testPage1, appOrigin, nil)))
		time.Sleep(time.Minute)
		if got := closed.String(); got != "[4410]" {
			t.Error(got)
		}
		issuer.SetOutage(oauthtest.None)
		time.Sleep(time.Minute)
		c.renew(renewal(issuer.JoinToken(testPage1, appOrigin, nil)))
		time.Sleep(refreshEvery + refreshLate - time.Second)
		if got := closed.String(); got != "[4410]" {
			t.Error(got)
		}
		c.end()
	})
}

// Verifying a token costs more than sending it: a page that floods is verified once per
// second.
func TestFloodsOfRenewalsCostLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, issuer, closed := joinedCredential(t)
		good, bad := renewal(issuer.JoinToken(testPage1, appOrigin, nil)), []byte(`{"pagemcp":1,"token":"x"}`)
		c.renew(good)
		for range 1_000 {
			c.renew(bad) // ignored
		}
		synctest.Wait()
		if got := closed.String(); got != "[]" {
			t.Error(got)
		}
		time.Sleep(renewPause)
		c.renew(bad)
		synctest.Wait()
		if got := closed.String(); got != "[4403]" {
			t.Error(got)
		}
		c.end()
		c.renew(bad)
		synctest.Wait()
		if got := closed.String(); got != "[4403]" {
			t.Errorf("after its end: %s", got)
		}
	})
}
