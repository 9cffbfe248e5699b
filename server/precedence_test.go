package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// A gateway that the user starts replaces the gateway in the process of an assistant. The assistants' requests wait for the page, which joins the new gateway with
// its key although only the first one was told its origin; none fails. When that gateway
// ends, an assistant's process serves again.
func TestGatewayOfTheUserReplacesThatOfAnAssistant(t *testing.T) {
	t.Parallel()
	state, port := t.TempDir(), testports.Free(t, 1)[0]
	first := startGatewayAt(t, port, Options{State: state})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(first)
	first.Close(context.Background())

	opts := StdioOptions{Gateway: Options{State: state}, Listen: "127.0.0.1:" + strconv.Itoa(port)} // as `install` writes it: no origin
	assistants := []*parent{startStdio(t, opts), startStdio(t, opts)}
	awaitRunning(t, "an assistant's process is the gateway", state, 0)
	page.joinAt(first.PageURL(), nil)
	readAll := func(when string, id int) {
		t.Helper()
		for i, assistant := range assistants {
			read := gatewaytest.Modern(strconv.Itoa(id), "resources/read", `"uri":"notes+notes://a"`)
			if got := assistant.ask(read); !strings.Contains(got, `"text":"1"`) {
				t.Errorf("%s, assistant %d: %s", when, i, got)
			}
		}
	}
	readAll("at the assistant's gateway", 1)
	for round := range 2 {
		g := startGatewayAt(t, port, Options{State: state, Origins: []string{}})
		when := fmt.Sprintf("round %d", round)
		for i, assistant := range assistants { // while no page is there
			if _, err := io.WriteString(assistant.in, gatewaytest.Modern(strconv.Itoa(10+i), "resources/read", `"uri":"notes+notes://a"`)+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		page.leave()
		page.joinAt(g.PageURL(), nil)
		for i, assistant := range assistants {
			if got := gatewaytest.Receive(t, assistant.lines); !strings.Contains(got, `"text":"1"`) {
				t.Errorf("%s, a read across the change, assistant %d: %s", when, i, got)
			}
		}
		readAll(when, 20)
		g.Close(context.Background())
		page.leave()
		awaitRunning(t, "an assistant's process is the gateway again", state, 0)
		page.joinAt(g.PageURL(), nil)
		readAll(when+", afterwards", 30)
	}
	for _, assistant := range assistants {
		assistant.end()
	}
}

// Only a gateway of later precedence is replaced. Embedders and commands of the user are not.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		running, new Precedence
		replaced     bool
	}{
		{Foreground, Foreground, false}, {Foreground, Background, false}, {Foreground, OnDemand, false},
		{Background, Foreground, true}, {Background, Background, false}, {Background, OnDemand, false},
		{OnDemand, Foreground, true}, {OnDemand, Background, true}, {OnDemand, OnDemand, false},
	} {
		t.Run(fmt.Sprintf("%d after %d", c.new, c.running), func(t *testing.T) {
			state := t.TempDir()
			g := startGateway(t, Options{State: state, Precedence: c.running})
			options := Options{State: state, Precedence: c.new}
			if !c.replaced {
				options.lockWait = -1 // nothing ends
			}
			next, err := New(options)
			if owned := (*OwnedError)(nil); c.replaced != (err == nil) || err != nil && !errors.As(err, &owned) {
				t.Fatal(err)
			}
			if g.Replaced() != c.replaced {
				t.Errorf("replaced: %v", g.Replaced())
			}
			if next != nil {
				next.Close(context.Background())
			}
		})
	}
	g := startGateway(t, Options{})
	if err := connect(t, g).Replace(t.Context(), Foreground); err == nil || !strings.Contains(err.Error(), "ends when it is stopped only") || g.Replaced() {
		t.Errorf("a foreground gateway: %v", err)
	}
}

// While a gateway is being replaced, no assistant's process takes the state directory.
func TestAssistantsWaitForTheSuccessor(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	successor := &state{dir: "/state", disk: d.process()}
	if err := successor.lock(successorLock, -1, nil); err != nil {
		t.Fatal(err)
	}
	start := func() error {
		g, err := New(Options{State: "/state", disk: d.process(), lockWait: -1, Precedence: OnDemand})
		if err == nil {
			g.Close(context.Background())
		}
		return err
	}
	if owned := (*OwnedError)(nil); !errors.As(start(), &owned) {
		t.Errorf("it starts before the successor: %v", start())
	}
	successor.unlock()
	if err := start(); err != nil {
		t.Errorf("after the successor has ended: %v", err)
	}
}

// Pages that have joined once may join each later gateway of the state directory, until they
// are revoked; `serve --only-origin` revokes all but its own.
func TestOriginsAreKeptWithTheirKeys(t *testing.T) {
	t.Parallel()
	const other = "https://other.example"
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Origins: []string{testOrigin, other, "https://never.example"}})
	for _, origin := range []string{testOrigin, other} {
		newPage(t, origin, "tab").join(g)
	}
	g.Close(context.Background())
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{Origins: []string{}}, "[" + testOrigin + " " + other + "]"},
		{Options{Origins: []string{other}, OnlyOrigins: true}, "[" + other + "]"},
		{Options{Origins: []string{}}, "[" + other + "]"},
	} {
		c.options.State = state
		g := startGateway(t, c.options)
		if got := fmt.Sprint(g.origins.List()); got != c.want {
			t.Errorf("with %v: %s may join, not %s", c.options.Origins, got, c.want)
		}
		g.Close(context.Background())
	}
	g = startGateway(t, Options{State: state, Origins: []string{}})
	if revoked, err := connect(t, g).Revoke(t.Context(), other); err != nil || fmt.Sprint(revoked.Origins) != "["+other+"]" || revoked.Keys != 1 {
		t.Errorf("%+v, %v", revoked, err)
	}
	if g.origins.Contains(other) {
		t.Error("a revoked origin may join")
	}
}
