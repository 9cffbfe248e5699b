package main

import (
	"bytes"
	"context"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// What JavaScript can be asked.
const (
	askList int32 = iota + 1
	askRead
	askTemplates
	askHas
	askWatching
)

// What a JavaScript source has besides list and read.
const (
	hasTemplates int32 = 1 << iota
	hasWatch
)

// A jsSource is a source whose code is JavaScript. Each question starts with an
// import that records it; the goroutine that asked waits until told.
type jsSource struct {
	number   int32
	able     int32               // hasTemplates, hasWatch
	changed  func(engine.Change) // while it is watched, else nil
	watching bool                // JavaScript has said that it watches
	watches  int                 // how often Follow was called
}

type mountedSource struct {
	source  *jsSource
	unmount func()
}

// An answer is what told brought.
type answer struct {
	json []byte
	err  error
}

// mount mounts the JavaScript source of the shim's number. input[:n] is the
// prefix.
//
//go:wasmexport mount
func mount(source, able, n int32) (result int32) {
	defer survive("mount", &result)
	s := &jsSource{number: source, able: able}
	mounted[source] = &mountedSource{s, serving.Mount(string(input[:n]), s)}
	return done
}

//go:wasmexport unmount
func unmount(source int32) (result int32) {
	defer survive("unmount", &result)
	if m := mounted[source]; m != nil {
		delete(mounted, source)
		m.unmount()
	}
	return done
}

// told brings the answer to a question: a reason why there is none, or, if that
// is 0, the first n bytes of input. Answers to questions that were given up are
// ignored.
//
//go:wasmexport told
func told(question, reason, n int32) (result int32) {
	defer survive("told", &result)
	waiting := asked[question]
	if waiting == nil {
		return done
	}
	delete(asked, question)
	if reason == reasonNone {
		waiting <- answer{json: bytes.Clone(input[:n])} // has room: never blocks
	} else {
		waiting <- answer{err: reasonError(reason)}
	}
	return done
}

// changed says that a source changed: input[:n] is a URI of its own; n below 0:
// its list. under is 1 if that goes for whatever begins with the URI, too. Source
// 0 is what the web app registered.
//
//go:wasmexport changed
func changed(source, n, under int32) (result int32) {
	defer survive("changed", &result)
	change := engine.Change{List: true}
	if n >= 0 {
		change = engine.Change{URI: string(input[:n]), Under: under != 0}
	}
	if source == 0 {
		app.Changed(change.URI)
	} else if m := mounted[source]; m != nil && m.source.changed != nil {
		m.source.changed(change)
	}
	return done
}

// lastQuestion numbers the questions.
var lastQuestion int32

func (s *jsSource) ask(ctx context.Context, what int32, text string) ([]byte, error) {
	lastQuestion = max(lastQuestion+1, 1)
	question := lastQuestion
	waiting := make(chan answer, 1) // room for one: told must not block
	asked[question] = waiting
	ask(question, s.number, what, text)
	select {
	case a := <-waiting:
		return a.json, a.err
	case <-ctx.Done():
		delete(asked, question)
		unask(question)
		return nil, ctx.Err()
	}
}

// List implements [engine.Source].
func (s *jsSource) List(ctx context.Context, cursor string) (engine.Listing, error) {
	text, err := s.ask(ctx, askList, cursor)
	if err != nil {
		return engine.Listing{}, err
	}
	return readListing(text)
}

// Read implements [engine.Source]. What it returns are references: text and blobs
// stay in JavaScript.
func (s *jsSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	text, err := s.ask(ctx, askRead, uri)
	if err != nil {
		return nil, err
	}
	return readContents(text)
}

// Has implements [engine.Finder].
func (s *jsSource) Has(ctx context.Context, uri string) (bool, error) {
	if _, err := s.ask(ctx, askHas, uri); err != nil {
		return false, err // not found, too
	}
	return true, nil
}

// Templates implements [engine.Templater].
func (s *jsSource) Templates(ctx context.Context) ([]engine.Template, error) {
	if s.able&hasTemplates == 0 {
		return nil, nil
	}
	text, err := s.ask(ctx, askTemplates, "")
	if err != nil {
		return nil, err
	}
	return readTemplates(text)
}

// Follow implements [engine.Follower].
func (s *jsSource) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	if s.able&hasWatch == 0 {
		return s
	}
	s.watches++
	this := s.watches
	s.changed, s.watching = changed, false
	watch(s.number, 1)
	context.AfterFunc(ctx, func() {
		if s.watches == this { // else it is watched anew
			s.changed, s.watching = nil, false
			watch(s.number, 0)
		}
	})
	return s
}

// Want implements [engine.Following]. Which URIs they are is nothing to
// JavaScript, but that it watches has to be certain before anybody is told so:
// the source may be in another thread.
func (s *jsSource) Want(ctx context.Context, _ []string) error {
	if s.able&hasWatch == 0 || s.watching {
		return nil
	}
	if _, err := s.ask(ctx, askWatching, ""); err != nil {
		return err
	}
	s.watching = s.changed != nil
	return nil
}

//go:wasmimport pagemcp ask
func ask(question, source, what int32, text string)

//go:wasmimport pagemcp unask
func unask(question int32)

//go:wasmimport pagemcp watch
func watch(source, on int32)
