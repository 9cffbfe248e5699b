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
// see. Besides what those may see, one may have cacheHints, and completes, the
// names of what can be completed. The one with index i, in that order, has the
// number first+i in JavaScript.
//
//go:wasmexport register
func register(first, n int32) (result int32) {
	defer survive("register", &result)
	ref := engine.Ref(first)
	var resources []engine.Entry
	var templates []engine.TemplateEntry
	var prompts []engine.PromptEntry
	var tools []engine.ToolEntry
	refusal := registerEach(input[:n], "resources", func(element []byte) (string, error) {
		resource, err := engine.ParseResource(element)
		resources = append(resources, engine.Entry{
			Resource: resource, Ref: ref, Cache: readCache(member(element, "cacheHints")),
		})
		ref++
		return resource.URI, err
	})
	refusal = errors.Join(refusal, registerEach(input[:n], "templates", func(element []byte) (string, error) {
		template, err := engine.ParseTemplate(element)
		templates = append(templates, engine.TemplateEntry{
			Template: template, Ref: ref, Cache: readCache(member(element, "cacheHints")),
			Complete: completer(ref, readTexts(member(element, "completes"))),
		})
		ref++
		return template.URITemplate, err
	}))
	refusal = errors.Join(refusal, registerEach(input[:n], "prompts", func(element []byte) (string, error) {
		prompt, err := engine.ParsePrompt(element)
		prompts = append(prompts, engine.PromptEntry{
			Prompt: prompt, Get: caller(askGetPrompt, ref),
			Complete: completer(ref, readTexts(member(element, "completes"))),
		})
		ref++
		return prompt.Name, err
	}))
	refusal = errors.Join(refusal, registerEach(input[:n], "tools", func(element []byte) (string, error) {
		tool, err := engine.ParseTool(element)
		tools = append(tools, engine.ToolEntry{Tool: tool, Call: caller(askCallTool, ref)})
		ref++
		return tool.Name, err
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

// registerEach is eachElement. The error says of which description it is.
func registerEach(object []byte, what string, parse func(element []byte) (name string, err error)) error {
	return eachElement(object, what, func(element []byte) error {
		name, err := parse(element)
		if err != nil {
			err = fmt.Errorf("%s %q: %w", what[:len(what)-1], name, err)
		}
		return err
	})
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
