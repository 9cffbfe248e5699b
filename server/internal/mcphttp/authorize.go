package mcphttp

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// authorize reports whether the caller may send the examined messages. If not, it has responded, and no page gets any of them.
func (r *request) authorize(examined ...engine.Examination) bool {
	if r.caller.Authorize == nil {
		return true
	}
	var rights []engine.Right
	for _, x := range examined {
		if x.Kind == jsonrpc.Request {
			rights = append(rights, r.rightOf(x))
			if x.Method == engine.MethodListen && jsonrpc.Member(jsonrpc.Member(x.Params, "notifications"), "taskIds") != nil {
				rights = append(rights, engine.RightCall)
			}
		}
	}
	challenge := r.caller.Authorize(r.endpoint.Path, rights...)
	if challenge == nil {
		return true
	}
	// A caller whose credentials do not suffice for a list gets an empty one instead of an
	// error: clients request lists when they connect, and give up the connection if one fails.
	if list := access.MethodOf(examined[0].Method).Lists; list != nil && len(examined) == 1 {
		r.audit("empty", access.ReasonRights)
		writeJSON(r.w, http.StatusOK, jsonrpc.AppendResult(nil, examined[0].ID, emptyList(list.Member, examined[0].Modern)))
		return false
	}
	r.audit(strconv.Itoa(challenge.Status), access.ReasonRights)
	challenge.Write(r.w)
	return false
}

// mayGet returns a function that reports whether the caller's credentials suffice for a
// notification of the session's stream, or nil if they suffice for all: the subscription, or
// the list, may be from a request with other credentials.
func (r *request) mayGet() func(msg []byte) bool {
	if r.caller.Authorize == nil {
		return nil
	}
	may := func(right engine.Right) func() bool {
		return sync.OnceValue(func() bool { return r.caller.Authorize(r.endpoint.Path, right) == nil })
	}
	resources, prompts := may(engine.RightRead), may(engine.RightPrompt)
	return func(msg []byte) bool {
		switch message.HeadOf(msg).Method {
		case engine.MethodUpdated, engine.MethodResourcesChanged:
			return resources()
		case engine.MethodPromptsChanged:
			return prompts()
		}
		return true
	}
}

// emptyList returns a list result without entries.
func emptyList(member string, modern bool) []byte {
	result := `{"` + member + `":[]`
	if modern {
		result += `,"resultType":"complete","ttlMs":0,"cacheScope":"private"`
	}
	return []byte(result + "}")
}

// rightOf returns the right that a request requires: that of its method, or a smaller one if
// its params say that it does less.
func (r *request) rightOf(x engine.Examination) engine.Right {
	switch x.Method {
	case engine.MethodCallTool:
		if r.endpoint.Generated != nil && r.endpoint.Generated(r.http.Context(), x.Name) {
			return engine.RightRead // tools of the gateway list, read and watch resources
		}
	case engine.MethodListen:
		filter := jsonrpc.Member(x.Params, "notifications")
		uris, _ := jsonrpc.Elements(jsonrpc.Member(filter, "resourceSubscriptions"))
		if len(uris) == 0 && string(jsonrpc.Member(filter, "resourcesListChanged")) != "true" {
			return engine.RightConnect
		}
	case engine.MethodComplete:
		if kind, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(x.Params, "ref"), "type")); kind == "ref/prompt" {
			return engine.RightPrompt
		}
	}
	return access.MethodOf(x.Method).Right
}
