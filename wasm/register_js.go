package main

import (
	"errors"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// batchMembers has the members of what register gets, and of what unregister gets, by kind.
var batchMembers = [...]struct {
	kind          engine.Kind
	entries, keys string
}{
	{engine.Resources, "resources", "uris"},
	{engine.Templates, "templates", "templates"},
	{engine.Prompts, "prompts", "prompts"},
	{engine.Tools, "tools", "tools"},
	{skill.Kind, "skills", "skills"},
}

// register adds what the web app serves by itself: input[:n] is a JSON object of
// resources, templates, prompts, tools and skills, arrays of the descriptions that clients
// see. Besides what those may see, one may have cacheHints, task, and completes, the
// names of what can be completed. The one with index i, in that order, has the
// number first+i in JavaScript. What is not valid is left out, and named in one report.
//
//go:wasmexport register
func register(first, n int32) (result int32) {
	defer recovered("register", &result)
	ref := sink.Ref(first)
	var entries []engine.Entry
	var refusal error
	for _, of := range batchMembers {
		err := eachElement(input[:n], of.entries, func(element []byte) error {
			entries = append(entries, readEntry(of.kind, ref, element))
			ref++
			return nil
		})
		refusal = errors.Join(refusal, err)
	}
	if refusal = errors.Join(refusal, app.Put(entries...)); refusal != nil {
		report("register: " + refusal.Error())
	}
	return done
}

// readEntry returns what register gets for one description.
func readEntry(k engine.Kind, ref sink.Ref, element []byte) engine.Entry {
	e := engine.Entry{Kind: k, Ref: ref}
	switch k {
	case engine.Prompts:
		e.Call = caller(opGetPrompt, ref)
	case engine.Tools:
		e.Call = caller(opCallTool, ref)
	}
	s := jsonrpc.Scan(element)
	e.JSON = element
	for s.Next() {
		name := string(s.Name)
		switch name {
		case "cacheHints":
			e.Cache = readCache(s.Value)
		case "completes":
			e.Complete = completer(ref, readTexts(s.Value))
		case "task":
			e.Extra = taskTool(s.Value, ref)
		default:
			continue
		}
		rest := emit.JSON("{") // clients do not see this member
		rest.Members(e.JSON, func(other string) bool { return other != name })
		e.JSON = append(rest, '}')
	}
	return e
}

// unregister takes away what register added: input[:n] is a JSON object of uris,
// templates, prompts, tools and skills, arrays of strings.
//
//go:wasmexport unregister
func unregister(n int32) (result int32) {
	defer recovered("unregister", &result)
	for _, of := range batchMembers {
		app.Remove(of.kind, readTexts(jsonrpc.Member(input[:n], of.keys))...)
	}
	return done
}
