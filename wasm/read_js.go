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

// readCache reads {ttlMs, cacheScope}.
func readCache(object []byte) (cache engine.Cache) {
	jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "ttlMs":
			ms, _ := jsonrpc.Int(value)
			cache.TTL = time.Duration(ms) * time.Millisecond
		case "cacheScope":
			cache.Public = string(value) == `"public"`
		}
		return nil
	})
	return cache
}

// An aside is what a description says besides what clients see.
type aside struct {
	cache     engine.Cache
	completes []string // arguments or variables that have completions
}

func readAside(description []byte) (a aside) {
	if !bytes.Contains(description, []byte(`"cacheHints":`)) && !bytes.Contains(description, []byte(`"completes":`)) {
		return a // nearly always, and there may be many
	}
	jsonrpc.Members(description, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "cacheHints":
			a.cache = readCache(value)
		case "completes":
			a.completes = readTexts(value)
		}
		return nil
	})
	return a
}

// readTexts reads an array of strings.
func readTexts(array []byte) (all []string) {
	elements, _ := jsonrpc.Elements(array)
	for _, element := range elements {
		text, _ := jsonrpc.Text(element)
		all = append(all, text)
	}
	return all
}
