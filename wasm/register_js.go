package main

import (
	"errors"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// register adds what the web app serves by itself: input[:n] is a JSON object of
// resources, templates, prompts, tools and skills, arrays of the descriptions that clients
// see. Besides what those may see, one may have cacheHints, and completes, the
// names of what can be completed. The one with index i, in that order, has the
// number first+i in JavaScript. What is not valid is left out, and named in one report.
//
//go:wasmexport register
func register(first, n int32) (result int32) {
	defer recovered("register", &result)
	ref := sink.Ref(first)
	var resources []engine.Entry
	var templates []engine.TemplateEntry
	var prompts []engine.PromptEntry
	var tools []engine.ToolEntry
	var skills []engine.Skill
	var refusal error
	for _, kind := range [...]string{"resources", "templates", "prompts", "tools", "skills"} {
		err := eachElement(input[:n], kind, func(element []byte) error {
			var err error
			cache := readCache(jsonrpc.Member(element, "cacheHints"))
			complete := completer(ref, readTexts(jsonrpc.Member(element, "completes")))
			var name string
			switch kind {
			case "resources":
				e := engine.Entry{Ref: ref, Cache: cache}
				if e.Resource, err = engine.ParseResource(element); err == nil {
					resources = append(resources, e)
				}
				name = e.URI
			case "templates":
				e := engine.TemplateEntry{Ref: ref, Cache: cache, Complete: complete}
				if e.Template, err = engine.ParseTemplate(element); err == nil {
					templates = append(templates, e)
				}
				name = e.URITemplate
			case "prompts":
				e := engine.PromptEntry{Get: caller(opGetPrompt, ref), Complete: complete}
				if e.Prompt, err = engine.ParsePrompt(element); err == nil {
					prompts = append(prompts, e)
				}
				name = e.Name
			case "skills":
				skills = append(skills, engine.TrustedSkill(element))
			default:
				e := engine.ToolEntry{Call: caller(opCallTool, ref), Task: taskTool(jsonrpc.Member(element, "task"), ref)}
				if e.Tool, err = engine.ParseTool(element); err == nil {
					tools = append(tools, e)
				}
				name = e.Name
			}
			ref++
			if err != nil {
				refusal = errors.Join(refusal, jsonrpc.Wrap(kind[:len(kind)-1]+" "+jsonrpc.Quoted(name), err))
			}
			return nil
		})
		refusal = errors.Join(refusal, err)
	}
	refusal = errors.Join(refusal, app.Put(resources...), app.PutTemplate(templates...), app.PutPrompt(prompts...), app.PutTool(tools...))
	if refusal != nil {
		report("register: " + refusal.Error())
	}
	app.PutSkill(skills...)
	serving.SetSkills(app.HasSkills())
	if app.HasTasks() {
		serving.SetTasks(true) // also when the tools are gone: their tasks may be there
	}
	return done
}

// unregister takes away what register added: input[:n] is a JSON object of uris,
// templates, prompts, tools and skills, arrays of strings.
//
//go:wasmexport unregister
func unregister(n int32) (result int32) {
	defer recovered("unregister", &result)
	s := jsonrpc.Scan(input[:n])
	for s.Next() {
		names := readTexts(s.Value)
		if len(names) == 0 {
			continue // and nothing is announced
		}
		switch string(s.Name) {
		case "uris":
			app.Remove(names...)
		case "templates":
			app.RemoveTemplate(names...)
		case "prompts":
			app.RemovePrompt(names...)
		case "tools":
			app.RemoveTool(names...)
		case "skills":
			app.RemoveSkill(names...)
		}
	}
	serving.SetSkills(app.HasSkills())
	return done
}
