package access

import (
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Rights that requests need, in the audit log.
const (
	RightRead = "read"
	RightAct  = "act" // tools, and methods of extensions
)

// Reasons of decisions in the audit log. An allowed request has none: the gateway does not see
// why its page has allowed it.
const (
	ReasonRights     = "rights"     // the token, or its scopes, do not suffice
	ReasonRate       = "rate"       // too many requests, or too many in flight
	ReasonPaused     = "paused"     // the user has paused all assistants, at the gateway or in the page
	ReasonRevoked    = "revoked"    // the user has ended the access
	ReasonDeclined   = "declined"   // the user has declined in the page
	ReasonUnanswered = "unanswered" // the user has not answered the page in time
	ReasonPolicy     = "policy"     // the app of the page does not allow it
)

// A Rights knows what clients may do, for the reasons in the audit log. Requests are decided
// by the engines. Its methods do not wait.
type Rights interface {
	// HasEnded reports whether the name of a principal is refused.
	HasEnded(principal string) bool

	// MayOnlyRead reports whether a principal may run only tools that change nothing.
	MayOnlyRead(principal string) bool

	// Denies reports whether the policy denies a client what uri names at its endpoint. See
	// engine.Options.Allow.
	Denies(client Client, verb engine.Verb, uri string) bool

	// IsGenerated reports whether a tool of an engine is one of the gateway.
	IsGenerated(e *engine.Engine, tool string) bool
}

// RightOf returns the right that a request to e needs, or "" for what needs none: the handshake,
// the end of a subscription, and a generated tool, whose own requests have entries of their
// own. A tool of a page needs RightAct, also if the page says that it changes nothing: the
// gateway does not know that.
func (g *Gate) RightOf(e *engine.Engine, method, name string) string {
	known := MethodOf(method)
	switch {
	case method == "" || method == engine.MethodUnsubscribe:
		return ""
	case method == engine.MethodCallTool && g.Rights != nil && g.Rights.IsGenerated(e, name):
		return ""
	case known.Right == engine.RightCall:
		return RightAct
	case known.Right == engine.RightConnect && known.Lists == nil:
		return ""
	}
	return RightRead
}

// reasonOf returns why a request was denied or has ended without a result; "" if it was
// allowed. err is its error, or nil. What a client has no right to is not found, so the error
// does not say that.
func (d *Direct) reasonOf(call *openCall, err *jsonrpc.Error) string {
	g, client, reason := d.gate, d.clientInfo(), ""
	if err != nil {
		reason, _ = jsonrpc.Text(jsonrpc.Member(err.Data, "reason"))
	}
	switch reason {
	case ReasonPaused, ReasonRevoked, ReasonDeclined, ReasonUnanswered, ReasonPolicy:
		return reason
	}
	switch {
	case g.Rights == nil || g.RightOf(d.engine, call.method, call.uri) == "":
		return ""
	case g.Rights.HasEnded(client.Principal):
		return ReasonRevoked
	case err == nil: // cancelled
		return ""
	case reason == "read-only" && g.Rights.MayOnlyRead(client.Principal):
		return ReasonRights
	}
	if verb, uri := policyOf(call.method, call.about); uri != "" && g.Rights.Denies(client, verb, uri) {
		return ReasonRights
	}
	return "" // other reasons are of failures, or text of the page
}

// aboutOf returns what a request is about: x.Name, and where a method names it otherwise, the
// URI that policy gets.
func aboutOf(x engine.Examination) string {
	switch x.Method {
	case engine.MethodReadResource, engine.MethodSubscribe, engine.MethodUnsubscribe:
		return engine.CanonicalURI(textMember(x.Params, "uri"))
	case engine.MethodComplete:
		ref := jsonrpc.Member(x.Params, "ref")
		if name := textMember(ref, "name"); name != "" {
			return promptScheme + name
		}
		return textMember(ref, "uri")
	}
	return x.Name
}

// promptScheme begins what engine.Options.Allow gets for a prompt.
const promptScheme = "prompt:"

// policyOf returns what engine.Options.Allow gets for a request about something; "" for a
// request about nothing, as for lists.
func policyOf(method, about string) (verb engine.Verb, uri string) {
	if about == "" {
		return 0, ""
	}
	switch method {
	case engine.MethodReadResource, skill.MethodGet:
		return engine.VerbRead, about
	case engine.MethodGetPrompt:
		return engine.VerbRead, promptScheme + about
	case engine.MethodCallTool, task.MethodGet, task.MethodUpdate, task.MethodCancel:
		return engine.VerbCall, "tool:" + about
	case engine.MethodSubscribe:
		return engine.VerbWatch, about
	case engine.MethodComplete:
		return engine.VerbList, about
	}
	return 0, ""
}

// nameOf returns what a request is about, for the audit log.
func nameOf(method, about string) string {
	if method == engine.MethodComplete {
		return strings.TrimPrefix(about, promptScheme)
	}
	return about
}
