package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A token is 256 bits, its text is in no file, and it is valid after a
// restart with its rights, until it is revoked.
func TestNamedTokensAreStoredAsHashes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := startGateway(t, Options{State: dir})
	added, err := AddToken(t.Context(), dir, NewToken{Name: "ci", ReadOnly: true, Apps: []string{"notes"}, Lifetime: 30 * 24 * time.Hour})
	if err != nil || len(added.Token) != tokenLength || !added.Assistant.ReadOnly || added.Assistant.Expires.Sub(added.Assistant.Created) != 30*24*time.Hour {
		t.Fatalf("%+v, %v", added, err)
	}
	editor, err := AddToken(t.Context(), dir, NewToken{Name: "editor"})
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if entry.Name() == socketName {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), added.Token) || strings.Contains(string(data), editor.Token) {
			t.Errorf("%s contains a token", path)
		}
		if info, err := entry.Info(); err != nil || !hasMode(info, 0o600) {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := caller(t, g).As(added.Token).Ask("/mcp", "resources/list", ""); status != 200 {
		t.Errorf("before the restart: %d", status)
	}
	g.Close(context.Background())
	stored, err := Assistants(t.Context(), dir) // without a gateway
	if err != nil || len(stored) != 2 || stored[0].Name != "ci" || !stored[0].ReadOnly || stored[0].Used.IsZero() || !stored[1].Used.IsZero() {
		t.Errorf("%+v, %v", stored, err)
	}
	g = startGateway(t, Options{State: dir})
	if got := byHTTP(t, g, added.Token).ask("resources/list", ""); !strings.Contains(got, `"resources":[]`) {
		t.Errorf("after the restart: %s", got)
	}
	if err := RevokeToken(t.Context(), dir, "editor"); err != nil {
		t.Fatal(err)
	}
	if got := byHTTP(t, g, editor.Token).ask("resources/list", ""); !strings.Contains(got, "the bearer token is missing or wrong") {
		t.Errorf("a revoked token: %s", got)
	}
}

// Without a gateway, tokens change in the directory; a gateway that is running when they change
// has them at once.
func TestTokensChangeWithAndWithoutAGateway(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	added, err := AddToken(t.Context(), dir, NewToken{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AddToken(t.Context(), dir, NewToken{Name: "ci"}); err == nil || !strings.Contains(err.Error(), "has a token already") {
		t.Errorf("added twice: %v", err)
	}
	g := startGateway(t, Options{State: dir})
	ask := func(token string) string { return byHTTP(t, g, token).ask("resources/list", "") }
	if got := ask(added.Token); !strings.Contains(got, `"resources":[]`) {
		t.Errorf("added before the gateway: %s", got)
	}
	if _, err := AddToken(t.Context(), dir, NewToken{Name: "ci"}); err == nil || !strings.Contains(err.Error(), "has a token already") {
		t.Errorf("added twice at the gateway: %v", err)
	}
	if err := RevokeToken(t.Context(), dir, "none"); err == nil || !strings.Contains(err.Error(), `there is no token of the name "none"`) {
		t.Errorf("revoked an unknown one: %v", err)
	}
	g.Close(context.Background())
	if err := RevokeToken(t.Context(), dir, "ci"); err != nil {
		t.Fatal(err)
	}
	again, err := AddToken(t.Context(), dir, NewToken{Name: "ci"})
	if err != nil || again.Token == added.Token {
		t.Fatalf("added after it was revoked: %v", err)
	}
	g = startGateway(t, Options{State: dir})
	if got := ask(added.Token); !strings.Contains(got, "the bearer token is missing or wrong") {
		t.Errorf("the revoked one: %s", got)
	}
	if got := ask(again.Token); !strings.Contains(got, `"resources":[]`) {
		t.Errorf("the new one: %s", got)
	}
}

// Names, pages and numbers are bounded, also those of names that were revoked.
func TestNamesOfAssistantsAreBounded(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{State: "/state", disk: newMemDisk()})
	for _, name := range []string{"", "Claude", "a b", "-x", "1x", "a+b", "a.b", strings.Repeat("x", 41), "token", "stdio", "anyone", "playground", "unnamed", "page", "webmcp"} {
		if _, err := g.named.add(NewToken{Name: name}); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	for _, bad := range []NewToken{{Name: "x", Apps: []string{"Notes"}}, {Name: "x", Apps: slices.Repeat([]string{"a"}, 33)}, {Name: "x", Lifetime: -1}, {Name: "x", Lifetime: 11 * 365 * 24 * time.Hour}} {
		if _, err := g.named.add(bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	for i := range maxAssistants {
		mustAdd(t, g, NewToken{Name: fmt.Sprintf("a%d", i)})
	}
	if _, err := g.named.add(NewToken{Name: "more"}); err == nil || !strings.Contains(err.Error(), "there are 64 named tokens already") {
		t.Errorf("one more: %v", err)
	}
	for round := range 2 {
		for i := range maxAssistants {
			if err := g.named.revoke(fmt.Sprintf("a%d", i+round*maxAssistants)); err != nil {
				t.Fatal(err)
			}
			mustAdd(t, g, NewToken{Name: fmt.Sprintf("a%d", i+(round+1)*maxAssistants)})
		}
	}
	if n := len(g.named.list()); n != maxAssistants+maxRevoked {
		t.Errorf("%d names are stored", n)
	}
	for i := range 2 * maxSeen {
		g.named.connect(fmt.Sprintf("s%d", i))
	}
	if n := len(g.named.seen); n != maxSeen {
		t.Errorf("%d names without a token", n)
	}
}

// Pages of an app are those of its name, and its numbered ones; a longer number is part of a
// name that another origin may have.
func TestPagesOfAnApp(t *testing.T) {
	t.Parallel()
	one := newAssistant(NamedAssistant{Name: "x", Apps: []string{"notes"}}, nil)
	for page, want := range map[string]bool{
		"notes": true, "notes-2": true, "notes-99": true, "notes-2026": false, "notes-app-example": false, "notes-x0badc0de": false, "note": false, "notes-": false, "mail": false,
	} {
		if one.seesPage(page) != want {
			t.Errorf("%s: %v", page, !want)
		}
	}
	for _, uri := range []string{"notes:x", "tool:wipe", "prompt:x", "method:acme/x", "mail+notes+x:y", "tool:mail.notes.x", ""} {
		if one.mayUse(uri) {
			t.Errorf("it may use %q", uri)
		}
	}
}
