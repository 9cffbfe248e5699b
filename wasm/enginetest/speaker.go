package enginetest

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Offering lets an engine offer all.
var Offering = engine.Options{Tools: true, Prompts: true, Completions: true, Logging: true}

// A Speaker is a Dialogue whose requests have an id that the test chooses.
type Speaker struct {
	*testing.T
	*Dialogue
}

// Speak lets e serve a client called who, until its port is closed or the test ends.
func Speak(t *testing.T, e *engine.Engine, who engine.Principal) Speaker {
	return Speaker{t, DialogueOf(t, e, who)}
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
	return s.Dialogue.Next("a message")
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
