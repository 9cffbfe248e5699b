package server

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
