package server

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// When an assistant starts a newer version, that replaces the background gateway once no call runs, also while assistants of
// the older version wait for the next one. No request of an assistant fails, and the page joins again.
func TestANewerVersionTakesOverWhenIdle(t *testing.T) {
	t.Parallel()
	state, port := t.TempDir(), gatewaytest.FreePorts(t, 1)[0]
	old := startGatewayAt(t, port, Options{State: state, Version: "0.0.1", EndWhenIdle: time.Hour})
	page := newPage(t, testOrigin, "tab")
	page.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{Tools: true})
	page.engine.Mount("", page.table)
	page.write("notes://a", "1")
	runs, release := make(chan bool, 1), make(chan struct{})
	page.tool("slow", "waits", nil, func(context.Context, object) (any, error) {
		runs <- true
		<-release
		return object{"content": []any{}}, nil
	})
	page.join(old)
	older := startStdio(t, StdioOptions{State: state, Version: "0.0.1", Command: []string{"/there/is/no/older/program"}})
	older.ask(gatewaytest.Initialize)
	assistant := startStdio(t, StdioOptions{State: state, Version: "0.0.2", Command: []string{os.Args[0], gatewayMode, state, strconv.Itoa(port)}})
	assistant.ask(gatewaytest.Initialize)
	io.WriteString(assistant.in, gatewaytest.Classic("1", "tools/call", `"name":"notes__slow","arguments":{}`)+"\n")
	await(t, "the call to run", runs)
	old.sweepAt(time.Now())
	if old.isClosing() {
		t.Error("it ends while a call runs")
	}
	close(release)
	got := gatewaytest.Receive(t, assistant.lines)
	if !strings.Contains(got, `"id":1,"result"`) {
		t.Error(got)
	}
	gatewaytest.Eventually(t, "no call runs", old.isIdle)
	go old.sweepAt(time.Now()) // ends with the old one
	awaitRunning(t, "the new version to run", state, os.Getpid())
	page.leave()
	page.joinAt("ws://127.0.0.1:"+strconv.Itoa(port)+"/page", nil)
	for _, one := range []*parent{assistant, older} {
		if got := one.response(gatewaytest.Classic("2", "resources/read", `"uri":"notes+notes://a"`), `"id":2`); !strings.Contains(got, `"text":"1"`) {
			t.Error(got)
		}
		one.end()
	}
	control, err := Connect(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	if err := control.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	gatewaytest.Eventually(t, "the new version has ended", func() bool {
		unlock, err := osDisk{state}.Lock(lockFileName, "")
		if err == nil {
			unlock()
		}
		return err == nil
	})
}

// A process that can only open the socket makes the gateway run nothing: one that yields to a newer version ends, and lets
// other processes start the next one.
func TestAGatewayThatYieldsStartsNothing(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{EndWhenIdle: time.Hour})
	p, err := dialLines(t.Context(), g.state.dir, "", "99.0.0")
	if err != nil || !p.yields {
		t.Fatalf("%+v, %v", p, err)
	}
	p.Close()
	g.sweepAt(time.Now())
	await(t, "the gateway to end", g.closed)
	unlock, err := osDisk{g.state.dir}.Lock(startLock, "")
	if err != nil || isRunning(t.Context(), g.state.dir) {
		t.Fatalf("a gateway starts: %v", err)
	}
	unlock()
}

// Who keeps others from starting a gateway may be suspended, as with Ctrl+Z in a terminal: that delays them, for a short time.
func TestASuspendedProcessKeepsNoneFromStarting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hold, err := osDisk{dir}.Lock(startLock, "")
	if err != nil {
		t.Fatal(err)
	}
	defer hold()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), startTime)
		defer cancel()
		unlock, err := lockStart(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	})
}

// The next gateway is started as the options say, by a function too.
func TestAFunctionStartsTheNewerVersion(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{EndWhenIdle: time.Hour})
	started := make(chan struct{}, 16)
	assistant := startStdio(t, StdioOptions{State: g.state.dir, Version: "99.0.0", Start: func(context.Context) error {
		started <- struct{}{}
		return errors.New("the port is taken")
	}})
	assistant.ask(gatewaytest.Initialize)
	g.sweepAt(time.Now())
	await(t, "the start of the next gateway", started)
	assistant.end()
}
