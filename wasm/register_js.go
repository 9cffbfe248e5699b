package main

import (
	"errors"
	"fmt"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// register adds what the web app serves by itself: input[:n] is a JSON object of
// resources and templates, arrays of the descriptions that clients see. The one
// with index i, resources first, is read from the provider with number first+i.
//
//go:wasmexport register
func register(first, n int32) (result int32) {
	defer survive("register", &result)
	ref := engine.Ref(first)
	var resources []engine.Entry
	var templates []engine.TemplateEntry
	refusal := eachElement(input[:n], "resources", func(element []byte) error {
		resource, err := engine.ParseResource(element)
		resources = append(resources, engine.Entry{Resource: resource, Ref: ref})
		ref++
		return describe("resource", resource.URI, err)
	})
	refusal = errors.Join(refusal, eachElement(input[:n], "templates", func(element []byte) error {
		template, err := engine.ParseTemplate(element)
		templates = append(templates, engine.TemplateEntry{Template: template, Ref: ref})
		ref++
		return describe("template", template.URITemplate, err)
	}))
	if refusal == nil {
		refusal = errors.Join(app.Put(resources...), app.PutTemplate(templates...))
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

// unregister takes away what register added: input[:n] is a JSON object of uris
// and templates, arrays of strings.
//
//go:wasmexport unregister
func unregister(n int32) (result int32) {
	defer survive("unregister", &result)
	names := func(member string) (all []string) {
		eachElement(input[:n], member, func(element []byte) error {
			name, _ := jsonrpc.Text(element)
			all = append(all, name)
			return nil
		})
		return all
	}
	if uris := names("uris"); len(uris) > 0 {
		app.Remove(uris...)
	}
	if templates := names("templates"); len(templates) > 0 {
		app.RemoveTemplate(templates...)
	}
	return done
}
