package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A recordingSink is a Sink that records the outcomes of requests. It fails the test if
// one is answered twice or with what is no JSON.
type recordingSink struct {
	t *testing.T

	mu       sync.Mutex // what had to wait is answered by a goroutine of its own
	open     map[string]sink.Call
	answered map[sink.Call]*jsonrpc.Error // nil: a result
	refused  []*jsonrpc.Error
	last     sink.Call
}

func newRecordingSink(t *testing.T) *recordingSink {
	return &recordingSink{t: t, open: map[string]sink.Call{}, answered: map[sink.Call]*jsonrpc.Error{}}
}

func (h *recordingSink) Open(id jsonrpc.ID) (sink.Call, bool) {
	if _, waits := h.open[id.Key()]; waits {
		return 0, false
	}
	h.last++
	h.open[id.Key()] = h.last
	return h.last, true
}

func (h *recordingSink) Find(id jsonrpc.ID) (sink.Call, bool) {
	call, found := h.open[id.Key()]
	return call, found
}

func (h *recordingSink) Respond(call sink.Call, result sink.Result) {
	h.settle(call, nil)
	h.isJSON(result.Document.JSON)
}

func (h *recordingSink) Fail(call sink.Call, err *jsonrpc.Error) {
	h.settle(call, err)
	h.isJSON(jsonrpc.AppendError(nil, "1", err))
}

func (h *recordingSink) settle(call sink.Call, err *jsonrpc.Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, twice := h.answered[call]; twice {
		h.t.Errorf("call %d is answered twice", call)
	}
	h.answered[call] = err
}

func (h *recordingSink) Drop(sink.Call)                         {}
func (h *recordingSink) End(_ sink.Call, result *sink.Document) { h.isJSON(result.JSON) }
func (h *recordingSink) Refuse(err *jsonrpc.Error)              { h.refused = append(h.refused, err) }
func (h *recordingSink) Notify(message *sink.Document, _ sink.Call, _ sink.Relation) {
	h.isJSON(message.JSON)
}

func (h *recordingSink) Announce(topic sink.Topic) {
	if doc, call := topic.Take(); doc != nil {
		h.Notify(doc, call, sink.OfSubscription)
	}
}

// WrongAnswers returns how many requests have been answered so far, and how the last
// one that came was.
func (h *recordingSink) answers() (count int, last *jsonrpc.Error, settled bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last, settled = h.answered[h.last]
	return len(h.answered), last, settled
}

func (h *recordingSink) isJSON(text []byte) {
	if !json.Valid(text) {
		h.t.Errorf("the engine sent %q", text)
	}
}

// fuzzEngine has one of everything that answers from memory.
func fuzzEngine(t testing.TB) *engine.Engine {
	return fuzzEngineWith(t, engine.Options{PageSize: 1, Tools: true, Prompts: true, Completions: true, Logging: true})
}

