// Package enginetest has clients of engines, and tables for them, for the tests of several
// packages.
package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Dialogue is a client of an engine in a test, by a pipe.
type Dialogue struct {
	T    *testing.T
	Port jsonrpc.Port
	Last int // id of a request
}

// NewDialogue lets e serve a client, until the test ends.
func NewDialogue(t *testing.T, e *engine.Engine) *Dialogue { return DialogueOf(t, e, "") }

// DialogueOf is NewDialogue for a client called who.
func DialogueOf(t *testing.T, e *engine.Engine, who engine.Principal) *Dialogue {
	near, far := jsonrpc.Pipe()
	go e.Serve(engine.WithPrincipal(t.Context(), who), far) // ends with near
	t.Cleanup(func() { near.Close() })
	return &Dialogue{T: t, Port: near}
}

// ModernMeta is the envelope of a request of 2026-07-28, as a member of params.
const ModernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// Send sends a request and returns its id. members are those of params.
func (d *Dialogue) Send(method, members string) string {
	d.T.Helper()
	d.Last++
	id := fmt.Sprint(d.Last)
	text := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members + `}}`
	if err := d.Port.Write(d.T.Context(), []byte(text)); err != nil {
		d.T.Fatalf("send %s: %v", method, err)
	}
	return id
}

// Request sends a request and returns the answer, without notifications in between.
func (d *Dialogue) Request(method, members string) string {
	d.T.Helper()
	return d.Await(d.Send(method, members), method)
}

// Await returns the answer to a request, without notifications in between; why is what the test waits for.
func (d *Dialogue) Await(id, why string) string {
	d.T.Helper()
	for {
		message := d.Next(why)
		if string(jsonrpc.Member([]byte(message), "id")) == id {
			return message
		}
	}
}

// Modern is Request with the envelope.
func (d *Dialogue) Modern(method, members string) string {
	d.T.Helper()
	if members != "" {
		members = "," + members
	}
	return d.Request(method, ModernMeta+members)
}

// Next returns the next message of the engine; why is what the test waits for.
func (d *Dialogue) Next(why string) string {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(d.T.Context(), time.Minute) // of the bubble's clock
	defer cancel()
	message, err := d.Port.Read(ctx)
	if err != nil {
		d.T.Fatalf("waited for %s: %v", why, err)
	}
	return string(message)
}

// Listen opens a listen and returns its acknowledgement.
func (d *Dialogue) Listen(filter string) string {
	d.T.Helper()
	d.Send("subscriptions/listen", ModernMeta+`,"notifications":{`+filter+`}`)
	return d.Next("the acknowledgement")
}

// Alive fails the test unless the engine answers ping and a list.
func (d *Dialogue) Alive(after string) {
	d.T.Helper()
	if got := d.Request("ping", ""); !strings.Contains(got, `"result":{}`) {
		d.T.Errorf("after %s ping is answered by %s", after, got)
	}
	if got := d.Modern("resources/list", ""); !strings.Contains(got, `"resources":[`) {
		d.T.Errorf("after %s resources/list is answered by %s", after, got)
	}
}

// Say sends a message as it is.
func (d *Dialogue) Say(message string) {
	d.T.Helper()
	if err := d.Port.Write(d.T.Context(), []byte(message)); err != nil {
		d.T.Fatal(err)
	}
}
