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

var parts = []string{"stdio", "dev", "serve", "page"}

// In whatever order assistant, dev, serve and a page with a key start, the assistant reads the
// page, and goes on when the commands end, each of which may be the gateway.
func TestOrdersOfStarts(t *testing.T) {
	t.Parallel()
	permutations(parts, func(order []string) {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			t.Parallel()
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
			stdio := func() *parent { return startStdio(t, StdioOptions{State: state, Start: startsHere(t, state, port)}) }
			startInOrder(t, order, page, address, stdio, hold)
		})
	})
}

// startInOrder starts the parts, of which page has a key. stdio and hold start an assistant, and a command, with a gateway at
// address.
func startInOrder(t *testing.T, order []string, page *testPage, address string, stdio func() *parent, hold func(command string) (end func())) {
	var assistant *parent
	var ends []func()
	hasPage, hasJoined := false, false
	for _, name := range order {
		switch name {
		case "stdio":
			assistant = stdio()
			assistant.ask(gatewaytest.Initialize)
		case "page":
			hasPage = true
		default:
			ends = append(ends, hold(name))
		}
		if hasPage && !hasJoined && isServed(address) {
			hasJoined = true
			page.joinAt("ws://"+address+"/page", nil)
		}
	}
	check := func(when string) {
		t.Helper()
		if got := assistant.response(gatewaytest.Classic("1", "resources/read", `"uri":"notes+notes://a"`), `"id":1`); !strings.Contains(got, `"text":"1"`) {
			t.Errorf("%s: %s", when, got)
		}
	}
	check("at first")
	for i, end := range ends {
		end()
		gatewaytest.Eventually(t, "a gateway runs", func() bool { return isServed(address) })
		page.leave()
		page.joinAt("ws://"+address+"/page", nil)
		check(fmt.Sprintf("after the end of %d commands", i+1))
	}
	assistant.end()
}

// isServed reports whether a gateway answers at an address.
func isServed(address string) bool {
	answer, err := gatewaytest.HTTP.Get("http://" + address)
	if err == nil {
		answer.Body.Close()
	}
	return err == nil
}
