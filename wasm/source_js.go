package main

import (
	"bytes"
	"context"
	"time"

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
	askGetPrompt
	askCallTool
	askComplete
	askPrompts
	askTools
	askExtend
)

// What a JavaScript source has besides list and read.
const (
	hasTemplates int32 = 1 << iota
	hasWatch
	hasPrompts
	hasTools
	hasComplete
)

// A jsSource is a source whose code is JavaScript. Each question starts with an
// import that records it; the goroutine that asked waits until told.
type jsSource struct {
	number   int32
	able     int32               // hasTemplates, hasWatch, …
	changed  func(engine.Change) // while it is watched, else nil
	watching bool                // JavaScript has said that it watches
	watches  int                 // how often Follow was called
	wanted   []string            // by Want
	arming   chan struct{}       // closed when JavaScript has said so; nil: it was not asked
}

type mountedSource struct {
	source  *jsSource
	unmount func()
}

// A question waits for its answer, on behalf of a request.
type question struct {
	answer chan answer // has room for it: told must not block
	of     *engine.Invocation
}

// An answer is what told brought: a reason why there is none, or JSON text. Some
// reasons have text, too.
type answer struct {
	reason int32
	text   []byte
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

// told brings the answer to a question: a reason why there is none, and the first
// n bytes of input. Answers to questions that were given up are ignored.
//
//go:wasmexport told
func told(number, reason, n int32) (result int32) {
	defer survive("told", &result)
	if q := asked[number]; q != nil {
		delete(asked, number)
		q.answer <- answer{reason, bytes.Clone(input[:n])}
	}
	return done
}

// changed says that a source changed: input[:n] is a URI of its own; n below 0: a
// list, -1 that of resources, -2 of prompts, -3 of tools. under is 1 if that goes
// for whatever begins with the URI, too. Source 0 is what the web app registered.
//
//go:wasmexport changed
func changed(source, n, under int32) (result int32) {
	defer survive("changed", &result)
	change := engine.Change{List: n == -1, Prompts: n == -2, Tools: n == -3}
	if n >= 0 {
		change = engine.Change{URI: string(input[:n]), Under: under != 0}
	}
	if source == 0 && n < 0 {
		app.Announce(change)
	} else if source == 0 {
		app.Changed(change.URI)
	} else if m := mounted[source]; m != nil && m.source.changed != nil {
		m.source.changed(change)
	}
	return done
}

// lastQuestion numbers the questions.
var lastQuestion int32

// ask asks JavaScript's source of that number, and makes an error of the reason
// why there is no answer.
func (s *jsSource) ask(ctx context.Context, what int32, text string) ([]byte, error) {
	a, err := s.put(ctx, what, text)
	if err == nil && a.reason != reasonNone {
		err = reasonError(a.reason)
	}
	return a.text, err
}

func (s *jsSource) put(ctx context.Context, what int32, text string) (a answer, err error) {
	lastQuestion = max(lastQuestion+1, 1)
	number := lastQuestion
	q := &question{make(chan answer, 1), engine.InvocationOf(ctx)}
	asked[number] = q
	ask(number, s.number, what, text)
	select {
	case a = <-q.answer:
	case <-ctx.Done():
		delete(asked, number)
		unask(number)
		err = ctx.Err()
	}
	return a, err
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
	s.changed, s.watching, s.arming = changed, false, nil
	watch(s.number, 1)
	context.AfterFunc(ctx, func() {
		if s.watches == this { // else it is watched anew
			s.changed, s.watching, s.arming = nil, false, nil
			watch(s.number, 0)
		}
	})
	return s
}

// Want implements [engine.Following]. JavaScript watches all URIs or none, but it
// has to be certain that it does before a client is acknowledged: the source may
// be in another thread.
func (s *jsSource) Want(uris []string) (armed <-chan struct{}) {
	if s.able&hasWatch == 0 || s.watching {
		return nil
	}
	s.wanted = uris
	if s.arming == nil {
		s.arming = make(chan struct{})
		go s.arm(s.arming, s.watches) // ends with the answer, or when it is watched no more
	}
	return s.arming
}

// arm asks JavaScript until it watches. If that takes longer than clients wait for
// it, or failed at first, what may have changed meanwhile is announced.
func (s *jsSource) arm(armed chan struct{}, watch int) {
	began, answered := time.Now(), false
	for s.watches == watch && s.changed != nil {
		ctx, cancel := context.WithTimeout(context.Background(), watchingTimeout)
		_, err := s.ask(ctx, askWatching, "")
		cancel()
		if s.watches != watch || s.changed == nil {
			return
		}
		if err != nil {
			if !answered && ctx.Err() != context.DeadlineExceeded {
				answered = true
				close(armed) // clients need not wait any longer
			}
			time.Sleep(watchingAgain)
			continue
		}
		s.watching = true
		if !answered {
			close(armed)
		}
		if answered || time.Since(began) > engine.ArmTimeout/2 {
			for _, uri := range s.wanted {
				s.changed(engine.Change{URI: uri})
			}
			s.changed(engine.Change{List: true, Prompts: true, Tools: true})
		}
		return
	}
}

// watchingTimeout is how long JavaScript may take to say that it watches, before it
// is asked again; and watchingAgain when it is after an error.
const (
	watchingTimeout = 30 * time.Second
	watchingAgain   = 5 * time.Second
)

//go:wasmimport pagemcp ask
func ask(question, source, what int32, text string)

//go:wasmimport pagemcp unask
func unask(question int32)

//go:wasmimport pagemcp watch
func watch(source, on int32)
