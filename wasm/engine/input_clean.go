package engine

import (
	"strings"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// Requests for input reach the client's user and model with the authority of the server,
// and the author of a source may be hostile. The page's engine cleans their texts as those
// of descriptions, and the gateway's again. MCP 2026-07-28, client/elicitation, Security.

// An InputPolicy says what the requests for input of another engine may be.
type InputPolicy struct {
	From   string // names the other engine to the user, before each message; "": nothing does
	Refuse string // error for requests for the client's model and roots; "": they are allowed
}

// Clean returns requests for input as the client may get them.
func (p InputPolicy) Clean(requests []byte) ([]byte, error) { return cleanInput(requests, p) }

// A refusedInput is the error of a source that requests what it may not.
type refusedInput string

// Error implements error.
func (r refusedInput) Error() string { return string(r) }

// cleanInput returns the requests of [Invocation.Need] as the client may get them.
func cleanInput(requests []byte, policy InputPolicy) ([]byte, error) {
	clean := emit.JSON("{")
	s := jsonrpc.Scan(requests)
	for s.Next() {
		method, _ := jsonrpc.Text(jsonrpc.Member(s.Value, "method"))
		elicits := method == MethodElicit
		key := string(s.Name)
		switch {
		case !elicits && policy.Refuse != "":
			return nil, refusedInput(policy.Refuse)
		case plain.Text(key, plain.MaxTitle) != key:
			return nil, refusedInput("The key of a request" + plain.HiddenRule)
		}
		text, prefix := "message", policy.From // the member that the user or the model reads first
		if !elicits {
			text = "systemPrompt"
		}
		params := emit.JSON("{")
		own := jsonrpc.Member(s.Value, "params")
		mode, _ := jsonrpc.Text(jsonrpc.Member(own, "mode"))
		m := jsonrpc.Scan(own)
		for m.Next() {
			name, value := string(m.Name), m.Value
			switch {
			case !isInputMember(method, mode, name):
				continue
			case name == text:
				read, _ := jsonrpc.Text(value)
				value = jsonrpc.AppendString(nil, plain.Lines(prefixed(prefix, read), plain.MaxDescription))
				prefix = ""
			case name == "url":
				if url, _ := jsonrpc.Text(value); !isWebURL(url) {
					return nil, refusedInput("A URL that the user is to open must begin with https:// and a host")
				}
			case elicits:
				var ok bool
				if value, ok = plain.JSON(name, value); !ok {
					return nil, refusedInput(name + plain.HiddenRule)
				}
			default:
				value = plainTexts(value)
			}
			params.Member(name, value)
		}
		if prefix != "" && method == MethodSample {
			params.Member(text, jsonrpc.AppendString(nil, prefix))
		}
		request := emit.JSON("{")
		request.Name("method")
		request.Quote(method)
		if own != nil || len(params) > 1 {
			params.Text("}")
			request.Member("params", params)
		}
		request.Text("}")
		clean.Member(key, request)
	}
	clean.Text("}")
	return clean, nil
}

// isInputMember reports whether the schema has a member of the params of a request for input.
// Clients may show what they do not know, or act on it. MCP 2026-07-28, schema,
// ElicitRequestFormParams, ElicitRequestURLParams, CreateMessageRequestParams.
func isInputMember(method, mode, name string) bool {
	switch name {
	case "mode", "message":
		return method == MethodElicit
	case "url":
		return method == MethodElicit && mode == "url"
	case "requestedSchema":
		return method == MethodElicit && mode != "url"
	case "messages", "modelPreferences", "systemPrompt", "includeContext", "temperature", "maxTokens", "stopSequences", "metadata", "tools", "toolChoice":
		return method == MethodSample
	}
	return false
}

func prefixed(prefix, text string) string {
	if prefix == "" {
		return text
	}
	return prefix + ": " + text
}

// isWebURL reports whether a user may be sent to url: https, a host without user
// information, which looks like another host, and no character that a URI cannot have.
func isWebURL(url string) bool {
	rest, ok := strings.CutPrefix(url, "https://")
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	return ok && host != "" && !strings.Contains(host, "@") && schema.CheckURI(url) == nil
}

// plainTexts returns a JSON value in which all strings are plain, names of members too.
func plainTexts(value []byte) []byte {
	var clean emit.JSON
	from := 0
	for i := 0; i < len(value); i++ {
		if value[i] != '"' {
			continue
		}
		end := i + max(1, jsonrpc.StringLength(value[i:]))
		text, _ := jsonrpc.Text(value[i:end])
		if plain := plain.Lines(text, len(text)); plain != text {
			clean.Raw(value[from:i])
			clean.Quote(plain)
			from = end
		}
		i = end - 1
	}
	if from == 0 {
		return value
	}
	clean.Raw(value[from:])
	return clean
}
