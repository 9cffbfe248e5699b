package main

import (
	"strings"
	"testing"
)

// A named token is printed once, listed with its rights, and listed as revoked.
func TestNamedTokensByCommand(t *testing.T) {
	state := t.TempDir()
	command := func(args ...string) string {
		t.Helper()
		out, err := runForOutput(t, append(append([]string{"token"}, args...), "--state", state)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := command("list"); !strings.Contains(got, "There are no named tokens") {
		t.Errorf("at first: %s", got)
	}
	token := strings.TrimSpace(command("add", "ci", "--read-only", "--app", "notes", "--app", "mail", "--expires", "30d"))
	if token == "" {
		t.Error("add prints no token")
	}
	command("add", "editor")
	got := command("list")
	for _, want := range []string{"ci      read only, pages notes mail, until ", "editor  read and act", "not used yet"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	if got := command("list", "--json"); !strings.Contains(got, `"name":"ci","readOnly":true,"apps":["notes","mail"]`) || strings.Contains(got, "hash") {
		t.Errorf("as JSON: %s", got)
	}
	if got := command("revoke", "ci"); !strings.Contains(got, "The token of ci is no longer valid") {
		t.Errorf("revoked: %s", got)
	}
	if got := command("list"); !strings.Contains(got, "ci      revoked") {
		t.Errorf("after a token was revoked: %s", got)
	}
}
