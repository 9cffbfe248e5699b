package engine

import (
	"context"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// A Method is what the project knows of a request of MCP. Bindings and gateways take their
// rules from here, and none of them has rules of its own for a method by name.
type Method struct {
	Name string

	// Right and Rate are what the request requires. The zero values are the strictest: a
	// method that is not in the table is one of an extension, whose effect is unknown.
	Right Right
	Rate  Rate

	// Named is the member of params that names what the request is about, such as "uri"; "" if there is none.
	// Repeated says that HTTP clients repeat it in Mcp-Name.
	Named    string
	Repeated bool

	Lists   Kind   // what it lists; then it needs no Answer
	Waits   bool   // its answer may wait, and is made by a goroutine of its own
	Decides bool   // it asks the grants itself
	Unknown string // the message of ErrNotFound

	// Answer answers a request. Unless the method waits, it may run inside a wasm export, where nothing may wait.
	Answer func(e *Engine, ctx context.Context, req *Request) (sink.Result, error)

	eras     uint8  // 0: 2026-07-28, of an extension
	envelope bool   // without the envelope of 2026-07-28 the request is malformed, and not a classic one
	needs    needed // what the options have to declare
}

// A Right is what a client must be allowed to do.
type Right uint8

const (
	RightCall    Right = iota // run what may have an effect
	RightRead                 // resources, skills, and what completes the variables of their templates
	RightPrompt               // prompts and what completes their arguments
	RightConnect              // nothing but a valid credential
)

// A Rate is the allowance that a request takes from.
type Rate uint8

const (
	RateCalls       Rate = iota // runs code of the page, or begins a session
	RateReads                   // reads contents
	RateCompletions             // follows the keys that a user presses
	RateNone                    // costs a page little
)

// Eras in which a method is known.
const (
	inClassic = 1 << iota
	inModern
	inBoth = inClassic | inModern
)

// A needed is an option without which a method is not served: only declared ones are
//
type needed uint8

const (
	needsNothing needed = iota
	needsSubscribe
	needsTools
	needsPrompts
	needsCompletions
	needsLogging
)

// coreMethods are the requests that every engine answers, by number.
var coreMethods = [...]Method{
	pingMethod:          {Name: MethodPing, Right: RightConnect, Rate: RateNone, eras: inClassic, Answer: (*Engine).ping},              // in classic.go
	initializeMethod:    {Name: MethodInitialize, Right: RightConnect, Rate: RateCalls, eras: inClassic, Answer: (*Engine).initialize}, // in classic.go
	discoverMethod:      {Name: MethodDiscover, Right: RightConnect, Rate: RateNone, eras: inModern, envelope: true, Answer: (*Engine).discover},
	listResourcesMethod: {Name: MethodListResources, Right: RightRead, Rate: RateNone, eras: inBoth, Lists: &resources},
	listTemplatesMethod: {Name: MethodListTemplates, Right: RightRead, Rate: RateNone, eras: inBoth, Lists: &templates},
	readResourceMethod:  {Name: MethodReadResource, Right: RightRead, Rate: RateReads, Named: "uri", Repeated: true, eras: inBoth, Answer: (*Engine).read},
	subscribeMethod:     {Name: MethodSubscribe, Right: RightRead, Rate: RateNone, eras: inClassic, needs: needsSubscribe, Answer: (*Engine).subscribe},                    // in classic.go
	unsubscribeMethod:   {Name: MethodUnsubscribe, Right: RightRead, Rate: RateNone, Decides: true, eras: inClassic, needs: needsSubscribe, Answer: (*Engine).unsubscribe}, // in classic.go
	listenMethod:        {Name: MethodListen, Right: RightRead, Rate: RateNone, Decides: true, eras: inModern, envelope: true, Answer: (*Engine).listen},
	listToolsMethod:     {Name: MethodListTools, Right: RightConnect, Rate: RateNone, eras: inBoth, needs: needsTools, Lists: &tools},
	callToolMethod:      {Name: MethodCallTool, Right: RightCall, Rate: RateCalls, Named: "name", Repeated: true, Waits: true, Decides: true, Unknown: "Unknown tool", eras: inBoth, needs: needsTools, Answer: (*Engine).callTool},
	listPromptsMethod:   {Name: MethodListPrompts, Right: RightPrompt, Rate: RateNone, eras: inBoth, needs: needsPrompts, Lists: &prompts},
	getPromptMethod:     {Name: MethodGetPrompt, Right: RightPrompt, Rate: RateCalls, Named: "name", Repeated: true, Waits: true, Unknown: "Unknown prompt", eras: inBoth, needs: needsPrompts, Answer: (*Engine).getPrompt},
	completeMethod:      {Name: MethodComplete, Right: RightRead, Rate: RateCompletions, Waits: true, Unknown: "Unknown prompt or resource template", eras: inBoth, needs: needsCompletions, Answer: (*Engine).complete},
	setLevelMethod:      {Name: MethodSetLevel, Right: RightConnect, Rate: RateNone, eras: inClassic, needs: needsLogging, Answer: (*Engine).setLevel}, // in classic_input.go
}

// The numbers of the methods. Those of extensions follow.
const (
	pingMethod sink.Method = iota
	initializeMethod
	discoverMethod
	listResourcesMethod
	listTemplatesMethod
	readResourceMethod
	subscribeMethod
	unsubscribeMethod
	listenMethod
	listToolsMethod
	callToolMethod
	listPromptsMethod
	getPromptMethod
	completeMethod
	setLevelMethod

	unknownMethod sink.Method = 255 // any method that the engine does not have
)

// MethodOf returns what is known of a method, by the tables of extensions, too; of one that is in none, only the name.
func MethodOf(name string, extensions ...[]Method) Method {
	for _, table := range append(extensions, coreMethods[:]) {
		for i := range table {
			if table[i].Name == name {
				return table[i]
			}
		}
	}
	return Method{Name: name}
}

// IsKnown reports whether the engine has the method.
func (m Method) IsKnown() bool { return m.Answer != nil || m.Lists != nil }

// Methods returns the names of all methods, by number: see [Client.Take].
func (e *Engine) Methods() []string {
	names := make([]string, len(e.methods))
	for i := range e.methods {
		names[i] = e.methods[i].Name
	}
	return names
}

func (e *Engine) methodByName(name string) sink.Method {
	for i := range e.methods {
		if e.methods[i].Name == name {
			return sink.Method(i)
		}
	}
	return unknownMethod
}

// method returns the row of a request's method.
func (e *Engine) method(m sink.Method) *Method {
	if int(m) >= len(e.methods) {
		return &Method{Name: "an unknown method"}
	}
	return &e.methods[m]
}

// serves reports whether a method exists in an era.
func (e *Engine) serves(number sink.Method, era uint8) bool {
	m, o := e.method(number), &e.options
	if !m.IsKnown() || m.eras&era == 0 && (m.eras != 0 || era != inModern) {
		return false
	}
	switch m.needs {
	case needsSubscribe:
		return !o.NoSubscribe
	case needsTools:
		return o.Tools
	case needsPrompts:
		return o.Prompts
	case needsCompletions:
		return o.Completions
	case needsLogging:
		return o.Logging
	}
	return true
}

// discover answers server/discover. Its effect on the connection is that of [hop.KeyDeclared] alone.
// MCP 2026-07-28, server/discover.
func (e *Engine) discover(_ context.Context, req *Request) (sink.Result, error) {
	if req.wantsDeclared {
		req.client.wantDeclared()
		return sink.Result{Document: &sink.Document{JSON: req.client.declaration()}}, nil
	}
	return sink.Result{Document: e.discovery.Load()}, nil
}
