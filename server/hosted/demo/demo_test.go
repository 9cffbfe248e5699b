package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// packageFiles returns a directory that looks like the built package.
func packageFiles(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.js"), []byte("export {}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serveDemo runs the program until the test ends, and returns the line that it prints.
func serveDemo(t *testing.T, args ...string) (addresses map[string]string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, append([]string{"--listen", "127.0.0.1:0", "--gateway", "https://mcp.app.example", "--package", packageFiles(t)}, args...), in, io.Discard)
		in.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &addresses); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return addresses
}

// post sends a form, or nothing, with an Origin.
func post(t *testing.T, client *http.Client, address, origin string, form url.Values) (status int, body string) {
	t.Helper()
	request, err := http.NewRequest("POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", origin)
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func get(t *testing.T, client *http.Client, address string) (status int, body string) {
	t.Helper()
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// Join tokens are for the user of the session and for requests of the app's own pages.
// The gateway accepts them by the keys of the app.
func TestJoinTokens(t *testing.T) {
	app := serveDemo(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: gatewaytest.Wait}
	if status, _ := post(t, client, app["url"]+"/pagemcp-token", app["url"], nil); status != http.StatusUnauthorized {
		t.Errorf("without a session: %d", status)
	}
	for name, form := range map[string]url.Values{"an unknown user": {"user": {"eve"}}, "no user": {}} {
		if status, _ := post(t, client, app["url"]+"/login", app["url"], form); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _ := post(t, client, app["url"]+"/login", "https://evil.example", url.Values{"user": {"alice"}}); status != http.StatusForbidden {
		t.Errorf("a form of another site: %d", status)
	}
	if status, body := post(t, client, app["url"]+"/login", app["url"], url.Values{"user": {"alice"}, "next": {"//evil.example"}}); status != http.StatusOK || !strings.Contains(body, "Shopping list") {
		t.Fatalf("%d %s", status, body)
	}
	for _, origin := range []string{"", "null", "https://evil.example"} {
		if status, body := post(t, client, app["url"]+"/pagemcp-token", origin, nil); status != http.StatusForbidden {
			t.Errorf("origin %q: %d %s", origin, status, body)
		}
	}
	status, token := post(t, client, app["url"]+"/pagemcp-token", app["url"], nil)
	if status != http.StatusOK {
		t.Fatal(status, token)
	}
	_, set := get(t, client, app["keys"])
	keys, err := oauth.StaticKeySet([]byte(set))
	if err != nil {
		t.Fatal(err)
	}
	validator, err := oauth.NewJoinValidator(oauth.JoinConfig{Issuer: app["url"], Keys: keys, PageURL: "wss://mcp.app.example/page"})
	if err != nil {
		t.Fatal(err)
	}
	granted, err := validator.Validate(t.Context(), token, app["url"])
	if err != nil || granted.Subject != "alice" {
		t.Errorf("%+v, %v", granted, err)
	}
}

// A forged cookie is no session, and authorization begins with a sign-in.
func TestAuthorizationNeedsASession(t *testing.T) {
	app := serveDemo(t)
	client := &http.Client{Timeout: gatewaytest.Wait, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, cookie := range []string{"", "alice", "alice.", "alice.AAAA", ".", "bob." + strings.Repeat("A", 43)} {
		request, err := http.NewRequest("GET", app["url"]+"/authorize?client_id=c", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.AddCookie(&http.Cookie{Name: sessionCookie, Value: cookie})
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if to := answer.Header.Get("Location"); answer.StatusCode != http.StatusFound || to != "/login?next=%2Fauthorize%3Fclient_id%3Dc" {
			t.Errorf("cookie %q: %d %s", cookie, answer.StatusCode, to)
		}
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server/auth", "/auth/.well-known/openid-configuration", "/.well-known/openid-configuration/auth"} {
		status, body := get(t, client, app["url"]+path)
		var metadata struct{ Issuer string }
		if err := json.Unmarshal([]byte(body), &metadata); status != http.StatusOK || err != nil || metadata.Issuer != app["issuer"] {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _ := post(t, client, app["url"]+"/control", "", nil); status != http.StatusNotFound {
		t.Errorf("/control without the flag: %d", status)
	}
}
