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

// emptyLists are the members of list results. A caller whose credentials do not suffice for
// a list gets an empty one instead of an error: clients request lists when they connect,
// and give up the connection if one fails.
var emptyLists = map[string]string{
	"resources/list":           "resources",
	"resources/templates/list": "resourceTemplates",
	"prompts/list":             "prompts",
}

// authorize reports whether the caller may send messages, of which examined are the
// examinations. If not, it has responded, and no page gets any of them.
func (r *request) authorize(examined []engine.Examination, messages [][]byte) bool {
	if r.caller.Authorize == nil {
		return true
	}
	var acts []access.Act
	for i, x := range examined {
		if x.Kind == jsonrpc.Request {
			acts = append(acts, r.actOf(x, messages[i]))
		}
	}
	challenge := r.caller.Authorize(r.endpoint.Path, acts...)
	if challenge == nil {
		return true
	}
	if member, isList := emptyLists[examined[0].Method]; isList && len(examined) == 1 {
		r.audit("empty")
		writeJSON(r.w, http.StatusOK, jsonrpc.AppendResult(nil, examined[0].ID, emptyList(member, examined[0].Modern)))
		return false
	}
	r.audit(strconv.Itoa(challenge.Status))
	challenge.Write(r.w)
	return false
}

// mayGet returns a function that reports whether the caller's credentials suffice for a
// notification of the session's stream, or nil if they suffice for all: the subscription, or
// the list, may be from a request with other credentials.
func (r *request) mayGet() func(msg string) bool {
	if r.caller.Authorize == nil {
		return nil
	}
	may := func(method string) func() bool {
		return sync.OnceValue(func() bool { return r.caller.Authorize(r.endpoint.Path, access.Act{Method: method}) == nil })
	}
	resources, prompts := may("resources/subscribe"), may("prompts/list")
	return func(msg string) bool {
		switch message.HeadOf([]byte(msg)).Method {
		case UpdatedMethod, "notifications/resources/list_changed":
			return resources()
		case "notifications/prompts/list_changed":
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

func (r *request) actOf(x engine.Examination, msg []byte) access.Act {
	act := access.Act{Method: x.Method}
	m, _ := jsonrpc.Parse(msg) // the examination has parsed it, too
	switch x.Method {
	case "tools/call":
		act.Generated = r.endpoint.Generated != nil && r.endpoint.Generated(r.http.Context(), x.Name)
	case "subscriptions/listen":
		filter := jsonrpc.Member(m.Params, "notifications")
		uris, _ := jsonrpc.Elements(jsonrpc.Member(filter, "resourceSubscriptions"))
		act.Resources = len(uris) > 0 || string(jsonrpc.Member(filter, "resourcesListChanged")) == "true"
	case "completion/complete":
		kind, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(m.Params, "ref"), "type"))
		act.Resources = kind != "ref/prompt"
	}
	return act
}
