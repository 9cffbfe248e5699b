package access

import (
	"net/http"
	"slices"
	"strings"
)

// A Guard lets a request through to routing only if neither a rebound name nor
// a foreign web site can have sent it. Browsers' own rules differ and cannot be
// relied on (security.md §2), so nothing here can be switched off.
type Guard struct {
	Hosts            []string // what Host may be: each name with the actual port
	OwnOrigins       []string // the origins of our own port
	AssistantOrigins []string // that may ask as assistants: they get CORS headers
	PageOrigins      []string // that may open the WebSockets of pages, and nothing else
	Next             http.Handler
	OnRefusal        func(*http.Request) // notes a refusal; may be nil
	ExtraHeaders     string              // that origins on the list may send besides those of MCP: ", Name"
}

func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.admits(r) {
		g.Refuse(w, r)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	w.Header().Set("Referrer-Policy", "no-referrer")
	origin := r.Header.Get("Origin")
	if origin != "" && !isPagePath(r.URL.Path) && slices.Contains(g.AssistantOrigins, origin) {
		g.share(w.Header(), origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			g.preflight(w, r)
			return
		}
	}
	g.Next.ServeHTTP(w, r)
}

// admits checks Host, Origin and Sec-Fetch-Site literally. Two values of one
// header are never right.
func (g *Guard) admits(r *http.Request) bool {
	if !slices.Contains(g.Hosts, r.Host) {
		return false
	}
	origins, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(origins) > 1 || len(sites) > 1 {
		return false
	}
	if len(origins) == 1 {
		listed := g.AssistantOrigins
		if isPagePath(r.URL.Path) {
			listed = g.PageOrigins
		}
		if slices.Contains(listed, origins[0]) {
			return true
		}
		if !slices.Contains(g.OwnOrigins, origins[0]) {
			return false
		}
	}
	return len(sites) == 0 || sites[0] == "none" || sites[0] == "same-origin"
}

// isPageDoor tells whether what is at path serves pages. An origin that may join is not
// thereby an assistant, nor the other way round.
func isPagePath(path string) bool { return path == PagePath || path == MonitorPath }

// MayJoin tells whether origin may join as a page: the list alone counts, a
// missing Origin and our own do not.
func (g *Guard) MayJoin(origin string) bool {
	return origin != "" && slices.Contains(g.PageOrigins, origin)
}

// Refuse refuses r, and notes it.
func (g *Guard) Refuse(w http.ResponseWriter, r *http.Request) {
	if g.OnRefusal != nil {
		g.OnRefusal(r)
	}
	Refuse(w)
}

// Refuse says the same whatever the reason was, so that a prober learns nothing.
func Refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusForbidden)
	w.Write([]byte("forbidden\n"))
}

// share lets a listed origin read the answer.
func (g *Guard) share(h http.Header, origin string) {
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
func (g *Guard) preflight(w http.ResponseWriter, r *http.Request) {
	headers := sharedHeaders + g.ExtraHeaders
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
