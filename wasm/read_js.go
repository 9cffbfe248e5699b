package main

import (
	"bytes"
	"errors"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// These functions read what our own TypeScript wrote with JSON.stringify. The
// web app decides what is in it, so types are checked; what is not known is left
// out. Raw members share no memory with the text.

// eachElement calls each for the elements of an array that is a member of object.
// A member that is absent has none.
func eachElement(object []byte, name string, each func(element []byte) error) error {
	array := jsonrpc.Member(object, name)
	if array == nil {
		return nil
	}
	elements, ok := jsonrpc.Elements(array)
	if !ok {
		return errors.New(name + " must be an array")
	}
	for _, element := range elements {
		if err := each(element); err != nil {
			return err
		}
	}
	return nil
}

// readEntries reads an array of what a source lists, that is a member of object. Entries that are not valid are left
// out: one error names the first of them, and its index.
func (s *jsSource) readEntries(object []byte, name string, add func(element []byte) error) error {
	index, wrong, first := 0, 0, ""
	err := eachElement(object, name, func(element []byte) error {
		if refusal := add(element); refusal != nil {
			if wrong++; wrong == 1 {
				first = name + "[" + strconv.Itoa(index) + "]: " + refusal.Error()
			}
		}
		index++
		return nil
	})
	if wrong > 1 {
		first += "; " + strconv.Itoa(wrong) + " entries are not valid"
	}
	s.reportEntries(first)
	return err
}

// reportEntries reports what is wrong with a list, once.
func (s *jsSource) reportEntries(text string) {
	if _, is := s.reported[text]; is || text == "" || len(s.reported) >= maxReported {
		return
	}
	if s.reported == nil {
		s.reported = map[string]struct{}{}
	}
	s.reported[text] = struct{}{}
	report("the list of a source leaves out " + text)
}

// maxReported is how many errors in its lists are reported of one source.
const maxReported = 32

// readContents reads items whose text or blob is a reference.
func readContents(text []byte) ([]engine.Contents, error) {
	var contents []engine.Contents
	err := eachElement(text, "contents", func(element []byte) error {
		var item engine.Contents
		s := jsonrpc.Scan(element)
		for s.Next() {
			switch string(s.Name) {
			case "uri":
				item.URI, _ = jsonrpc.Text(s.Value)
			case "mimeType":
				item.MIMEType, _ = jsonrpc.Text(s.Value)
			case "ref":
				ref, _ := jsonrpc.Int(s.Value)
				item.Ref = sink.Ref(ref)
			case "_meta":
				if s.Value[0] == '{' {
					item.Meta = bytes.Clone(s.Value)
				}
			case "cacheHints":
				item.Cache = readCache(s.Value)
			}
		}
		contents = append(contents, item)
		return nil
	})
	return contents, err
}

// readCache reads {ttlMs, cacheScope}, or nothing.
//
//go:noinline
func readCache(object []byte) (cache engine.Cache) {
	if object != nil {
		ms, _ := jsonrpc.Int(jsonrpc.Member(object, "ttlMs"))
		cache.TTL = time.Duration(ms) * time.Millisecond
		cache.Public = string(jsonrpc.Member(object, "cacheScope")) == `"public"`
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
