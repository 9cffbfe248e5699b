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

	// Named is the member of params that names what the request is about, "uri", "name" or "taskId";
	// "" if there is none. Repeated says that HTTP clients repeat it in Mcp-Name.
	Named    string
	Repeated bool

	eras     uint8
	envelope bool   // without the envelope of 2026-07-28 the request is malformed, and not a classic one
	needs    needed // what the options have to declare
	answer   func(*Engine, context.Context, *request) (sink.Result, error)
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

// methods is every request the engine answers.
var methods = [...]Method{
	pingMethod:          {Name: MethodPing, Right: RightConnect, Rate: RateNone, eras: inClassic, answer: (*Engine).ping},              // in classic.go
	initializeMethod:    {Name: MethodInitialize, Right: RightConnect, Rate: RateCalls, eras: inClassic, answer: (*Engine).initialize}, // in classic.go
	discoverMethod:      {Name: MethodDiscover, Right: RightConnect, Rate: RateNone, eras: inModern, envelope: true, answer: (*Engine).discover},
	listResourcesMethod: {Name: MethodListResources, Right: RightRead, Rate: RateNone, eras: inBoth, answer: (*Engine).list},
	listTemplatesMethod: {Name: MethodListTemplates, Right: RightRead, Rate: RateNone, eras: inBoth, answer: (*Engine).list},
	readResourceMethod:  {Name: MethodReadResource, Right: RightRead, Rate: RateReads, Named: "uri", Repeated: true, eras: inBoth, answer: (*Engine).read},
	subscribeMethod:     {Name: MethodSubscribe, Right: RightRead, Rate: RateNone, eras: inClassic, needs: needsSubscribe, answer: (*Engine).subscribe},     // in classic.go
	unsubscribeMethod:   {Name: MethodUnsubscribe, Right: RightRead, Rate: RateNone, eras: inClassic, needs: needsSubscribe, answer: (*Engine).unsubscribe}, // in classic.go
	listenMethod:        {Name: MethodListen, Right: RightRead, Rate: RateNone, eras: inModern, envelope: true, answer: (*Engine).listen},
	listToolsMethod:     {Name: MethodListTools, Right: RightConnect, Rate: RateNone, eras: inBoth, needs: needsTools, answer: (*Engine).list},
	callToolMethod:      {Name: MethodCallTool, Right: RightCall, Rate: RateCalls, Named: "name", Repeated: true, eras: inBoth, needs: needsTools, answer: (*Engine).callTool},
	listPromptsMethod:   {Name: MethodListPrompts, Right: RightPrompt, Rate: RateNone, eras: inBoth, needs: needsPrompts, answer: (*Engine).list},
	getPromptMethod:     {Name: MethodGetPrompt, Right: RightPrompt, Rate: RateCalls, Named: "name", Repeated: true, eras: inBoth, needs: needsPrompts, answer: (*Engine).getPrompt},
	completeMethod:      {Name: MethodComplete, Right: RightRead, Rate: RateCompletions, eras: inBoth, needs: needsCompletions, answer: (*Engine).complete},
	setLevelMethod:      {Name: MethodSetLevel, Right: RightConnect, Rate: RateNone, eras: inClassic, needs: needsLogging, answer: (*Engine).setLevel}, // in classic_input.go
	listSkillsMethod:    {Name: MethodListSkills, Right: RightRead, Rate: RateNone, eras: inModern, answer: (*Engine).list},                            // an extension: see known
	getSkillMethod:      {Name: MethodGetSkill, Right: RightRead, Rate: RateReads, Named: "uri", eras: inModern, answer: (*Engine).getSkill},
	getTaskMethod:       {Name: MethodGetTask, Right: RightCall, Rate: RateReads, Named: "taskId", Repeated: true, eras: inModern, answer: (*Engine).onTask}, // likewise, as are those below
	updateTaskMethod:    {Name: MethodUpdateTask, Right: RightCall, Rate: RateCalls, Named: "taskId", Repeated: true, eras: inModern, answer: (*Engine).onTask},
	cancelTaskMethod:    {Name: MethodCancelTask, Right: RightCall, Rate: RateCalls, Named: "taskId", Repeated: true, eras: inModern, answer: (*Engine).onTask},
}

// The numbers of the methods.
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
	listSkillsMethod
	getSkillMethod
	getTaskMethod
	updateTaskMethod
	cancelTaskMethod

	unknownMethod sink.Method = 255 // any method that the engine does not have
)

// MethodOf returns what is known of a method; of one that is not in the table, only the name.
func MethodOf(name string) Method {
	if m := methodByName(name); m != unknownMethod {
		return methods[m]
	}
	return Method{Name: name}
}

// List returns the member of the result that is a list, or "".
func (m Method) List() string {
	for _, k := range kinds {
		if k.name == m.Name {
			return k.member
		}
	}
	return ""
}

// IsKnown reports whether the engine has the method.
func (m Method) IsKnown() bool { return m.answer != nil }

// Methods returns the names of all methods, by number: see [Client.Take].
func (e *Engine) Methods() []string {
	names := make([]string, len(methods))
	for i := range methods {
		names[i] = methods[i].Name
	}
	return names
}

func methodByName(name string) sink.Method {
	for i := range methods {
		if methods[i].Name == name {
			return sink.Method(i)
		}
	}
	return unknownMethod
}

// known returns m, or unknownMethod for a method of skills or tasks while there are none: an app may
// serve these extensions itself.
func (e *Engine) known(m sink.Method) sink.Method {
	if (m == listSkillsMethod || m == getSkillMethod) && !e.skills.Load() || isOfTasks(m) && !e.servesTasks() {
		return unknownMethod
	}
	return m
}

func isOfTasks(m sink.Method) bool { return m >= getTaskMethod && m <= cancelTaskMethod }

// servesTasks reports whether the methods of tasks are answered.
func (e *Engine) servesTasks() bool { return e.options.OtherTasks != nil || e.declaresTasks.Load() }

func methodName(m sink.Method) string {
	if m == unknownMethod {
		return "an unknown method"
	}
	return methods[m].Name
}

// serves reports whether a method exists in an era.
func (o *Options) serves(m sink.Method, era uint8) bool {
	if m == unknownMethod || methods[m].eras&era == 0 {
		return false
	}
	switch methods[m].needs {
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
func (e *Engine) discover(_ context.Context, req *request) (sink.Result, error) {
	if req.wantsDeclared {
		req.client.wantDeclared()
		return sink.Result{Document: &sink.Document{JSON: req.client.declaration()}}, nil
	}
	return sink.Result{Document: e.discovery.Load()}, nil
}
