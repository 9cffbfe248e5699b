package server

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// checkLocalhost reports whether localhost is this machine.
func (d *diagnosis) checkLocalhost(lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) {
	const check = "localhost"
	ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
	defer cancel()
	addresses, err := lookup(ctx, "ip", "localhost")
	outside := slices.IndexFunc(addresses, func(a netip.Addr) bool { return !a.Unmap().IsLoopback() })
	switch {
	case err != nil:
		d.warning(check, "the name does not resolve: "+err.Error(), "use 127.0.0.1 in URLs, or add the line `127.0.0.1 localhost` to the hosts file")
	case outside >= 0:
		d.problem(check, fmt.Sprintf("the name leads to %v, which is not this machine", addresses[outside]), "correct the line of localhost in the hosts file")
	}
}

// checkProxy reports whether HTTP clients that follow the usual variables send requests for
// this machine to a proxy. Browsers do not, and neither does this program.
func (d *diagnosis) checkProxy(getenv func(string) string) {
	for _, name := range []string{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"} {
		if getenv(name) == "" {
			continue
		}
		for exception := range strings.SplitSeq(getenv("no_proxy")+","+getenv("NO_PROXY"), ",") {
			if e := strings.TrimSpace(exception); e == "*" || e == "127.0.0.1" || e == "127.0.0.0/8" {
				return
			}
		}
		d.warning("proxy", name+" is set: some assistants send requests for 127.0.0.1 to the proxy", "set NO_PROXY=127.0.0.1,localhost,::1")
		return
	}
}

// checkBrowser dials the gateway as a browser does for a page: that of an allowed origin
// must be accepted, and that of another one refused.
func (d *diagnosis) checkBrowser(status Status) {
	const check = "browser"
	if status.NoToken {
		d.warning("token", "the gateway runs with --no-token: every program of this user can read what pages serve", "restart it without --no-token")
	}
	if code, err := dialAsPage(d.ctx, status.Page, "https://not-allowed.invalid"); code != http.StatusForbidden {
		d.problem(check, fmt.Sprintf("a page of an unknown origin was not refused: status %d, %v", code, err), "another program may be between browser and gateway, like a proxy or a security product")
		return
	}
	for _, o := range status.Origins {
		if o.Allowed == "no" {
			continue
		}
		if code, err := dialAsPage(d.ctx, status.Page, o.Origin); err != nil {
			d.problem(check, fmt.Sprintf("a page of %s cannot reach %s: status %d, %v", o.Origin, status.Page, code, err), "look for a proxy or firewall on this machine")
			return
		}
		d.ok(check, "a page of "+o.Origin+" can reach "+status.Page)
		return
	}
}

// dialAsPage opens and closes a WebSocket with an Origin, without authentication.
func dialAsPage(ctx context.Context, url, origin string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{}}, // without proxy, as browsers for loopback
		HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{gateway.PageProtocol},
	})
	if answer != nil {
		status = answer.StatusCode
	}
	if err == nil {
		conn.CloseNow()
	}
	return status, err
}

// checkPages looks at origins and pages.
func (d *diagnosis) checkPages(status Status) {
	allowed, connected := 0, 0
	for _, o := range status.Origins {
		if o.Allowed != "no" {
			allowed++
		} else if o.Keys > 0 {
			d.warning("origins", o.Origin+" has keys but may not join", "`pagemcp pair "+o.Origin+"` allows it, `pagemcp revoke "+o.Origin+"` deletes the keys")
		}
	}
	for _, p := range status.Pages {
		if p.Connected {
			connected++
		}
	}
	switch {
	case allowed == 0:
		d.problem("pages", "no origin may join", "`pagemcp pair http://localhost:5173`, with the origin of your page")
	case connected == 0:
		d.warning("pages", "none is connected", "open a page of an allowed origin; the first time by the link of `pagemcp pair ORIGIN`")
	default:
		d.ok("pages", fmt.Sprintf("%d connected", connected))
	}
}
