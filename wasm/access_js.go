package main

import (
	"context"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// The user's decisions about assistants. The window has them, and asks the user.

// setGrants replaces the decisions: input[:n] is what [engine.ParseGrants] reads.
//
//go:wasmexport setGrants
func setGrants(n int32) (result int32) {
	defer recovered("setGrants", &result)
	grants, err := engine.ParseGrants(input[:n])
	if err != nil {
		report("setGrants: " + err.Error())
		grants = noGrants() // rather nothing than too much
	}
	serving.SetGrants(grants)
	return done
}

// withheld answers done if a resource is withheld from an assistant, and idle if not. input[:n] is the name of the
// assistant, a line feed, and the URI.
//
//go:wasmexport withheld
func withheld(n int32) (result int32) {
	defer recovered("withheld", &result)
	assistant, uri, _ := strings.Cut(string(input[:n]), "\n")
	if serving.Withholds(engine.Principal(assistant), uri) {
		return done
	}
	return idle
}

// noGrants are the decisions before the first: nothing is allowed without a question.
func noGrants() *engine.Grants {
	grants, _ := engine.ParseGrants([]byte(`{"default":"ask","grants":[]}`))
	return grants
}

// askUser asks the window about a request. The text of the call is an AccessRequest of
// web/src/page-access.ts, its answer an AccessAnswer.
func askUser(ctx context.Context, q *engine.AccessQuestion) (answer engine.AccessAnswer) {
	text := described(q)
	if q.Tool != nil {
		text.Member("tool", describedTool(q.Tool))
		if q.Arguments != nil {
			text.Member("arguments", q.Arguments)
		}
	}
	text.Text("}")
	a, err := registered.exchange(ctx, opAccess, string(text))
	if err != nil || a.reason != reasonNone {
		answer.Reason = "unanswered"
		return answer
	}
	answer.Allow = string(jsonrpc.Member(a.text, "allow")) == "true"
	answer.Reason, _ = jsonrpc.Text(jsonrpc.Member(a.text, "reason"))
	answer.Message, _ = jsonrpc.Text(jsonrpc.Member(a.text, "message"))
	return answer
}

// describedTool returns the name, title and destructive of a tool: a JSON object.
func describedTool(tool []byte) []byte {
	text := emit.JSON("{")
	annotations := jsonrpc.Member(tool, "annotations")
	title := jsonrpc.Member(tool, "title")
	if title == nil {
		title = jsonrpc.Member(annotations, "title")
	}
	text.Member("name", jsonrpc.Member(tool, "name"))
	if title != nil {
		text.Member("title", title)
	}
	if string(jsonrpc.Member(annotations, "destructiveHint")) == "true" {
		text.Text(`,"destructive":true`)
	}
	text.Text("}")
	return text
}

// described begins the JSON object of a question or decision.
func described(q *engine.AccessQuestion) emit.JSON {
	text := emit.JSON("{")
	for _, member := range [...][2]string{
		{"assistant", q.Assistant}, {"callsItself", q.CallsItself}, {"right", q.Right}, {"method", q.Method},
		{"uri", q.URI}, {"prompt", q.Prompt},
	} {
		if member[1] != "" {
			text.Name(member[0])
			text.Quote(member[1])
		}
	}
	return text
}

// reportDecision passes a decision to the audit: an AccessDecision of web/src/page-access.ts
// without bytes and ms.
func reportDecision(call sink.Call, q *engine.AccessQuestion, allow bool, reason string) {
	text := described(q)
	if what := q.What(); what != "" {
		text.Name("what")
		text.Quote(what)
	}
	if q.Task != "" {
		text.Name("task")
		text.Quote(q.Task)
	}
	text.Name("reason")
	text.Quote(reason)
	text.Name("allow")
	if allow {
		text.Text("true}")
	} else {
		text.Text("false}")
	}
	decided(int32(call), string(text))
}

//go:wasmimport pagemcp decided
func decided(call int32, text string)
