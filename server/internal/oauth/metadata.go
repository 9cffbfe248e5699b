package oauth

import (
	"net/http"
	"strings"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
)

// metadataPath is that of RFC 9728, section 3; the path of the resource follows it.
const metadataPath = "/.well-known/oauth-protected-resource"

// A Metadata describes the resource server to clients.
type Metadata struct {
	PublicURL string
	Issuer    string
	Name      string // resource_name
	Scopes    ScopeNames
}

// document is the metadata of one endpoint (RFC 9728, section 2).
type document struct {
	Resource string   `json:"resource"`
	Issuers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name,omitempty"`
}

// NewMetadataHandler serves the protected resource metadata of /mcp and of each
// /mcp/{page}, whether the page exists or not. The documents are public, for any origin,
// and the guard must let them through. The root path has the document of /mcp for clients
// that look there only; strict ones reject it, because its resource is another URL (RFC
// 9728, section 3.3), and use the path of the challenge.
func NewMetadataHandler(m Metadata) (http.Handler, error) {
	if err := checkPublicURL(m.PublicURL); err != nil {
		return nil, err
	}
	m.PublicURL = strings.TrimSuffix(m.PublicURL, "/")
	return http.HandlerFunc(m.serve), nil
}

func (m Metadata) serve(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, metadataPath)
	if path == "" {
		path = "/mcp"
	}
	if _, isEndpoint := access.PageOf(path); !ok || !isEndpoint {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions: // clients send MCP-Protocol-Version, so browsers ask first
		h.Set("Access-Control-Allow-Methods", "GET")
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Max-Age", "600") // seconds
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	data, err := json.Marshal(document{
		Resource: m.PublicURL + path,
		Issuers:  []string{m.Issuer},
		Scopes:   m.Scopes.issued(AllScopes()),
		Methods:  []string{"header"},
		Name:     m.Name,
	})
	if err != nil { // a configured name is not UTF-8
		http.Error(w, "the metadata cannot be encoded", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "max-age=300") // seconds
	w.Write(data)
}
