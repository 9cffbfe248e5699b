package devserver

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/rawhttp"
)

// A page can distinguish this server from another program on its port, by a signature of
// its nonce and of the address that it has dialled.
func TestWebProvesItselfToItsPages(t *testing.T) {
	w := startWeb(t, nil)
	w.SetLive(map[string][]byte{"/index.html": []byte("<!doctype html>")})
	nonce := strings.Repeat("0a", 32)
	get := func(host, path string) (int, string) {
		t.Helper()
		status, _, body := rawhttp.Send(t, w.port, "GET "+path+" HTTP/1.1\nHost: "+host+"\nConnection: close\n\n")
		return status, body
	}
	status, text := get("localhost:%d", proofPath+"?nonce="+nonce)
	signature, err := base64.StdEncoding.DecodeString(text)
	if status != 200 || err != nil || len(signature) != 64 {
		t.Fatalf("%d %q %v", status, text, err)
	}
	first, second := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	proves := func(host string) bool {
		digest := sha256.Sum256([]byte("pagemcp/1 web\n" + host + "\n" + nonce))
		return ecdsa.Verify(&w.key.PublicKey, digest[:], first, second)
	}
	if !proves(fmt.Sprintf("localhost:%d", w.port)) || proves(fmt.Sprintf("127.0.0.1:%d", w.port)) || proves("localhost:8809") {
		t.Error("the proof is not about the address that was dialled")
	}
	for path, want := range map[string]int{"?nonce=": 400, "": 400, "?nonce=" + nonce + "0": 400} {
		if status, _ := get("localhost:%d", proofPath+path); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := get("localhost:1", proofPath+"?nonce="+nonce); status != 403 { // relayed by the program on another port
		t.Errorf("for another address: %d", status)
	}
}

// What another program on this port has left in the browser is removed: its Service
// Workers at their next update, its storage when a page detects that the server is
// another one.
func TestStorageOfOtherServersIsCleared(t *testing.T) {
	w := startWeb(t, map[string][]byte{"/index.html": []byte("start"), "/playground/sw.js": []byte("own")})
	for _, test := range []struct {
		path, header string
		status       int
		body         string
	}{
		{"/evil.js", "Service-Worker: script", 200, "registration.unregister()"},
		{"/playground/sw.js", "Service-Worker: script", 200, "own"},
		{"/evil.js", "X-Other: 1", 404, ""},
		{clearPath, "Sec-Fetch-Site: same-origin", 204, ""},
		{clearPath, "Sec-Fetch-Site: none", 403, ""},
		{clearPath, "X-Other: 1", 403, ""},
		{clearPath, "Sec-Fetch-Site: same-site", 403, ""},
	} {
		request, err := http.NewRequest("GET", strings.TrimSuffix(w.URL(), "/")+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(test.header, ": ")
		request.Header.Set(name, value)
		status, header, body := fetch(t, request)
		if status != test.status || !strings.Contains(body, test.body) {
			t.Errorf("%s with %s: %d %q", test.path, test.header, status, body)
		}
		if clears := header.Get("Clear-Site-Data") != ""; clears != (test.status == 204) {
			t.Errorf("%s with %s: Clear-Site-Data %v", test.path, test.header, clears)
		}
	}
}

func fetch(t *testing.T, request *http.Request) (int, http.Header, string) {
	t.Helper()
	answer, err := gatewaytest.HTTP.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body strings.Builder
	if err := answer.Write(&body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body.String()
}
