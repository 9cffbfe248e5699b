package oauthtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// KeysPath is the path of the key set.
const KeysPath = "/keys"

// ServeHTTP implements http.Handler.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.counts[r.URL.Path]++
	outage, raw := i.outage, i.raw[r.URL.Path]
	i.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method == http.MethodOptions { // of clients in browsers
		w.Header().Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if outage == Oversized { // the document is valid, so only its size can be the reason to reject it
		defer w.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	switch {
	case outage == Errors:
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	case outage == Hangs:
		<-r.Context().Done()
		return
	case outage == Redirects && r.URL.RawQuery == "":
		http.Redirect(w, r, r.URL.Path+"?again", http.StatusFound)
		return
	case raw != nil:
		w.Write(raw)
		return
	}
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/.well-known/oauth-authorization-server"), strings.Contains(path, "/.well-known/openid-configuration"):
		i.metadata(w, outage == OtherOwner)
	case path == KeysPath:
		w.Header().Set("Content-Type", "application/jwk-set+json")
		w.Write(i.KeySet())
	case path == "/authorize":
		i.authorize(w, r)
	case path == "/token":
		i.token(w, r)
	case path == "/register":
		i.register(w, r)
	default:
		http.NotFound(w, r)
	}
}

// metadata has the members of RFC 8414, section 2, and the further ones that OpenID
// Connect Discovery 1.0 requires.
func (i *Issuer) metadata(w http.ResponseWriter, foreign bool) {
	issuer := i.URL()
	base := issuer
	if foreign {
		issuer = "https://other.example"
	}
	if scheme, rest, _ := strings.Cut(base, "://"); strings.Contains(rest, "/") {
		host, _, _ := strings.Cut(rest, "/")
		base = scheme + "://" + host
	}
	respond(w, http.StatusOK, map[string]any{
		"issuer": issuer, "jwks_uri": base + KeysPath, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
		"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"ES256"},
		"authorization_response_iss_parameter_supported": true,
	})
}

// KeySet returns the document of the published keys.
func (i *Issuer) KeySet() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	keys := make([]map[string]any, len(i.keys))
	for n, key := range i.keys {
		keys[n] = key.JWK()
	}
	data, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		panic(err) // of strings only
	}
	return data
}

func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
