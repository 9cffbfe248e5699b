package main

import (
	"encoding/json"
	"net/http"
	"time"
)

// A change is the body of POST /control, JSON. Members that are missing change nothing.
type change struct {
	Tokens   *string `json:"tokens"`   // "fail": the endpoint of join tokens responds 503; else it works
	Lifetime *int    `json:"lifetime"` // seconds, of access tokens; negative: they have expired
}

// control changes what the issuers do, and returns how many requests for tokens there
// were. It is for tests, and has no authorization.
func (d *demo) control(w http.ResponseWriter, r *http.Request) {
	var c change
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if c.Tokens != nil {
		d.tokensFail.Store(*c.Tokens == "fail")
	}
	if c.Lifetime != nil {
		d.auth.SetLifetime(time.Duration(*c.Lifetime) * time.Second)
	}
	respond(w, http.StatusOK, map[string]int{"authorize": d.auth.Requests("/authorize"), "token": d.auth.Requests("/token")})
}