// fuzzEngineWith is fuzzEngine with other options.
func fuzzEngineWith(t testing.TB, options engine.Options) *engine.Engine {
	table := engine.NewTable()
	err := table.Put(
		engine.Entry{JSON: engine.Describe("uri", "notes://cart", "name", "Cart"), Ref: 1},
		engine.Entry{JSON: engine.Describe("uri", "notes://%C3%A9", "name", "é"), Ref: 2},
	)
	complete := func(_ context.Context, c engine.CompletionRequest) (engine.Completion, error) {
		return engine.Completion{Values: []string{c.Value}}, nil
	}
	// A prompt and a tool that ask back first.
	ask := func(ctx context.Context, _ []byte) ([]byte, error) {
		i := engine.InvocationOf(ctx)
		i.Progress([]byte(`{"progress":1}`))
		i.Log([]byte(`{"level":"error","data":1}`))
		_, err := i.Ask(ctx, []byte(`{"a":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
		return []byte(`{"content":[],"messages":[]}`), err
	}
	if err == nil {
		err = table.Put(engine.Entry{
			Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "notes://tag/{tag}", "name", "Tag"), Ref: 3, Complete: complete,
		})
	}
	if err == nil {
		err = table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"p","arguments":[{"name":"a"}]}`), Call: ask, Complete: complete,
		})
	}
	if err == nil {
		err = table.Put(engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"t","inputSchema":{"type":"object"}}`), Call: ask})
	}
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "fuzz", Version: "1"}, &options)
	e.Mount("", table)
	e.Mount("other+", table)
	e.Mount("third+", table)
	return e
}

// messagesOfTranscripts returns what clients say in testdata/transcripts.
func messagesOfTranscripts(t testing.TB) []string {
	files, err := filepath.Glob("../../testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	var sent []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if _, message, ok := strings.Cut(line, "-> "); ok && strings.HasPrefix(strings.TrimLeft(message, " "), "{") {
				sent = append(sent, strings.TrimSpace(message))
			}
		}
	}
	return sent
}

// Whatever comes in: the engine does not fall, answers a request that has an id
// at most once and with JSON, says nothing to a notification or a response, and
// Examine reads the same in it as the engine does. R-001…R-009.
func FuzzMessage(f *testing.F) {
	for _, message := range messagesOfTranscripts(f) {
		f.Add([]byte(message), uint8(0), uint8(0))
		f.Add([]byte(message), uint8(2), uint8(0))
		f.Add([]byte(message), uint8(4), uint8(0b111_1111))
	}
	const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"debug","progressToken":1}`
	for _, request := range []string{
		`"method":"tools/call","params":{` + envelope + `,"name":"t","arguments":{"a":[1]}}`,
		`"method":"tools/call","params":{` + envelope + `,"name":"t","inputResponses":{"a":{"action":"accept","content":{}}},"requestState":"AAAA"}`,
		`"method":"prompts/get","params":{` + envelope + `,"name":"other__p","arguments":{"a":"b"}}`,
		`"method":"completion/complete","params":{` + envelope + `,"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"},"context":{"arguments":{"c":"d"}}}`,
		`"method":"completion/complete","params":{` + envelope + `,"ref":{"type":"ref/resource","uri":"other+notes://tag/{tag}"},"argument":{"name":"tag","value":""}}`,
		`"method":"logging/setLevel","params":{"level":"debug"}`,
	} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,`+request+`}`), uint8(4), uint8(0))
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,`+request+`}`), uint8(0), uint8(1))
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":"pagemcp:1","result":{"action":"accept"}}`), uint8(2), uint8(0))
	for _, text := range []string{"", "{", "[]", "[1]", `{"jsonrpc":"2.0","id":1,"id":1}`, `{"JSONRPC":"2.0"}`, "\ufeff{}", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`} {
		f.Add([]byte(text), uint8(2), uint8(0))
	}
	sessions := []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	f.Fuzz(func(t *testing.T, data []byte, session, options uint8) {
		inSession := session%5 != 0
		e := fuzzEngineWith(t, fuzzOptions(options))
		h := newRecordingSink(t)
		c := e.Connect(h, "fuzz")
		defer c.Close()
		if inSession {
			c.Message([]byte(`{"jsonrpc":"2.0","id":"before","method":"initialize","params":{"protocolVersion":"` + sessions[session%5] + `","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}`))
			h.open = map[string]sink.Call{}
		}
		before, _, _ := h.answers()
		x := e.Examine(data)
		c.Message(data)
		if _, isArray := jsonrpc.Elements(data); isArray || len(data) > 1<<20 {
			return
		}
		count, err, settled := h.answers()
		answers := count - before + len(h.refused)
		switch {
		case x.Kind == jsonrpc.Notification || x.Kind == jsonrpc.Response:
			if answers > 0 {
				t.Errorf("%q is no request, and was answered", data)
			}
		case answers > 1:
			t.Errorf("%q was answered %d times", data, answers)
		case x.ID == "" && len(h.refused) != 1:
			t.Errorf("%q has no id that can be read, and was not refused", data)
		case x.ID != "" && x.Malformed != nil && x.Method != "initialize" && x.Method != "ping":
			if !settled || err == nil || err.Code != x.Malformed.Code && !inSession {
				t.Errorf("%q: examined as %v, answered with %v", data, x.Malformed, err)
			}
		}
	})
}

