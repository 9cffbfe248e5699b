package server

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
)

// The page that the official conformance suite asks for, in Go: the same that
// web/test/conformance/fixture is in a browser. names of fixtures and their exact
// text are the suite's.

// object and array are JSON.
type (
	object = map[string]any
	array  = []any
)

// The smallest of its kind each, Base64: a point, and eight samples of silence.
const (
	pngData = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNQrrICAAGbANhJnz+RAAAAAElFTkSuQmCC"
	wavData = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="
)

var image = object{"type": "image", "data": pngData, "mimeType": "image/png"}

func text(s string) object { return object{"type": "text", "text": s} }

// embedded is a resource as content.
func embedded(uri, mimeType, s string) object {
	return object{"type": "resource", "resource": object{"uri": uri, "mimeType": mimeType, "text": s}}
}

// A handler of a fixture returns text, a block, an array of blocks, or a whole
// result.
type handler func(ctx context.Context, arguments object) (any, error)

// newConformancePage makes the page, which is called conformance.
func newConformancePage(t *testing.T) *testPage {
	p := newPage(t, testOrigin, "conformance tab")
	p.app = "conformance"
	p.engine = engine.New(engine.Info{Name: "conformance", Version: "1.0.0"}, &engine.Options{
		UpdateInterval: 10 * time.Millisecond, Tools: true, Prompts: true, Completions: true, Logging: true, Extensions: []*engine.Extension{skill.Extension, task.Extension(&task.Tasks{})},
	})
	p.engine.Mount("", p.table)
	p.serveResources()
	p.servePrompts()
	p.serveTools()
	p.serveTaskTools()
	p.serveAsking()
	p.serveRounds()
	p.serveHooks()
	return p
}

func (p *testPage) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func toJSON(value any) []byte {
	data, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err) // of fixtures
	}
	return data
}

// tool registers one. schema is its inputSchema; nil: no arguments.
func (p *testPage) tool(name, description string, schema object, do handler) {
	p.t.Helper()
	p.taskTool(name, description, schema, task.Tool{}, do)
}

// taskTool is tool for one that may run as a task.
func (p *testPage) taskTool(name, description string, schema object, as task.Tool, do handler) {
	p.t.Helper()
	if schema == nil {
		schema = object{"type": "object", "properties": object{}}
	}
	described := toJSON(object{"name": name, "description": description, "inputSchema": schema})
	p.must(p.table.Put(engine.Entry{
		Kind: engine.Tools, JSON: described,
		Extra: as,
		Call: func(ctx context.Context, arguments []byte) ([]byte, error) {
			result, err := run(ctx, do, arguments)
			if err != nil {
				return nil, err
			}
			switch r := result.(type) {
			case string:
				result = object{"content": array{text(r)}}
			case array:
				result = object{"content": r}
			case object:
				if r["type"] != nil {
					result = object{"content": array{r}}
				}
			}
			return toJSON(result), nil
		},
	}))
}

// prompt registers one; arguments are names, all required.
func (p *testPage) prompt(name, description string, arguments []string, do handler, complete func(engine.CompletionRequest) []string) {
	p.t.Helper()
	described := array{}
	for _, argument := range arguments {
		described = append(described, object{"name": argument, "description": "The argument " + argument, "required": true})
	}
	entry := engine.Entry{
		Kind: engine.Prompts, JSON: toJSON(object{"name": name, "description": description, "arguments": described}),
		Call: func(ctx context.Context, given []byte) ([]byte, error) {
			result, err := run(ctx, do, given)
			if err != nil {
				return nil, err
			}
			contents, several := result.(array)
			if s, isText := result.(string); isText {
				contents = array{text(s)}
			} else if !several {
				contents = array{result}
			}
			messages := array{}
			for _, content := range contents {
				messages = append(messages, object{"role": "user", "content": content})
			}
			return toJSON(object{"messages": messages}), nil
		},
	}
	if complete != nil {
		entry.Complete = func(_ context.Context, c engine.CompletionRequest) (engine.Completion, error) {
			return engine.Completion{Values: complete(c)}, nil
		}
	}
	p.must(p.table.Put(entry))
}

func run(ctx context.Context, do handler, arguments []byte) (any, error) {
	given := object{}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	return do(ctx, given)
}

// need asks the client, and asks again for what is malformed.
func need(ctx context.Context, requests object) (answers object, err error) {
	answers = object{}
	for {
		missing := object{}
		for key, request := range requests {
			if !answered(request.(object), answers[key]) {
				missing[key] = request
			}
		}
		if len(missing) == 0 {
			return answers, nil
		}
		got, err := engine.InvocationOf(ctx).Ask(ctx, toJSON(missing))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(got, &answers); err != nil {
			return nil, err
		}
	}
}

// answered reports whether a response fits its request.
func answered(request object, answer any) bool {
	a, ok := answer.(object)
	if !ok {
		return false
	}
	switch request["method"] {
	case "roots/list":
		_, ok = a["roots"].(array)
		return ok
	case "sampling/createMessage":
		return a["content"] != nil
	}
	if a["action"] != "accept" {
		return a["action"] == "decline" || a["action"] == "cancel"
	}
	content, _ := a["content"].(object)
	schema := request["params"].(object)["requestedSchema"].(object)
	required, _ := schema["required"].(array)
	for _, name := range required {
		if content[name.(string)] == nil {
			return false
		}
	}
	return true
}

