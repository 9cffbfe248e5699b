package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"

	json "github.com/go-json-experiment/json"
)

// asking returns a handler that needs responses to requests, and returns a text about
// them.
func asking(requests object, say func(answers object) string) handler {
	return func(ctx context.Context, _ object) (any, error) {
		answers, err := need(ctx, requests)
		if err != nil {
			return nil, err
		}
		return say(answers), nil
	}
}

// serveAsking registers the tools that send requests to clients of every revision.
func (p *testPage) serveAsking() {
	argument := func(name string) object {
		return object{"type": "object", "properties": object{name: object{"type": "string", "description": "What to say"}}, "required": array{name}}
	}
	p.tool("test_sampling", "Asks the client's model.", argument("prompt"), func(ctx context.Context, given object) (any, error) {
		answers, err := need(ctx, object{"reply": sample(fmt.Sprint(given["prompt"]), 100)})
		if err != nil {
			return nil, err
		}
		return "LLM response: " + modelText(answers["reply"]), nil
	})
	p.tool("test_elicitation", "Asks the user for a name and an address.", argument("message"), func(ctx context.Context, given object) (any, error) {
		user := elicit(fmt.Sprint(given["message"]), form(object{
			"username": object{"type": "string", "description": "Name of the user"},
			"email":    object{"type": "string", "description": "Where mail goes"},
		}))
		answers, err := need(ctx, object{"user": user})
		if err != nil {
			return nil, err
		}
		return "User response: " + string(toJSON(answers["user"])), nil
	})
	completed := func(key string) func(object) string {
		return func(answers object) string {
			a := answers[key].(object)
			return fmt.Sprintf("Elicitation completed: action=%v, content=%s", a["action"], toJSON(a["content"]))
		}
	}
	p.tool("test_elicitation_sep1034_defaults", "Asks with a form of defaults.", nil,
		asking(object{"defaults": elicit("Are these right?", defaults)}, completed("defaults")))
	p.tool("test_elicitation_sep1330_enums", "Asks with a form of choices.", nil,
		asking(object{"choices": elicit("Choose", choices)}, completed("choices")))
	p.tool("test_streaming_elicitation", "Tells of its progress, then asks.", nil, func(ctx context.Context, _ object) (any, error) {
		engine.InvocationOf(ctx).Progress([]byte(`{"progress":1,"total":2,"message":"about to ask"}`))
		answers, err := need(ctx, object{"user_name": askName})
		if err != nil {
			return nil, err
		}
		return "Hello, " + field(answers["user_name"], "name") + "!", nil
	})
	p.tool("test_missing_capability", "Needs a client that can sample.", nil,
		asking(object{"reply": sample("Say hello", 20)}, func(answers object) string { return "Sampled: " + modelText(answers["reply"]) }))
}

var (
	askName = elicit("What is your name?", form(object{"name": object{"type": "string"}}))
	askOK   = elicit("Please confirm", form(object{"ok": object{"type": "boolean"}}))
)

// serveRounds registers the tools of the suite of 2026-07-28.
func (p *testPage) serveRounds() {
	tool := func(name, description string, do handler) {
		p.tool("test_input_required_result_"+name, description, nil, do)
	}
	tool("elicitation", "Asks for a name.", asking(object{"user_name": askName}, func(answers object) string {
		return "Hello, " + field(answers["user_name"], "name") + "!"
	}))
	tool("sampling", "Asks the model for a capital.", asking(object{"capital_question": sample("What is the capital of France?", 100)},
		func(answers object) string { return "The model says: " + modelText(answers["capital_question"]) }))
	tool("list_roots", "Asks for the roots.", asking(object{"client_roots": listRoots}, func(answers object) string {
		return "Roots: " + string(toJSON(answers["client_roots"]))
	}))
	tool("request_state", "Gets its state back.", asking(object{"confirm": askOK}, func(object) string { return "state-ok" }))
	tool("multiple_inputs", "Asks for three things.", asking(
		object{"user_name": askName, "greeting": sample("Generate a greeting", 50), "client_roots": listRoots},
		func(answers object) string {
			return modelText(answers["greeting"]) + " " + field(answers["user_name"], "name")
		}))
	tool("multi_round", "Asks twice.", func(ctx context.Context, _ object) (any, error) {
		step1 := elicit("Step 1: What is your name?", form(object{"name": object{"type": "string"}}))
		first, err := need(ctx, object{"step1": step1})
		if err != nil {
			return nil, err
		}
		step2 := elicit("Step 2: What is your favorite color?", form(object{"color": object{"type": "string"}}))
		second, err := need(ctx, object{"step2": step2})
		if err != nil {
			return nil, err
		}
		return field(first["step1"], "name") + " likes " + field(second["step2"], "color") + ".", nil
	})
	tool("tampered_state", "Its state must come back unchanged.", asking(object{"confirm": askOK},
		func(answers object) string { return "Confirmed: " + field(answers["confirm"], "ok") }))
	tool("capabilities", "Asks what the client says it can answer.", func(ctx context.Context, _ object) (any, error) {
		can := object{}
		if err := json.Unmarshal(engine.InvocationOf(ctx).Capabilities(), &can); err != nil {
			return nil, err
		}
		wanted := object{}
		for capability, request := range map[string]object{"sampling": sample("Say hello", 20), "elicitation": askName, "roots": listRoots} {
			if can[capability] != nil {
				wanted[capability] = request
			}
		}
		answers, err := need(ctx, wanted)
		if err != nil {
			return nil, err
		}
		var names []string
		for name := range answers {
			names = append(names, name)
		}
		return "Answered: " + strings.Join(names, ", "), nil
	})
}

var defaults = object{"type": "object", "properties": object{
	"name":     object{"type": "string", "default": "John Doe"},
	"age":      object{"type": "integer", "default": 30},
	"score":    object{"type": "number", "default": 95.5},
	"status":   object{"type": "string", "enum": array{"active", "inactive", "pending"}, "default": "active"},
	"verified": object{"type": "boolean", "default": true},
}}

var (
	options = array{"option1", "option2", "option3"}
	titled  = array{
		object{"const": "value1", "title": "First option"},
		object{"const": "value2", "title": "Second option"},
		object{"const": "value3", "title": "Third option"},
	}
	choices = object{"type": "object", "properties": object{
		"untitledSingle": object{"type": "string", "enum": options},
		"titledSingle":   object{"type": "string", "oneOf": titled},
		"legacyEnum": object{
			"type": "string", "enum": array{"opt1", "opt2", "opt3"},
			"enumNames": array{"Option one", "Option two", "Option three"},
		},
		"untitledMulti": object{"type": "array", "items": object{"type": "string", "enum": options}},
		"titledMulti":   object{"type": "array", "items": object{"anyOf": titled}},
	}}
)
