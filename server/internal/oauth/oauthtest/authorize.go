package oauthtest

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/url"
	"time"
)

// An authorization is what a user has approved.
type authorization struct {
	client, redirect, challenge, resource, scope string

	user    string    // "": that of SetClaim
	expires time.Time // of the code; refresh tokens do not expire
}

// authorize approves the request and redirects with a code (OAuth 2.1, section 4.1).
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	redirect, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || redirect.Host == "" || q.Get("client_id") == "" {
		http.Error(w, "client_id and redirect_uri are required", http.StatusBadRequest)
		return
	}
	answer := redirect.Query()
	answer.Set("iss", i.URL()) // RFC 9207
	answer.Set("state", q.Get("state"))
	switch {
	case q.Get("response_type") != "code":
		answer.Set("error", "unsupported_response_type")
	case q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "":
		answer.Set("error", "invalid_request")
	case q.Get("resource") == "": // MCP 2026-07-28, basic/authorization: clients must send it
		answer.Set("error", "invalid_target")
	default:
		code := rand.Text()
		approved := authorization{
			client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			resource: q.Get("resource"), scope: q.Get("scope"), expires: i.now().Add(time.Minute),
		}
		i.mu.Lock()
		user := i.user
		i.mu.Unlock()
		if user != nil {
			approved.user = user(r)
		}
		i.mu.Lock()
		i.codes[code] = approved
		i.mu.Unlock()
		answer.Set("code", code)
	}
	redirect.RawQuery = answer.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusFound)
}

// token exchanges a code or a refresh token, each of which is valid once.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.ParseForm() != nil {
		http.Error(w, "want a form", http.StatusMethodNotAllowed)
		return
	}
	// OAuth 2.1, section 3.2.4. The code is still valid: go-sdk first tries to authenticate
	// by a header, which the metadata do not offer, and then again.
	if r.PostForm.Get("client_id") == "" {
		respond(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	var approved authorization
	var ok bool
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		if approved, ok = i.take(i.codes, r.PostForm.Get("code")); ok {
			hash := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
			ok = encode(hash[:]) == approved.challenge && r.PostForm.Get("redirect_uri") == approved.redirect && i.now().Before(approved.expires)
		}
	case "refresh_token":
		approved, ok = i.take(i.refresh, r.PostForm.Get("refresh_token"))
	default:
		respond(w, http.StatusBadRequest, map[string]any{"error": "unsupported_grant_type"})
		return
	}
	if !ok || r.PostForm.Get("client_id") != approved.client {
		respond(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	// RFC 8707, section 2.2: a refresh without it means the resource that was approved.
	resource, isRefresh := r.PostForm.Get("resource"), r.PostForm.Get("grant_type") == "refresh_token"
	if resource != approved.resource && !(isRefresh && resource == "") {
		respond(w, http.StatusBadRequest, map[string]any{"error": "invalid_target"})
		return
	}
	next := rand.Text()
	i.mu.Lock()
	i.refresh[next] = approved
	life := i.life
	i.mu.Unlock()
	claims := map[string]any{"client_id": approved.client, "scope": approved.scope, "exp": i.now().Add(life).Unix()}
	if life < 0 { // issued an hour before it expired
		claims["iat"] = i.now().Add(life - time.Hour).Unix()
	}
	if approved.user != "" {
		claims["sub"] = approved.user
	}
	respond(w, http.StatusOK, map[string]any{
		"access_token": i.AccessToken(approved.resource, claims), "token_type": "Bearer", "expires_in": int(max(0, life) / time.Second),
		"refresh_token": next, "scope": approved.scope,
	})
}

// take removes an entry of codes or refresh.
func (i *Issuer) take(from map[string]authorization, name string) (authorization, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	found, ok := from[name]
	delete(from, name)
	return found, ok
}
