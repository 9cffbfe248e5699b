package engine

import "context"

// A Method is the number of a request's method: an index into [Methods].
type Method uint8

// unknownMethod stands for all that the engine does not answer.
const unknownMethod = Method(255)

// Eras in which a method is known.
const (
	inClassic = 1 << iota
	inModern
	inBoth = inClassic | inModern
)

type method struct {
	name   string
	eras   uint8
	answer func(*Engine, context.Context, *request) (Result, error)
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
}

const (
	methodPing       Method = 0
	methodInitialize Method = 1
	methodDiscover   Method = 2
	methodListen     Method = 8
	methodTools      Method = 9
)

// Methods returns the names of all methods, by number.
func Methods() []string {
	names := make([]string, len(methods))
	for i := range methods {
		names[i] = methods[i].name
	}
	return names
}

func methodByName(name string) Method {
	for i := range methods {
		if methods[i].name == name {
			return Method(i)
		}
	}
	return unknownMethod
}

// knows tells whether a method exists in an era. tools/list exists only where
// tools are declared.
func (o *Options) knows(m Method, era uint8) bool {
	return m != unknownMethod && methods[m].eras&era != 0 && (m != methodTools || o.Tools)
}

// discover answers server/discover. It commits the connection to nothing.
// MCP 2026-07-28, server/discover.
func (e *Engine) discover(context.Context, *request) (Result, error) {
	return Result{Document: e.fixed.discover}, nil
}

// listTools answers tools/list with an empty list, where tools are declared.
func (e *Engine) listTools(_ context.Context, req *request) (Result, error) {
	if req.hasCursor {
		return Result{}, ErrBadCursor // the list is one page: no cursor was ever given out
	}
	if req.rev == modern {
		return Result{Document: e.fixed.tools}, nil
	}
	return Result{Document: e.fixed.toolsClassic}, nil
}
