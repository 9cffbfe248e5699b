package main

import (
	"errors"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// register adds what the web app serves by itself: input[:n] is a JSON object of
// resources, templates, prompts, tools, skills and events, arrays of the descriptions that clients
// see, of events see registerEvent. Besides what those may see, one may have cacheHints, and completes, the
// names of what can be completed. The one with index i, in that order, has the
// number first+i in JavaScript.
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
		err := eachElement(input[:n], kind, func(element []byte) (err error) {
			cache := readCache(jsonrpc.Member(element, "cacheHints"))
			complete := completer(ref, readTexts(jsonrpc.Member(element, "completes")))
			var name string
			switch kind {
			case "resources":
				e := engine.Entry{Ref: ref, Cache: cache}
				e.Resource, err = engine.ParseResource(element)
				name, resources = e.URI, append(resources, e)
			case "templates":
				e := engine.TemplateEntry{Ref: ref, Cache: cache, Complete: complete}
				e.Template, err = engine.ParseTemplate(element)
				name, templates = e.URITemplate, append(templates, e)
			case "prompts":
				e := engine.PromptEntry{Get: caller(opGetPrompt, ref), Complete: complete}
				e.Prompt, err = engine.ParsePrompt(element)
				name, prompts = e.Name, append(prompts, e)
			case "skills":
				skills = append(skills, engine.TrustedSkill(element))
			default:
				e := engine.ToolEntry{Call: caller(opCallTool, ref), Task: taskTool(jsonrpc.Member(element, "task"), ref)}
				e.Tool, err = engine.ParseTool(element)
				name, tools = e.Name, append(tools, e)
			}
			ref++
			if err != nil {
				err = jsonrpc.Wrap(kind[:len(kind)-1]+" "+jsonrpc.Quoted(name), err)
			}
			return err
		})
		refusal = errors.Join(refusal, err)
	}
	if refusal == nil {
		refusal = errors.Join(app.Put(resources...), app.PutTemplate(templates...), app.PutPrompt(prompts...), app.PutTool(tools...))
	}
	if refusal != nil {
		report("register: " + refusal.Error())
		return wrong
	}
	app.PutSkill(skills...)
	serving.SetSkills(app.HasSkills())
	if err := eachElement(input[:n], "events", registerEvent); err != nil {
		report("event: " + err.Error())
		return wrong
	}
	if app.HasTasks() {
		serving.SetTasks(true) // also when the tools are gone: their tasks may be there
		restoreTasks()
		serving.ResumeTasks()
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