// Params of every method, on the way that JavaScript uses: it has checked the
// envelope, Go reads the params.
func FuzzParams(f *testing.F) {
	methods := engine.New(engine.Info{}, nil).Methods()
	for _, message := range messagesOfTranscripts(f) {
		m, err := jsonrpc.Parse([]byte(message))
		if err != nil {
			continue
		}
		for i, name := range methods {
			if name == m.Method {
				f.Add(uint8(i), []byte(m.Params))
			}
		}
	}
	f.Fuzz(func(t *testing.T, method uint8, params []byte) {
		if len(params) > 0 {
			if _, err := jsonrpc.Parse(append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":`), params...), '}')); err != nil {
				return // the caller of Take has checked that it is an object
			}
		}
		e := fuzzEngine(t)
		h := newRecordingSink(t)
		c := e.Connect(h, "fuzz")
		defer c.Close()
		document, _, outcome := c.Take(1, sink.Method(method), params)
		switch outcome {
		case sink.Answered:
			h.isJSON(document.JSON)
		case sink.Sent:
			if count, _, _ := h.answers(); count == 0 && len(h.open) == 0 && method < uint8(len(methods)) && methods[method] != "subscriptions/listen" {
				t.Errorf("%s %q: nothing was sent", methods[method], params)
			}
		}
	})
}

// A cursor that the list gave out continues it. One that a client has made up is refused with the error
// for that, or leads to entries of the list. R-217…R-220.
func FuzzListCursor(f *testing.F) {
	e := fuzzEngine(f)
	page := func(t testing.TB, cursor string) (found *pages) {
		h := &pages{recordingSink: newRecordingSink(nil)}
		c := e.Connect(h, "fuzz")
		defer c.Close()
		const envelope = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"cursor":`
		params := append(jsonrpc.AppendString([]byte(envelope), cursor), '}')
		c.Message(jsonrpc.AppendRequest(nil, "1", "resources/list", params))
		return h
	}
	given := map[string]bool{}
	h := &pages{recordingSink: newRecordingSink(nil)}
	c := e.Connect(h, "fuzz")
	c.Message([]byte(spokenList))
	var all []string
	for ; h.next != ""; h = page(f, h.next) {
		given[h.next] = true
		f.Add(h.next)
		all = append(all, h.uris...)
	}
	all = append(all, h.uris...)
	c.Close()
	if len(given) < 2 {
		f.Fatalf("only %d cursors were given out", len(given))
	}
	for _, cursor := range []string{"", "AAAA", "AAAAAAAAAAAAAAA", strings.Repeat("_", 100), "\x00"} {
		f.Add(cursor)
	}
	for _, raw := range []string{"r\x00\x00", "r\x00\x007", "r\x00\x00-1", "r\x00\x00\x009 notes://a\x00", "r\x00\x00\x00-1 \x00", "r\x00\x00\x00\x007", "r\x01\x00", "r\x00\x01z", "r\xff\x01\x00"} {
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(raw)))
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		found := page(t, cursor)
		switch failed := found.failed; {
		case given[cursor] && failed != nil:
			t.Errorf("%q was given out, and refused: %v", cursor, failed)
		case failed != nil && failed.Code != jsonrpc.CodeInvalidParams:
			t.Errorf("%q: %v", cursor, failed)
		}
		for _, uri := range found.uris {
			if !slices.Contains(all, uri) {
				t.Errorf("%q leads to %s", cursor, uri)
			}
		}
	})
}

const spokenList = `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// pages is a Sink that keeps the end of a list's page.
type pages struct {
	*recordingSink
	uris   []string
	next   string
	failed *jsonrpc.Error
}

func (p *pages) Respond(_ sink.Call, result sink.Result) {
	var list struct {
		NextCursor string
		Resources  []struct{ URI string }
	}
	json.Unmarshal(result.Document.JSON, &list)
	p.next = list.NextCursor
	for _, r := range list.Resources {
		p.uris = append(p.uris, r.URI)
	}
}

func (p *pages) Fail(_ sink.Call, err *jsonrpc.Error) { p.failed = err }
