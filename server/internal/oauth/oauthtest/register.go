package oauthtest

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
)

// maxRegistration limits the body of a registration, in bytes.
const maxRegistration = 64 << 10

// register gives a client an id (RFC 7591, section 3). Nothing is stored: authorize accepts
// any id.
func (i *Issuer) register(w http.ResponseWriter, r *http.Request) {
	var client map[string]any
	err := json.NewDecoder(io.LimitReader(r.Body, maxRegistration)).Decode(&client)
	redirects, _ := client["redirect_uris"].([]any)
	if r.Method != http.MethodPost || err != nil || len(redirects) == 0 {
		respond(w, http.StatusBadRequest, map[string]any{"error": "invalid_client_metadata"})
		return
	}
	client["client_id"], client["client_id_issued_at"] = rand.Text(), i.now().Unix()
	client["token_endpoint_auth_method"] = "none"
	respond(w, http.StatusCreated, client)
}
