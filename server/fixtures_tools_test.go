package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// always returns a handler with a constant result.
func always(result any) handler {
	return func(context.Context, object) (any, error) { return result, nil }
}

// serveTools registers the tools that send no requests.
func (p *testPage) serveTools() {
	p.tool("test_simple_text", "Answers with text.", nil, always("This is a simple text response for testing."))
	p.tool("test_image_content", "Answers with an image.", nil, always(image))
	p.tool("test_audio_content", "Answers with sound.", nil, always(object{"type": "audio", "data": wavData, "mimeType": "audio/wav"}))
	p.tool("test_embedded_resource", "Answers with a resource.", nil,
		always(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")))
	p.tool("test_multiple_content_types", "Answers with all kinds.", nil, always(array{
		text("Multiple content types test:"), image,
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
	}))
	p.tool("test_error_handling", "Fails.", nil, always(object{
		"isError": true, "content": array{text("This tool intentionally returns an error for testing")},
	}))
	p.tool("test_tool_with_progress", "Tells how far it is.", nil, func(ctx context.Context, _ object) (any, error) {
		for _, progress := range []int{0, 50, 100} {
			engine.InvocationOf(ctx).Progress(fmt.Appendf(nil, `{"progress":%d,"total":100}`, progress))
			if err := between(ctx); err != nil {
				return nil, err
			}
		}
		return "done", nil
	})
	logging := func(messages ...string) handler {
		return func(ctx context.Context, _ object) (any, error) {
			for _, message := range messages {
				engine.InvocationOf(ctx).Log(toJSON(object{"level": "info", "logger": "conformance", "data": message}))
				if err := between(ctx); err != nil {
					return nil, err
				}
			}
			return "done", nil
		}
	}
	p.tool("test_tool_with_logging", "Tells what it does.", nil,
		logging("Tool execution started", "Tool processing data", "Tool execution completed"))
	p.tool("test_logging_tool", "Tells what it does, to those who ask.", nil, logging("one", "two"))
	p.tool("test_slow", "Works until it is cancelled.", nil, func(ctx context.Context, _ object) (any, error) {
		p.mu.Lock()
		p.slow++
		p.mu.Unlock()
		engine.InvocationOf(ctx).Progress([]byte(`{"progress":1}`))
		<-ctx.Done()
		p.mu.Lock()
		p.slow--
		p.mu.Unlock()
		return nil, ctx.Err()
	})
	p.tool("json_schema_2020_12_tool", "Has a schema with all that JSON Schema 2020-12 offers.", object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type":    "object",
		"$defs": object{"address": object{
			"$anchor": "addressDef", "type": "object",
			"properties": object{"street": object{"type": "string"}, "city": object{"type": "string"}},
		}},
		"properties": object{
			"name": object{"type": "string"}, "address": object{"$ref": "#/$defs/address"},
			"contactMethod": object{"type": "string", "enum": array{"phone", "email"}},
			"phone":         object{"type": "string"}, "email": object{"type": "string"},
		},
		"allOf": array{object{"anyOf": array{object{"required": array{"phone"}}, object{"required": array{"email"}}}}},
		"if":    object{"properties": object{"contactMethod": object{"const": "phone"}}, "required": array{"contactMethod"}},
		"then":  object{"required": array{"phone"}}, "else": object{"required": array{"email"}},
		"additionalProperties": false,
	}, always("It fits."))
	p.tool("test_x_mcp_header", "Has a parameter that HTTP clients repeat in a header.", object{
		"type": "object",
		"properties": object{
			"region": object{"type": "string", "x-mcp-header": "Region"},
			"level":  object{"type": "integer"},
			"count":  object{"type": "integer", "x-mcp-header": "Count"},
			"dry":    object{"type": "boolean", "x-mcp-header": "Dry"},
			"place": object{"type": "object", "properties": object{
				"zone": object{"type": "string", "x-mcp-header": "Zone"},
			}},
		},
		"required": array{"region"},
	}, func(_ context.Context, given object) (any, error) { return fmt.Sprintf("In %v.", given["region"]), nil })
}

// serveHooks registers the tools that change what is served.
func (p *testPage) serveHooks() {
	var mu sync.Mutex
	var toolThere, promptThere bool
	p.tool("test_trigger_tool_change", "Adds a tool, or takes it away.", nil, func(context.Context, object) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if toolThere = !toolThere; toolThere {
			p.tool("test_passing_tool", "Comes and goes.", nil, always("still here"))
		} else {
			p.table.Remove(engine.Tools, "test_passing_tool")
		}
		return "done", nil
	})
	p.tool("test_trigger_prompt_change", "Adds a prompt, or takes it away.", nil, func(context.Context, object) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if promptThere = !promptThere; promptThere {
			p.prompt("test_passing_prompt", "Comes and goes.", nil, always("still here"), nil)
		} else {
			p.table.Remove(engine.Prompts, "test_passing_prompt")
		}
		return "done", nil
	})
}
