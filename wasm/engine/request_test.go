package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// listingSink keeps the outcomes of calls as texts.
type listingSink struct {
	sink.Sink
	answers []string
}

// took notes an answer that Take has returned.
func (s *listingSink) took(doc *sink.Document, ref sink.Ref, outcome sink.Outcome) sink.Outcome {
	if outcome == sink.Answered {
		s.answers = append(s.answers, fmt.Sprintf("%s [%d]", doc.JSON, ref))
	}
	return outcome
}

func (s *listingSink) Respond(_ sink.Call, r sink.Result) {
	s.answers = append(s.answers, fmt.Sprintf("%s %v %s", r.Document.JSON, r.Refs, r.URI))
}
func (s *listingSink) Fail(_ sink.Call, err *jsonrpc.Error) {
	s.answers = append(s.answers, string(err.Append(nil)))
}

// A referring source has its contents with the Sink.
type referring struct{ notes }

func (referring) Refer(uri string) engine.Reference {
	if uri != "ref://seven" {
		return engine.Reference{}
	}
	return engine.Reference{Ref: 7, MIMEType: "text/plain"}
}

// Any source can answer a read by reference, at once and without its Read; what it
// has no reference for is read.
func TestReferrerIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
		e.Mount("", referring{notes{"ref://text": "2 apples"}})
		read := sink.Method(slices.Index(e.Methods(), "resources/read"))
		for uri, want := range map[string]struct {
			outcome sink.Outcome
			answer  string
		}{
			"ref://seven": {sink.Answered, `{"contents":[{"uri":"","mimeType":"text/plain","_meta":{}}]} [7]`},
			"ref://text":  {sink.Pending, `"text":"2 apples"`},
		} {
			answers := &listingSink{}
			c := e.Connect(answers, "")
			c.Take(1, 1, []byte(`{"protocolVersion":"2025-11-25"}`))
			if outcome := answers.took(c.Take(2, read, engine.Describe("uri", uri))); outcome != want.outcome {
				t.Errorf("%s: outcome is %v, want %v", uri, outcome, want.outcome)
			}
			synctest.Wait()
			c.Close()
			if len(answers.answers) != 1 || !strings.Contains(answers.answers[0], want.answer) {
				t.Errorf("%s: answers are %q, want %s", uri, answers.answers, want.answer)
			}
		}
	})
}

// An early reader keeps what it was asked last, and has the contents of one URI.
type early struct {
	notes
	requests []string
}

func (e *early) ReadEarly(begin func() context.Context, uri string) []engine.Contents {
	inputs, _ := engine.InvocationOf(begin()).Round()
	e.requests = append(e.requests, fmt.Sprintf("%s %s", uri, inputs))
	if uri != "kept://there" {
		return nil
	}
	return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: "3 pears"}}
}

