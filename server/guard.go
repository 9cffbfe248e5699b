package server

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// hostNames are the only names under which this machine answers. Anything else
// that leads here, `localhost.`, `127.1`, a rebound name, is not for us.
var hostNames = [...]string{"127.0.0.1", "[::1]", "localhost"}

// A guard lets a request through to routing only if neither a rebound name nor
// a foreign web site can have sent it. Browsers' own rules differ and cannot be
// relied on (security.md §2), so nothing here can be switched off.
type guard struct {
	hosts   []string // what Host may be: each name with the actual port
	own     []string // the origins of our own port
	origins []string // that may ask as assistants: they get CORS headers
	pages   []string // that may open the WebSockets of pages, and nothing else
	next    http.Handler
	refused func(*http.Request) // notes a refusal; may be nil
	headers string              // that origins on the list may send besides those of MCP: ", Name"
}

// newGuard returns a guard for the port that next is served on. Pages of origins may
// ask as assistants do.
func newGuard(port int, origins []string, next http.Handler) *guard {
	g := &guard{origins: origins, next: next}
	for _, name := range hostNames {
		host := name + ":" + strconv.Itoa(port)
		g.hosts = append(g.hosts, host)
		g.own = append(g.own, "http://"+host)
		if port == 80 { // a default port is left out
			g.hosts = append(g.hosts, name)
			g.own = append(g.own, "http://"+name)
		}
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.admits(r) {
		g.refuse(w, r)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	w.Header().Set("Referrer-Policy", "no-referrer")
	origin := r.Header.Get("Origin")
	if origin != "" && !isPageDoor(r.URL.Path) && slices.Contains(g.origins, origin) {
		g.share(w.Header(), origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			g.preflight(w, r)
			return
		}
	}
	g.next.ServeHTTP(w, r)
}

// admits checks Host, Origin and Sec-Fetch-Site literally. Two values of one
// header are never right.
func (g *guard) admits(r *http.Request) bool {
	if !slices.Contains(g.hosts, r.Host) {
		return false
	}
	origins, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(origins) > 1 || len(sites) > 1 {
		return false
	}
	if len(origins) == 1 {
		listed := g.origins
		if isPageDoor(r.URL.Path) {
			listed = g.pages
		}
		if slices.Contains(listed, origins[0]) {
			return true
		}
		if !slices.Contains(g.own, origins[0]) {
			return false
		}
	}
	return len(sites) == 0 || sites[0] == "none" || sites[0] == "same-origin"
}

// isPageDoor tells whether what is at path serves pages. An origin that may join is not
// thereby an assistant, nor the other way round.
func isPageDoor(path string) bool { return path == pageDoor || path == watchDoor }

// listed tells whether origin may join as a page: the list alone counts, a
// missing Origin and our own do not.
func (g *guard) listed(origin string) bool {
	return origin != "" && slices.Contains(g.pages, origin)
}

// refuse refuses r, and notes it.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request) {
	if g.refused != nil {
		g.refused(r)
	}
	refuse(w)
}

// refuse says the same whatever the reason was, so that a prober learns nothing.
func refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusForbidden)
	w.Write([]byte("forbidden\n"))
}

// share lets a listed origin read the answer.
func (g *guard) share(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// sharedHeaders are the request headers of MCP. There is no wildcard for a
// prefix, and `*` does not cover Authorization. Fetch, CORS protocol.
const sharedHeaders = "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name"

// preflight answers OPTIONS of a listed origin; no token is asked for, since
// browsers send none.
func (g *guard) preflight(w http.ResponseWriter, r *http.Request) {
	headers := sharedHeaders + g.headers
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(strings.ToLower(name), "mcp-param-") && isToken(name) {
			headers += ", " + name
		}
	}
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "600") // seconds
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
}

// isToken tells whether name can be a header's name. RFC 9110, section 5.6.2.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

// CheckOrigin returns an error unless origin is spelled as browsers send it:
// scheme, host, and the port if it is not the scheme's default; or it is that of
// one browser extension. Wildcards and `null` are no origins.
func CheckOrigin(origin string) error {
	if ok, about := isExtension(origin); ok {
		return nil
	} else if about != "" {
		return fmt.Errorf("origin %q: want %s", origin, about)
	}
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("origin %q: want scheme, host and port, like https://app.example or http://localhost:5173", origin)
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	want := u.Scheme + "://" + host
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		want += ":" + port
	}
	if strings.ContainsAny(host, "*%") || strings.HasSuffix(host, ".") {
		return fmt.Errorf("origin %q: name one exact host, there are no patterns", origin)
	}
	if origin != want {
		return fmt.Errorf("origin %q: browsers send it as %q", origin, want)
	}
	return nil
}

// isExtension tells whether origin is that of an extension of Chromium, whose id
// is 32 letters from a to p, or of Firefox, which gives each installation a UUID.
// Else about says what it should have been, unless it has another scheme.
func isExtension(origin string) (ok bool, about string) {
	if id, chromium := strings.CutPrefix(origin, "chrome-extension://"); chromium {
		outside := func(c rune) bool { return c < 'a' || c > 'p' }
		return len(id) == 32 && !strings.ContainsFunc(id, outside),
			"chrome-extension:// and the 32 letters of the extension's id, from a to p"
	}
	id, firefox := strings.CutPrefix(origin, "moz-extension://")
	if !firefox {
		return false, ""
	}
	ok = len(id) == 36
	for i := 0; ok && i < len(id); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			ok = id[i] == '-'
		} else {
			ok = strings.IndexByte("0123456789abcdef", id[i]) >= 0
		}
	}
	return ok, "moz-extension:// and the UUID of the installed extension, in lower case"
}

// CheckLoopback returns the port of addr, or an error unless addr is on this
// machine's loopback interface. Other binds would need TLS and are not offered.
func CheckLoopback(addr string) (port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, fmt.Errorf("address %q: want host:port, like 127.0.0.1:8808", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && host != "127.0.0.1" && (ip == nil || !ip.Equal(net.IPv6loopback)) {
		return 0, fmt.Errorf("address %q: the gateway serves this machine only: use 127.0.0.1:%s", addr, text)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return 0, fmt.Errorf("address %q: the port must be a number from 0 to 65535; 0 picks a free one", addr)
	}
	return port, nil
}
