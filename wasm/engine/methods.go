package engine

import (
	"context"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// unknownMethod is any method that the engine does not have.
const unknownMethod = sink.Method(255)

// Eras in which a method is known.
const (
	inClassic = 1 << iota
	inModern
	inBoth = inClassic | inModern
)

type method struct {
	name   string
	eras   uint8
	answer func(*Engine, context.Context, *request) (sink.Result, error)
}

// methods is every request the engine answers, and the eras that may send it.
var methods = [...]method{
	{"ping", inClassic, (*Engine).ping},             // in classic.go
	{"initialize", inClassic, (*Engine).initialize}, // in classic.go
	{"server/discover", inModern, (*Engine).discover},
	{"resources/list", inBoth, (*Engine).listResources},
	{"resources/templates/list", inBoth, (*Engine).listTemplates},
	{"resources/read", inBoth, (*Engine).read},
	{"resources/subscribe", inClassic, (*Engine).subscribe},     // in classic.go
	{"resources/unsubscribe", inClassic, (*Engine).unsubscribe}, // in classic.go
	{"subscriptions/listen", inModern, (*Engine).listen},
	{"tools/list", inBoth, (*Engine).listTools},
	{"tools/call", inBoth, (*Engine).callTool},
	{"prompts/list", inBoth, (*Engine).listPrompts},
	{"prompts/get", inBoth, (*Engine).getPrompt},
	{"completion/complete", inBoth, (*Engine).complete},
	{"logging/setLevel", inClassic, (*Engine).setLevel}, // in classic_input.go
	{"skills/list", inModern, (*Engine).listSkills},     // an extension: see known
	{"skills/get", inModern, (*Engine).getSkill},
}

const (
	methodPing        sink.Method = 0
	methodInitialize  sink.Method = 1
	methodDiscover    sink.Method = 2
	methodSubscribe   sink.Method = 6
	methodUnsubscribe sink.Method = 7
	methodListen      sink.Method = 8
	methodTools       sink.Method = 9
	methodCallTool    sink.Method = 10
	methodPrompts     sink.Method = 11
	methodGetPrompt   sink.Method = 12
	methodComplete    sink.Method = 13
	methodSetLevel    sink.Method = 14
	methodListSkills  sink.Method = 15
	methodGetSkill    sink.Method = 16
)

// Methods returns the names of all methods, by number: see [Client.Take].
func (e *Engine) Methods() []string {
	names := make([]string, len(methods))
	for i := range methods {
		names[i] = methods[i].name
	}
	return names
}

func methodByName(name string) sink.Method {
	for i := range methods {
		if methods[i].name == name {
			return sink.Method(i)
		}
	}
	return unknownMethod
}

// known returns m, or unknownMethod for a method of skills while there are none: an app may
// serve the extension itself.
func (e *Engine) known(m sink.Method) sink.Method {
	if (m == methodListSkills || m == methodGetSkill) && !e.skills.Load() {
		return unknownMethod
	}
	return m
}

func methodName(m sink.Method) string {
	if m == unknownMethod {
		return "an unknown method"
	}
	return methods[m].name
}

// serves reports whether a method exists in an era: only declared ones do
//
func (o *Options) serves(m sink.Method, era uint8) bool {
	if m == unknownMethod || methods[m].eras&era == 0 {
		return false
	}
	switch m {
	case methodSubscribe, methodUnsubscribe:
		return !o.NoSubscribe
	case methodTools, methodCallTool:
		return o.Tools
	case methodPrompts, methodGetPrompt:
		return o.Prompts
	case methodComplete:
		return o.Completions
	case methodSetLevel:
		return o.Logging
	}
	return true
}

// discover answers server/discover. Its effect on the connection is that of [MetaDeclared] alone.
// MCP 2026-07-28, server/discover.
func (e *Engine) discover(_ context.Context, req *request) (sink.Result, error) {
	if req.wantsDeclared {
		req.client.wantDeclared()
	}
	return sink.Result{Document: e.discovery.Load()}, nil
}