// What an early reader has is answered before Take returns, without its Read; the rest is read. It
// sees the request as Read does.
func TestEarlyReaderAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for params, want := range map[string]struct {
			outcome sink.Outcome
			answer  string
			request string
		}{
			`"uri":"kept://there"`:                                  {sink.Sent, `"text":"3 pears"`, "kept://there "},
			`"uri":"slow://there"`:                                  {sink.Pending, `"text":"waited for"`, "slow://there "},
			`"uri":"kept://there","inputResponses":{"a":{"b":"c"}}`: {sink.Sent, `"text":"3 pears"`, `kept://there {"a":{"b":"c"}}`},
		} {
			source := &early{notes: notes{"slow://there": "waited for"}}
			e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
			e.Mount("", source)
			answers := &listingSink{}
			c := e.Connect(answers, "")
			params = `{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
			outcome := answers.took(c.Take(2, readMethod(e), []byte(params)))
			if outcome != want.outcome {
				t.Errorf("%s: outcome is %v, want %v", params, outcome, want.outcome)
			}
			if outcome == sink.Sent && len(answers.answers) != 1 {
				t.Errorf("%s: answers are %q when Take returns", params, answers.answers)
			}
			synctest.Wait()
			c.Close()
			if len(answers.answers) != 1 || !strings.Contains(answers.answers[0], want.answer) || !slices.Equal(source.requests, []string{want.request}) {
				t.Errorf("%s: answers are %q, requests are %q", params, answers.answers, source.requests)
			}
		}
	})
}

// A slow modern request and a handshake on one connection do not race: run
// it with the race detector. R-058.
func TestInitializeBesideASlowRequest(t *testing.T) {
	e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
	e.Mount("", notes{"slow://there": "waited for"})
	near, far := jsonrpc.Pipe()
	served := make(chan error, 1)
	go func() { served <- e.Serve(t.Context(), far) }()
	for _, msg := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{}},"uri":"slow://there"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
	} {
		if err := near.Write(t.Context(), []byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if msg, err := near.Read(t.Context()); err != nil || !strings.Contains(string(msg), `"result"`) {
			t.Errorf("answer is %s, %v", msg, err)
		}
	}
	near.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// notes is the smallest source: a map from URIs to texts.
type notes map[string]string

func (n notes) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	if k != engine.Resources {
		return listing, nil
	}
	for uri := range n {
		listing.Items = append(listing.Items, engine.Item{Key: uri, JSON: engine.Describe("uri", uri, "name", uri)})
	}
	return listing, nil
}

func (n notes) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	text, ok := n[uri]
	if !ok {
		return nil, engine.ErrNotFound
	}
	return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: text}}, nil
}

// A request gets its own envelope, whether or not it is that of the request before.
func TestEachRequestHasItsOwnEnvelope(t *testing.T) {
	table := engine.NewTable()
	if err := table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://kept", "name", "kept"), Ref: 7}); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
	e.Mount("", table)
	const (
		version      = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		capabilities = `"io.modelcontextprotocol/clientCapabilities":{}`
		whole        = `{` + version + `,` + capabilities + `}`
		uri          = `"uri":"notes://kept"`
	)
	metas := []string{
		whole, whole,
		`{` + version + `}`, // lacks the capabilities
		whole,
		`{` + version + `,` + capabilities + `,"progressToken":{}}`, // no token
		`{` + capabilities + `}`,                                    // a classic request without a session
		whole,
		`{` + version + `,` + capabilities + `,"long":"` + strings.Repeat("x", 2000) + `"}`,
		whole,
	}
	shapes := []string{`{"_meta":%s,` + uri + `}`, `{` + uri + `,"_meta":%s}`, `{` + uri + `,"_meta":%s`,
		`{"_meta":%s,"_meta":{"a":1},` + uri + `}`, `{"_meta":{"a":1},"arguments":%s,"_meta":%s,` + uri + `}`}
	last := &listingSink{}
	one := e.Connect(last, "")
	for _, meta := range metas {
		for _, shape := range append(shapes, `{`+uri+`}`) {
			params := []byte(strings.ReplaceAll(shape, "%s", meta))
			last.answers = nil
			last.took(one.Take(1, readMethod(e), params))
			fresh := &listingSink{}
			fresh.took(e.Connect(fresh, "").Take(1, readMethod(e), params))
			if len(last.answers) != 1 || !slices.Equal(last.answers, fresh.answers) {
				t.Errorf("%.200s: %q, after other requests %q", params, fresh.answers, last.answers)
			}
			clear(params) // they are the caller's again
		}
	}
}

func readMethod(e *engine.Engine) sink.Method {
	return sink.Method(slices.Index(e.Methods(), "resources/read"))
}

// Only a read that is answered at once says that no goroutine wants to run.
func TestMessageOfAReadIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := engine.NewTable()
		if err := table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://kept", "name", "kept"), Ref: 7}); err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
		e.Mount("", table)
		e.Mount("", notes{"slow://there": "waited for"})
		s := &messageSink{}
		c := e.Connect(s, "")
		for i, step := range []struct {
			message string
			isIdle  bool
		}{
			{`"method":"initialize","params":{"protocolVersion":"2025-03-26"}`, false},
			{`"method":"resources/read","params":{"uri":"notes://kept"}`, true},
			{`"method":"resources/read","params":{"uri":"slow://there"}`, false},
			{`"method":"resources/read","params":{"uri":"notes://none"}`, false},
			{`"method":"resources/read","params":{}`, false},
			{`"method":"resources/subscribe","params":{"uri":"notes://kept"}`, false},
			{`"method":"resources/list"`, false},
		} {
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, step.message)
			s.answers = nil
			if isIdle := c.Message([]byte(message)); isIdle != step.isIdle {
				t.Errorf("%s: idle is %t", message, isIdle)
			}
			if step.isIdle && len(s.answers) != 1 {
				t.Errorf("%s: answers are %q", message, s.answers)
			}
			synctest.Wait()
		}
		c.Close()
	})
}

// A messageSink opens calls.
type messageSink struct {
	listingSink
	last sink.Call
}

func (s *messageSink) Open(jsonrpc.ID) (sink.Call, bool) {
	s.last++
	return s.last, true
}
