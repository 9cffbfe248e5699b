package main

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// Operations of a JavaScript source.
const (
	opList int32 = iota + 1
	opRead
	opTemplates
	opHas
	opWatching
	opGetPrompt
	opCallTool
	opComplete
	opPrompts
	opTools
	opAccess
	opPrepare
	opReply
)

// Abilities of a JavaScript source besides list and read.
const (
	hasTemplates int32 = 1 << iota
	hasWatch
	hasPrompts
	hasTools
	hasComplete
)

// A jsSource is a source whose code is JavaScript. Each call starts with an
// import that records it; its goroutine waits for answerCall.
type jsSource struct {
	number   int32
	able     int32               // hasTemplates, hasWatch, …
	changed  func(engine.Change) // while it is watched, else nil
	watching bool                // JavaScript has confirmed that it watches
	watches  int                 // how often Follow was called
	wanted   map[string]struct{} // by Want, until it is watched
	arming   chan struct{}       // closed when JavaScript has confirmed it; nil: not requested yet
	reported map[string]struct{} // errors in its lists
}

type mountedSource struct {
	source  *jsSource
	unmount func()
}

// A sourceCall is a call of JavaScript that waits for its answer, on behalf of a request.
type sourceCall struct {
	answer  chan answer // has room for it: answerCall must not block
	of      *engine.Invocation
	ctx     context.Context
	refused error // of the last question to the client
}

// An answer is that of answerCall: a reason why there is none, or JSON text. Some
// reasons have text, too; of reasonRefused it is why the client was not asked.
type answer struct {
	reason  int32
	text    []byte
	refused error
}

// mount mounts the JavaScript source of the shim's number. input[:n] is the
// prefix.
//
//go:wasmexport mount
func mount(source, able, n int32) (result int32) {
	defer recovered("mount", &result)
	s := &jsSource{number: source, able: able}
	mounted[source] = &mountedSource{s, serving.Mount(string(input[:n]), s)}
	return done
}

//go:wasmexport unmount
func unmount(source int32) (result int32) {
	defer recovered("unmount", &result)
	if m := mounted[source]; m != nil {
		delete(mounted, source)
		m.unmount()
	}
	return done
}

// answerCall passes the answer to a call: a reason why there is none, and the first
// n bytes of input. Answers to cancelled calls are ignored.
//
//go:wasmexport answerCall
func answerCall(number, reason, n int32) (result int32) {
	defer recovered("answerCall", &result)
	if q := sourceCalls[number]; q != nil {
		delete(sourceCalls, number)
		a := answer{reason: reason, text: bytes.Clone(input[:n])}
		if reason == reasonRefused {
			a.refused = q.refused
		}
		q.answer <- a
	}
	return done
}

// changed announces that a source changed: input[:n] is a URI of its own; n below 0: a
// list, -1 that of resources, -2 of prompts, -3 of tools. under is 1 if everything
// that begins with the URI changed too. Source 0 is what the web app registered.
// It answers idle to a change that no client has asked for.
//
//go:wasmexport changed
func changed(source, n, under int32) (result int32) {
	defer recovered("changed", &result)
	change := engine.Change{List: n == -1, Prompts: n == -2, Tools: n == -3}
	if n >= 0 {
		change = engine.Change{URI: string(input[:n]), Under: under != 0}
	}
	if source == 0 && n < 0 {
		app.Announce(change)
	} else if source == 0 {
		if !serving.HasSubscribers(change.URI) {
			return checkNamed(change.URI)
		}
		app.Changed(change.URI)
	} else if m := mounted[source]; m != nil && m.source.changed != nil {
		m.source.changed(change)
	}
	return done
}

// checkNamed reports a change of what does not exist, about which no client would hear. It answers idle, or done if it
// waits for sources: then no further change is checked.
func checkNamed(uri string) int32 {
	if known, _ := app.Has(context.Background(), uri); known || checksNamed {
		return idle
	}
	checksNamed = true
	go func() { // ends when the sources have answered, or after watchingTimeout
		defer func() { checksNamed = false }()
		ctx, cancel := context.WithTimeout(context.Background(), watchingTimeout)
		defer cancel()
		if err := serving.Names(ctx, uri); err != nil && ctx.Err() == nil {
			report("changed(" + jsonrpc.Quoted(uri) + "): " + err.Error())
		}
	}()
	return done
}

var checksNamed bool

// lastSourceCall numbers the calls.
var lastSourceCall int32

// request calls the source in JavaScript, and returns an error if there is no answer.
func (s *jsSource) request(ctx context.Context, what int32, text string) ([]byte, error) {
	a, err := s.exchange(ctx, what, text)
	if err == nil && a.reason != reasonNone {
		err = reasonError(a.reason)
	}
	return a.text, err
}

