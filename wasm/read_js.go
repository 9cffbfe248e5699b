package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// These functions read what our own TypeScript wrote with JSON.stringify. The
// web app decides what is in it, so types are checked; what is not known is left
// out. Raw members share no memory with the text.

// eachElement calls each for the elements of an array that is a member of object.
// A member that is absent has none.
func eachElement(object []byte, member string, each func(element []byte) error) error {
	var failure error
	refusal := jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		if name != member {
			return nil
		}
		elements, ok := jsonrpc.Elements(value)
		if !ok {
			failure = fmt.Errorf("%s must be an array", member)
		}
		for _, element := range elements {
			if failure == nil {
				failure = each(element)
			}
		}
		return nil
	})
	if refusal != nil {
		return refusal
	}
	return failure
}

func readListing(text []byte) (engine.Listing, error) {
	var listing engine.Listing
	err := eachElement(text, "resources", func(element []byte) error {
		resource, err := engine.ParseResource(element)
		listing.Resources = append(listing.Resources, resource)
		return err
	})
	refusal := jsonrpc.Members(text, func(name string, value []byte) *jsonrpc.Error {
		if name == "nextCursor" {
			listing.Next, _ = jsonrpc.Text(value)
		}
		return nil
	})
	if refusal != nil {
		return listing, refusal
	}
	return listing, err
}

func readTemplates(text []byte) ([]engine.Template, error) {
	var templates []engine.Template
	err := eachElement(text, "templates", func(element []byte) error {
		template, err := engine.ParseTemplate(element)
		templates = append(templates, template)
		return err
	})
	return templates, err
}

// readContents reads items whose text or blob is a reference.
func readContents(text []byte) ([]engine.Contents, error) {
	var contents []engine.Contents
	err := eachElement(text, "contents", func(element []byte) error {
		var item engine.Contents
		refusal := jsonrpc.Members(element, func(name string, value []byte) *jsonrpc.Error {
			switch name {
			case "uri":
				item.URI, _ = jsonrpc.Text(value)
			case "mimeType":
				item.MIMEType, _ = jsonrpc.Text(value)
			case "ref":
				ref, _ := jsonrpc.Int(value)
				item.Ref = engine.Ref(ref)
			case "_meta":
				if value[0] == '{' {
					item.Meta = bytes.Clone(value)
				}
			case "cacheHints":
				item.Cache = readCache(value)
			}
			return nil
		})
		contents = append(contents, item)
		if refusal != nil {
			return refusal
		}
		return nil
	})
	return contents, err
}

// readCache reads {ttlMs, cacheScope}, or nothing.
//
//go:noinline
func readCache(object []byte) (cache engine.Cache) {
	if object != nil {
		ms, _ := jsonrpc.Int(member(object, "ttlMs"))
		cache.TTL = time.Duration(ms) * time.Millisecond
		cache.Public = string(member(object, "cacheScope")) == `"public"`
	}
	return cache
}

// readTexts reads an array of strings; nil: there is none.
func readTexts(array []byte) (all []string) {
	elements, _ := jsonrpc.Elements(array)
	for _, element := range elements {
		text, _ := jsonrpc.Text(element)
		all = append(all, text)
	}
	return all
}
