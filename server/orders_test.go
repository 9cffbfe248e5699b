package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// permutations calls do with each order of names.
func permutations(names []string, do func(order []string)) {
	var extend func(order, rest []string)
	extend = func(order, rest []string) {
		if len(rest) == 0 {
			do(order)
		}
		for i, name := range rest {
			others := append(append([]string{}, rest[:i]...), rest[i+1:]...)
			extend(append(append([]string{}, order...), name), others)
		}
	}
	extend(nil, names)
}

// In whatever order assistant, dev, serve and a page with a key start, the assistant reads the
// page, and goes on when the commands end, each of which may be the gateway.
func TestOrdersOfStarts(t *testing.T) {
	t.Parallel()
	permutations([]string{"stdio", "dev", "serve", "page"}, func(order []string) {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			t.Parallel()
			startInOrder(t, order)
		})
	})
}

func startInOrder(t *testing.T, order []string) {
	state, port := t.TempDir(), gatewaytest.FreePorts(t, 1)[0]
	address := fmt.Sprintf("127.0.0.1:%d", port)
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	yesterday := startGatewayAt(t, port, Options{State: state})
	page.join(yesterday)
	page.leave()
	yesterday.Close(context.Background())

	hold := func(command string) (end func()) {
		ctx, cancel := context.WithCancel(t.Context())
		opened, ended := make(chan bool, 1), make(chan error, 1)
		go func() {
			ended <- Hold(ctx, Options{State: state, Version: "0.0.0-test"}, Door{Command: command, MCP: address},
				func(*Control, Opened) error { opened <- true; return nil })
		}()
		await(t, command+" to open its door", opened)
		return func() {
			cancel()
			if err := await(t, "the end of "+command, ended); err != nil {
				t.Error(err)
			}
		}
	}
	var assistant *parent
	var ends []func()
	hasPage, hasJoined := false, false
	for _, name := range order {
		switch name {
		case "stdio":
			assistant = startStdio(t, StdioOptions{State: state, Start: startsHere(t, state, port)})
			assistant.ask(gatewaytest.Initialize)
		case "page":
			hasPage = true
		default:
			ends = append(ends, hold(name))
		}
		if hasPage && !hasJoined && isRunning(t.Context(), state) {
			hasJoined = true
			page.joinAt("ws://"+address+"/page", nil)
		}
	}
	check := func(when string) {
		t.Helper()
		got := assistant.ask(gatewaytest.Classic("1", "resources/read", `"uri":"notes+notes://a"`))
		for !strings.Contains(got, `"id":1`) {
			got = gatewaytest.Receive(t, assistant.lines) // a list may have changed
		}
		if !strings.Contains(got, `"text":"1"`) {
			t.Errorf("%s: %s", when, got)
		}
	}
	check("at first")
	for i, end := range ends {
		end()
		gatewaytest.Eventually(t, "a gateway runs", func() bool { return isRunning(t.Context(), state) })
		page.leave()
		page.joinAt("ws://"+address+"/page", nil)
		check(fmt.Sprintf("after the end of %d commands", i+1))
	}
	assistant.end()
}