// form is a requestedSchema in which everything is required.
func form(properties object) object {
	required := array{}
	for name := range properties {
		required = append(required, name)
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func elicit(message string, schema object) object {
	return object{"method": "elicitation/create", "params": object{"mode": "form", "message": message, "requestedSchema": schema}}
}

func sample(prompt string, maxTokens int) object {
	return object{"method": "sampling/createMessage", "params": object{
		"messages": array{object{"role": "user", "content": text(prompt)}}, "maxTokens": maxTokens,
	}}
}

var listRoots = object{"method": "roots/list", "params": object{}}

// modelText returns the text of a model's response.
func modelText(answer any) string {
	content := answer.(object)["content"]
	if several, ok := content.(array); ok && len(several) > 0 {
		content = several[0]
	}
	block, _ := content.(object)
	return fmt.Sprint(block["text"])
}

// field is one of what a user filled in.
func field(answer any, name string) string {
	a := answer.(object)
	if content, ok := a["content"].(object); ok && a["action"] == "accept" {
		return fmt.Sprint(content[name])
	}
	return fmt.Sprintf("(%v)", a["action"])
}

// between waits as long as the suite requires between two progress notifications.
func between(ctx context.Context) error {
	timer := time.NewTimer(50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *testPage) serveResources() {
	put := func(uri, name, mimeType string, cache engine.Cache, contents engine.Contents) {
		contents.URI, contents.MIMEType = uri, mimeType
		p.must(p.table.Put(engine.Entry{
			JSON:  engine.Describe("uri", uri, "name", name, "description", "Fixture "+name, "mimeType", mimeType),
			Cache: cache,
			Read:  func(context.Context, string) ([]engine.Contents, error) { return []engine.Contents{contents}, nil },
		}))
	}
	point, err := base64.StdEncoding.DecodeString(pngData)
	p.must(err)
	put("test://static-text", "static-text", "text/plain", engine.Cache{TTL: time.Minute, Public: true},
		engine.Contents{Text: "This is the content of the static text resource."})
	put("test://static-binary", "static-binary", "image/png", engine.Cache{}, engine.Contents{Blob: point})
	p.write("test://watched-resource", "0")
	p.must(p.table.Put(engine.Entry{
		Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "test://template/{id}/data", "name", "template-data", "description", "Data by number", "mimeType", "application/json"),
		Expand: func(_ context.Context, uri string, variables []byte) ([]engine.Contents, error) {
			var v struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(variables, &v); err != nil {
				return nil, err
			}
			data := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, v.ID, v.ID)
			return []engine.Contents{{URI: uri, MIMEType: "application/json", Text: data}}, nil
		},
		Complete: func(_ context.Context, c engine.CompletionRequest) (engine.Completion, error) {
			return engine.Completion{Values: startingWith(c.Value, "123", "124", "200")}, nil
		},
	}))
}

func startingWith(prefix string, all ...string) []string {
	found := []string{}
	for _, one := range all {
		if strings.HasPrefix(one, prefix) {
			found = append(found, one)
		}
	}
	return found
}

func (p *testPage) servePrompts() {
	p.prompt("test_simple_prompt", "A prompt without arguments.", nil, func(context.Context, object) (any, error) {
		return "This is a simple prompt for testing.", nil
	}, nil)
	p.prompt("test_prompt_with_arguments", "A prompt that repeats its two arguments.", []string{"arg1", "arg2"},
		func(_ context.Context, given object) (any, error) {
			return fmt.Sprintf("Prompt with arguments: arg1='%v', arg2='%v'", given["arg1"], given["arg2"]), nil
		},
		func(c engine.CompletionRequest) []string {
			return startingWith(c.Value, "paris", "park", "party", "hello")
		})
	p.prompt("test_prompt_with_embedded_resource", "A prompt that brings a resource along.", []string{"resourceUri"},
		func(_ context.Context, given object) (any, error) {
			uri, ok := given["resourceUri"].(string)
			if !ok {
				return nil, engine.BadParams("resourceUri is missing")
			}
			return array{
				embedded(uri, "text/plain", "Embedded resource content for testing."),
				text("Please process the embedded resource above."),
			}, nil
		}, nil)
	p.prompt("test_prompt_with_image", "A prompt that shows an image.", nil, func(context.Context, object) (any, error) {
		return array{image, text("Please analyze the image above.")}, nil
	}, nil)
	p.prompt("test_input_required_result_prompt", "A prompt that first asks for its context.", nil,
		func(ctx context.Context, _ object) (any, error) {
			ask := elicit("What context should the prompt use?", form(object{"context": object{"type": "string"}}))
			answers, err := need(ctx, object{"user_context": ask})
			if err != nil {
				return nil, err
			}
			return "Use this context: " + field(answers["user_context"], "context"), nil
		}, nil)
}
