package access

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// A Guard passes a request to Next only if neither DNS rebinding nor a foreign web site
// can have sent it: Host, Origin and Sec-Fetch-Site must match its lists. Browsers
// differ in which requests to loopback they block, so these checks cannot be switched
// off.
type Guard struct {
	Hosts            []string            // allowed values of Host, with the port
	OwnOrigins       []string            // origins of the gateway's own address
	AssistantOrigins OriginSet           // may send MCP requests; they get CORS headers
	PageOrigins      OriginSet           // may open the WebSockets of pages and monitors, nothing else
	Next             http.Handler        // gets the requests that pass
	OnRefusal        func(*http.Request) // called for each rejected request; may be nil
	ExtraHeaders     string              // request headers that AssistantOrigins may send besides those of MCP: ", Name"

	// Pages on other ports of this machine may use the documents at the paths Frames, in a
	// frame, and the scripts whose paths begin with one of Scripts. Both are public code. The
	// documents must forbid other ancestors by their Content-Security-Policy: a frame is
	// requested without an Origin.
	Frames  []string
	Scripts []string

	// Documents are paths that a link of any site may open, in a window of its own alone, as
	// patterns of path.Match. They must be harmless without what the link brings along.
	Documents []string
}

// An OriginSet is a set of web origins, as browsers send them.
type OriginSet interface{ Contains(origin string) bool }

// mayAsk reports whether pages of origin may send MCP requests.
func (g *Guard) mayAsk(origin string) bool {
	return g.AssistantOrigins != nil && g.AssistantOrigins.Contains(origin)
}

// ServeHTTP implements http.Handler.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.admits(r) {
		g.Refuse(w, r)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	w.Header().Set("Referrer-Policy", "no-referrer")
	origin := r.Header.Get("Origin")
	if origin != "" && g.mayEmbed(r) {
		w.Header().Add("Vary", "Origin")
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if origin != "" && !isPagePath(r.URL.Path) && g.mayAsk(origin) {
		g.share(w.Header(), origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			g.preflight(w, r)
			return
		}
	}
	g.Next.ServeHTTP(w, r)
}

// admits compares Host, Origin and Sec-Fetch-Site literally. A header with two values is
// rejected.
func (g *Guard) admits(r *http.Request) bool {
	if !slices.Contains(g.Hosts, r.Host) {
		return false
	}
	origins, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(origins) > 1 || len(sites) > 1 {
		return false
	}
	if len(origins) == 1 {
		listed := g.mayAsk(origins[0])
		if isPagePath(r.URL.Path) {
			listed = g.MayJoin(origins[0])
		}
		if listed || g.mayEmbed(r) {
			return true
		}
		if !slices.Contains(g.OwnOrigins, origins[0]) {
			return false
		}
	}
	return len(sites) == 0 || sites[0] == "none" || sites[0] == "same-origin" || len(origins) == 0 && (g.mayEmbed(r) || g.mayOpen(r))
}

// mayOpen reports whether r opens one of Documents in a window: for a browser, a local file that
// leads here is another site.
func (g *Guard) mayOpen(r *http.Request) bool {
	isDocument := func(pattern string) bool {
		matches, _ := path.Match(pattern, r.URL.Path)
		return matches
	}
	return r.Method == http.MethodGet && slices.ContainsFunc(g.Documents, isDocument) && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// mayEmbed reports whether r is for what pages of this machine may embed, and can come
// from one of them.
func (g *Guard) mayEmbed(r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return slices.Contains(g.Frames, r.URL.Path) && r.Header.Get("Sec-Fetch-Dest") == "iframe" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
	isScript := func(prefix string) bool {
		return strings.HasPrefix(r.URL.Path, prefix) && strings.HasSuffix(r.URL.Path, ".js")
	}
	return slices.ContainsFunc(g.Scripts, isScript) && isLoopback(origin)
}

// isPagePath reports whether pages connect to path. PageOrigins apply there,
// AssistantOrigins everywhere else.
func isPagePath(path string) bool { return path == PagePath || path == MonitorPath }

// MayJoin reports whether origin may join as a page. Unlike in admits, a missing Origin
// and the gateway's own origins do not pass.
func (g *Guard) MayJoin(origin string) bool {
	return origin != "" && g.PageOrigins != nil && g.PageOrigins.Contains(origin)
}

// Refuse responds 403 to r and calls OnRefusal.
func (g *Guard) Refuse(w http.ResponseWriter, r *http.Request) {
	if g.OnRefusal != nil {
		g.OnRefusal(r)
	}
	Refuse(w)
}

// Refuse responds 403. The text does not depend on the reason, so that a prober learns
// nothing.
func Refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusForbidden)
	w.Write([]byte("forbidden\n"))
}

// share lets a listed origin read the response.
func (g *Guard) share(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// sharedHeaders are the request headers of MCP. They are listed one by one: there is no
// wildcard for a prefix, and `*` does not include Authorization. See the CORS protocol
// in Fetch.
const sharedHeaders = "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name"

// preflight answers OPTIONS of a listed origin. It needs no token, since browsers send
// none.
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

// isToken reports whether name is valid as the name of a header. RFC 9110, section
// 5.6.2.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}
