package main

import (
	"errors"
	"fmt"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// register adds what the web app serves by itself: input[:n] is a JSON object of
// resources, templates, prompts and tools, arrays of the descriptions that clients
// see, with [aside]s. The one with index i, in that order, has the number first+i
// in JavaScript.
//
//go:wasmexport register
func register(first, n int32) (result int32) {
	defer survive("register", &result)
	ref := engine.Ref(first)
	var resources []engine.Entry
	var templates []engine.TemplateEntry
	var prompts []engine.PromptEntry
	var tools []engine.ToolEntry
	refusal := eachElement(input[:n], "resources", func(element []byte) error {
		resource, err := engine.ParseResource(element)
		resources = append(resources, engine.Entry{Resource: resource, Ref: ref, Cache: readAside(element).cache})
		ref++
		return describe("resource", resource.URI, err)
	})
	refusal = errors.Join(refusal, eachElement(input[:n], "templates", func(element []byte) error {
		template, err := engine.ParseTemplate(element)
		own := readAside(element)
		templates = append(templates, engine.TemplateEntry{
			Template: template, Ref: ref, Cache: own.cache, Complete: completer(ref, own.completes),
		})
		ref++
		return describe("template", template.URITemplate, err)
	}))
	refusal = errors.Join(refusal, eachElement(input[:n], "prompts", func(element []byte) error {
		prompt, err := engine.ParsePrompt(element)
		prompts = append(prompts, engine.PromptEntry{
			Prompt: prompt, Get: caller(askGetPrompt, ref), Complete: completer(ref, readAside(element).completes),
		})
		ref++
		return describe("prompt", prompt.Name, err)
	}))
	refusal = errors.Join(refusal, eachElement(input[:n], "tools", func(element []byte) error {
		tool, err := engine.ParseTool(element)
		tools = append(tools, engine.ToolEntry{Tool: tool, Call: caller(askCallTool, ref)})
		ref++
		return describe("tool", tool.Name, err)
	}))
	if refusal == nil {
		refusal = errors.Join(app.Put(resources...), app.PutTemplate(templates...), app.PutPrompt(prompts...), app.PutTool(tools...))
	}
	if refusal != nil {
		report("register: " + refusal.Error())
		return wrong
	}
	return done
}

// describe says of which description err is, if it is one.
func describe(what, uri string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %q: %w", what, uri, err)
}

// unregister takes away what register added: input[:n] is a JSON object of uris,
// templates, prompts and tools, arrays of strings.
//
//go:wasmexport unregister
func unregister(n int32) (result int32) {
	defer survive("unregister", &result)
	refusal := jsonrpc.Members(input[:n], func(name string, value []byte) *jsonrpc.Error {
		names := readTexts(value)
		if len(names) == 0 {
			return nil // and nothing is announced
		}
		switch name {
		case "uris":
			app.Remove(names...)
		case "templates":
			app.RemoveTemplate(names...)
		case "prompts":
			app.RemovePrompt(names...)
		case "tools":
			app.RemoveTool(names...)
		}
		return nil
	})
	if refusal != nil {
		return wrong
	}
	return done
}
