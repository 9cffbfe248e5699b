package enginetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Offering lets an engine offer all.
var Offering = engine.Options{Tools: true, Prompts: true, Completions: true, Logging: true}

// A Speaker is a client of an engine under test.
type Speaker struct {
	*testing.T
	Port jsonrpc.Port
}

// Speak lets e serve a client called who, until its port is closed.
func Speak(t *testing.T, e *engine.Engine, who engine.Principal) Speaker {
	near, far := jsonrpc.Pipe()
	go e.Serve(engine.WithPrincipal(context.Background(), who), far) // ends with near
	return Speaker{t, near}
}

// Say sends a message as it is.
func (s Speaker) Say(message string) {
	s.Helper()
	if err := s.Port.Write(s.Context(), []byte(message)); err != nil {
		s.Fatal(err)
	}
}

// Ask sends a modern request with more members of _meta and of params.
func (s Speaker) Ask(id, method, meta, members string) {
	s.Helper()
	s.Say(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}` + meta + `}` + members + `}}`)
}

// Next returns the next message of the engine.
func (s Speaker) Next() string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	msg, err := s.Port.Read(ctx)
	if err != nil {
		s.Fatalf("nothing came: %v", err)
	}
	return string(msg)
}

// Wants fails the test unless the next message has all parts.
func (s Speaker) Wants(parts ...string) {
	s.Helper()
	msg := s.Next()
	for _, part := range parts {
		if !strings.Contains(msg, part) {
			s.Errorf("%s\n  has no %s", msg, part)
		}
	}
}