func (s *jsSource) exchange(ctx context.Context, what int32, text string) (a answer, err error) {
	lastSourceCall = max(lastSourceCall+1, 1)
	number := lastSourceCall
	q := &sourceCall{answer: make(chan answer, 1), of: engine.InvocationOf(ctx), ctx: ctx}
	sourceCalls[number] = q
	callSource(number, s.number, what, text, clientOf(ctx))
	select {
	case a = <-q.answer:
	case <-ctx.Done():
		delete(sourceCalls, number)
		cancelCall(number)
		err = ctx.Err()
	}
	return a, err
}

// clientOf returns the client on whose behalf a source is called, as grants name it.
func clientOf(ctx context.Context) string { return engine.AssistantOf(engine.PrincipalOf(ctx)) }

// A listOf is how a source in JavaScript lists a kind: the ability that it needs, the operation, and the member of its
// answer.
type listOf struct {
	kind       engine.Kind
	able, what int32
	member     string
}

var lists = [...]listOf{
	{engine.Resources, 0, opList, "resources"},
	{engine.Templates, hasTemplates, opTemplates, "templates"},
	{engine.Prompts, hasPrompts, opPrompts, "prompts"},
	{engine.Tools, hasTools, opTools, "tools"},
}

// List implements [engine.Source].
func (s *jsSource) List(ctx context.Context, k engine.Kind, cursor string) (listing engine.Listing, err error) {
	at := slices.IndexFunc(lists[:], func(l listOf) bool { return l.kind == k })
	if at < 0 || s.able&lists[at].able != lists[at].able {
		return listing, nil
	}
	text, err := s.request(ctx, lists[at].what, cursor)
	if err != nil {
		return listing, err
	}
	if k == engine.Resources {
		listing.Next, _ = jsonrpc.Text(jsonrpc.Member(text, "nextCursor"))
	}
	err = s.readEntries(text, lists[at].member, func(element []byte) error {
		item, err := k.ParseOwn(element)
		if err == nil {
			listing.Items = append(listing.Items, item)
		}
		return err
	})
	return listing, err
}

// Read implements [engine.Source]. What it returns are references: text and blobs
// stay in JavaScript.
func (s *jsSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	text, err := s.request(ctx, opRead, uri)
	if err != nil {
		return nil, err
	}
	return readContents(text)
}

// Has implements [engine.Finder].
func (s *jsSource) Has(ctx context.Context, uri string) (bool, error) {
	if _, err := s.request(ctx, opHas, uri); err != nil {
		return false, err // also if it is not found
	}
	return true, nil
}

// Follow implements [engine.Follower].
func (s *jsSource) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	if s.able&hasWatch == 0 {
		return s
	}
	s.watches++
	this := s.watches
	s.changed, s.watching, s.arming, s.wanted = changed, false, nil, map[string]struct{}{}
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
func (s *jsSource) Want(add, drop []engine.Topic) (armed <-chan struct{}) {
	if s.able&hasWatch == 0 || s.watching {
		return nil
	}
	for _, t := range drop {
		delete(s.wanted, t.URI)
	}
	for _, t := range add {
		s.wanted[t.URI] = struct{}{}
	}
	if s.arming == nil {
		s.arming = make(chan struct{})
		go s.arm(s.arming, s.watches) // ends with the answer, or when it is watched no more
	}
	return s.arming
}

// arm requests a confirmation of JavaScript until it watches. If that fails at first, clients do
// not wait, and what may have changed meanwhile is announced.
func (s *jsSource) arm(armed chan struct{}, watch int) {
	armedOnce := sync.OnceFunc(func() { close(armed) })
	defer armedOnce()
	failed := false
	for s.watches == watch && s.changed != nil {
		ctx, cancel := context.WithTimeout(context.Background(), watchingTimeout)
		_, err := s.request(ctx, opWatching, "")
		cancel()
		if s.watches != watch || s.changed == nil {
			return
		}
		if err != nil {
			if ctx.Err() != context.DeadlineExceeded {
				failed = true
				armedOnce()
			}
			time.Sleep(watchingAgain)
			continue
		}
		s.watching = true
		armedOnce()
		if failed {
			for uri := range s.wanted {
				s.changed(engine.Change{URI: uri})
			}
			s.changed(engine.Change{List: true, Prompts: true, Tools: true})
		}
		s.wanted = nil
		return
	}
}

// watchingTimeout is how long JavaScript may take to confirm that it watches, before
// the next request; watchingAgain is the delay after an error.
const (
	watchingTimeout = 30 * time.Second
	watchingAgain   = 5 * time.Second
)

//go:wasmimport pagemcp callSource
func callSource(call, source, what int32, text, client string)

//go:wasmimport pagemcp cancelCall
func cancelCall(call int32)

//go:wasmimport pagemcp watch
func watch(source, on int32)
