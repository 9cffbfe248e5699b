package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A pause whose file cannot be read holds until somebody resumes, at each later gateway, too.
func TestABrokenPauseHolds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off": `{"until":"2026-`, "empty": "", "an unknown member": `{"untill":"2100-01-01T00:00:00Z"}`, "another type": `{"until":7}`,
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			writeState(t, state, pauseFile, text)
			g := startGateway(t, Options{State: state})
			for range 2 {
				if until := g.pause.Until(); time.Until(until) < 10*365*24*time.Hour {
					t.Fatalf("paused until %v", until)
				}
				g.Close(context.Background())
				g = startGateway(t, Options{State: state})
			}
			if _, err := connect(t, g).Pause(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			g.Close(context.Background())
			g = startGateway(t, Options{State: state})
			if until := g.pause.Until(); !until.IsZero() {
				t.Errorf("resumed, and paused until %v", until)
			}
		})
	}
}

// Where the rights of assistants cannot be read, one with a name has none, at each later gateway, too, until its token is
// added again or the user removes the file that was kept.
func TestABrokenFileOfAssistantsGivesNoRights(t *testing.T) {
	t.Parallel()
	valid := func(t *testing.T, state string) string {
		g := startGateway(t, Options{State: state})
		if _, err := AddToken(t.Context(), state, NewToken{Name: "ci", ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
		g.Close(context.Background())
		text, err := os.ReadFile(filepath.Join(state, assistantsFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, damage := range map[string]func(string) string{
		"cut off":           func(text string) string { return text[:len(text)/2] },
		"empty":             func(string) string { return "" },
		"an unknown member": func(text string) string { return strings.Replace(text, `"readOnly"`, `"readOnlx"`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			writeState(t, state, assistantsFile, damage(valid(t, state)))
			for range 2 {
				g := startGateway(t, Options{State: state})
				for _, assistant := range []string{"ci", "other"} {
					one := g.named.connect(assistant)
					if one == nil || !one.hasEnded() || !g.named.hasEnded("ci") {
						t.Errorf("%s may connect", assistant)
					}
				}
				if !g.named.allow("token", engine.VerbRead, "notes+notes://a") {
					t.Error("the token of the user has no rights")
				}
				g.Close(context.Background())
			}
			g := startGateway(t, Options{State: state})
			if _, err := AddToken(t.Context(), state, NewToken{Name: "ci", ReadOnly: true}); err != nil {
				t.Fatal(err)
			}
			if one := g.named.connect("ci"); one.hasEnded() || !g.named.readOnly("ci") {
				t.Errorf("a token that was added again: %+v", one.snapshot())
			}
			if one := g.named.connect("other"); !one.hasEnded() {
				t.Error("another name may connect")
			}
			g.Close(context.Background())
			kept, err := filepath.Glob(filepath.Join(state, assistantsFile+brokenSuffix+"*"))
			if err != nil || len(kept) == 0 {
				t.Fatalf("nothing is kept: %v", err)
			}
			for _, file := range kept {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			g = startGateway(t, Options{State: state})
			if one := g.named.connect("other"); one.hasEnded() {
				t.Error("without the kept file, a name without a token may not connect")
			}
		})
	}
}

// Whatever is left of a file of state, the gateway starts, says which file is broken, keeps it, and what restricts
// assistants still does: each file is cut at 20 places, and filled with noise.
func TestTheGatewayStartsWithAnyBrokenFile(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	g, _ := openOn(t, d)
	stored := &mcphttp.Stored{ID: testSession, Revision: "2025-11-25", Capabilities: []byte("{}"), Subscriptions: []string{"notes+notes://a"}, Expires: time.Now().Add(sessionLifetime)}
	_, err := g.named.add(NewToken{Name: "ci", ReadOnly: true})
	_, paused := g.pauseByCommand(60)
	if err := errors.Join(err, paused, g.core.Sessions.Store.Save(t.Context(), stored)); err != nil {
		t.Fatal(err)
	}
	g.names.change(func() {
		g.names.known["notes"] = &nameRecord{Name: "notes", Root: "notes", Base: "notes", Origin: testOrigin, Key: "tab", Used: time.Now(), Created: time.Now()}
	})
	g.Close(context.Background())
	whole := map[string]string{}
	for _, name := range []string{namesFile, keysFile, assistantsFile, pauseFile, sessionFile(testSession)} {
		whole[name] = d.text(name)
	}
	for name, text := range whole {
		broken := []string{strings.Repeat("\x00", len(text))}
		for i := range 20 {
			broken = append(broken, text[:i*(len(text)-2)/20]) // without the last bracket
		}
		for seed := range uint64(5) {
			noise := make([]byte, len(text))
			rand.NewChaCha8([32]byte{byte(seed)}).Read(noise)
			broken = append(broken, string(noise))
		}
		for _, text := range broken {
			for name, text := range whole {
				d.put(name, text)
			}
			d.put(name, text)
			var logged []string
			g, err := New(Options{State: "/state", disk: d.process(), lockWait: -1, Logger: logTo(func(line string) { logged = append(logged, line) })})
			if err != nil {
				t.Fatalf("%s %q: %v", name, text, err)
			}
			if _, err := g.core.Sessions.Store.Load(t.Context(), "", testSession); err != nil {
				t.Errorf("%s %q: %v", name, text, err)
			}
			if len(logged) != 1 || !strings.Contains(logged[0], "is broken") || !strings.Contains(logged[0], path.Base(name)) {
				t.Errorf("%s %q: said %q", name, text, logged)
			}
			kept := slices.ContainsFunc(d.names(), func(other string) bool { return strings.HasPrefix(other, name+brokenSuffix) && d.text(other) == text })
			if !kept {
				t.Errorf("%s %q: it is not kept", name, text)
			}
			if g.pause.Until().IsZero() || !g.named.readOnly("ci") && !g.named.hasEnded("ci") {
				t.Errorf("%s %q: paused until %v, the assistant may write", name, text, g.pause.Until())
			}
			g.Close(context.Background())
			for _, other := range d.names() {
				if strings.Contains(other, brokenSuffix) {
					d.process().Remove(other)
				}
			}
		}
	}
}
