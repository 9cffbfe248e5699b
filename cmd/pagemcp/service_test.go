package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/pflag"
)

// servedGateway returns a gateway that serves, and what its Serve returns.
func servedGateway(t *testing.T, state string) (*server.Gateway, <-chan error) {
	t.Helper()
	g, err := server.New(server.Options{State: state, Version: "0.0.0-test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(t.Context()) }() // ends with Close
	return g, served
}

// `serve --wait`, which the service runs, waits for the gateway of another command.
func TestServeWaitsForAnotherGateway(t *testing.T) {
	state := t.TempDir()
	first, served := servedGateway(t, state)
	waiting, serving := make(chan string, 16), make(chan string, 16)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--wait", "--json", "--state", state, "--mcp", "127.0.0.1:0"}, streams{strings.NewReader(""), lines(serving), lines(waiting)})
	}()
	if got := <-waiting; !strings.Contains(got, "waiting until it ends") {
		t.Errorf("at first: %s", got)
	}
	stopped, stop := context.WithCancel(ctx)
	other, otherEnded := make(chan string, 16), make(chan error, 1)
	go func() {
		otherEnded <- run(stopped, []string{"serve", "--wait", "--state", state, "--mcp", "127.0.0.1:0"}, streams{strings.NewReader(""), io.Discard, lines(other)})
	}()
	<-other
	stop()
	if err := <-otherEnded; err != nil {
		t.Errorf("ended by a signal while it waits: %v", err)
	}
	first.Close(t.Context())
	if err := <-served; err != nil {
		t.Error(err)
	}
	select {
	case got := <-serving:
		if !strings.Contains(got, `"mcp":`) {
			t.Errorf("then: %s", got)
		}
	case err := <-ended:
		t.Fatalf("ended while it waited: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Another gateway may begin just after `serve --wait` has seen none: it waits for that one, too. Other
// errors end it.
func TestServeWaitsForAGatewayThatWasFaster(t *testing.T) {
	state := t.TempDir()
	first, served := servedGateway(t, state)
	running := settings{state: state, wait: true}
	_, err := running.newGateway(t.Context(), streams{strings.NewReader(""), io.Discard, io.Discard})
	if err == nil || !running.otherWasFirst(t.Context(), err) {
		t.Errorf("while a gateway runs: %v", err)
	}
	first.Close(t.Context())
	if err := <-served; err != nil {
		t.Error(err)
	}
	none := settings{state: t.TempDir(), wait: true}
	for err, want := range map[error]bool{
		fmt.Errorf("open: %w", &server.OwnedError{}): true,
		errors.New("the disk is full"):               false,
	} {
		if got := none.otherWasFirst(t.Context(), err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// lines receives what is written, while it has room.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

// With XDG_STATE_HOME, which a service or a client may not have, the directory is written.
func TestStateIsWrittenIfTheEnvironmentNamesIt(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "")
	if got, err := explicitState(""); got != "" || err != nil {
		t.Errorf("without: %q, %v", got, err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	install, _, err := root.Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := serveFlags(install); err != nil || !slices.Contains(got, "--state="+filepath.Join(dir, "pagemcp")) {
		t.Errorf("with: %q, %v", got, err)
	}
}

// The command takes the flags of serve that were set, with absolute paths.
func TestServiceTakesFlagsOfServe(t *testing.T) {
	var got []string
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	install, _, err := root.Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	if err := install.ParseFlags([]string{"--mcp", "127.0.0.1:9000", "--state", "here", "--allow-origin", "https://a.example", "--allow-origin", "https://b.example", "--lenient"}); err != nil {
		t.Fatal(err)
	}
	got, err = serveFlags(install)
	if err != nil {
		t.Fatal(err)
	}
	here, _ := filepath.Abs("here")
	want := []string{"--wait", "--state=" + here, "--mcp=127.0.0.1:9000", "--lenient=true", "--allow-origin=https://a.example", "--allow-origin=https://b.example"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, _, err := newRoot(streams{}).Find(append([]string{"serve"}, got...)); err != nil {
		t.Error(err)
	}
}

// No flag of serve is left out.
func TestServiceTakesAllFlagsOfServe(t *testing.T) {
	install, _, err := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}).Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"string": "x", "bool": "true", "int": "7", "float64": "7"}
	install.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := given[flag.Value.Type()]
		if flag.Name == "help" {
			return
		}
		if !ok {
			value = "https://a.example"
		}
		if err := install.Flags().Set(flag.Name, value); err != nil {
			t.Fatal(err)
		}
		got, err := serveFlags(install)
		if err != nil || !slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, "--"+flag.Name+"=") }) {
			t.Errorf("--%s is not one of %q: %v", flag.Name, got, err)
		}
	})
}
