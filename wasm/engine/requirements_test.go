package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// speaksOn lets a tool speak before its answer, and once more after it: progress
// and a log message. end is how it answers.
func speaksOn(t *testing.T, end func(ctx context.Context) ([]byte, error)) (e *engine.Engine, later func()) {
	options := enginetest.Offering
	options.Logging = true
	e = engine.New(engine.Info{Name: "test", Version: "1"}, &options)
	table := engine.NewTable()
	var kept *engine.Invocation
	speak := func(n int) {
		kept.Progress([]byte(fmt.Sprintf(`{"progress":%d}`, n)))
		kept.Log([]byte(fmt.Sprintf(`{"level":"error","data":%d}`, n)))
	}
	enginetest.ToolOf(t, table, "work", func(ctx context.Context, _ []byte) ([]byte, error) {
		kept = engine.InvocationOf(ctx)
		speak(1)
		return end(ctx)
	})
	e.Mount("", table)
	return e, func() { speak(2) }
}

const speaking = `,"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"`

// Nothing is sent about a request after its answer, whatever the tool still sends: no
// progress and no log message. The answer may be a result, an error, or a question
// (input_required), after which the request is over. R-077 R-093 R-101.
func TestNothingFollowsTheAnswer(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context) ([]byte, error){
		"a result": func(context.Context) ([]byte, error) { return []byte(`{"content":[]}`), nil },
		"an error": func(context.Context) ([]byte, error) { return nil, errors.New("broken") },
		"a question": func(ctx context.Context) ([]byte, error) {
			return engine.InvocationOf(ctx).Ask(ctx, []byte(`{"may":{"method":"elicitation/create","params":{"message":"May I?",`+
				`"requestedSchema":{"type":"object","properties":{}}}}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, later := speaksOn(t, end)
				defer e.Close()
				c := enginetest.Speak(t, e, "c")
				c.Ask("1", "tools/call", speaking, `,"name":"work"`)
				c.Wants(`"notifications/progress"`, `"progress":1`)
				c.Wants(`"notifications/message"`, `"data":1`)
				c.Wants(`"id":1`)
				later()
				c.Say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
				c.Wants(`"id":"last"`)
				c.Port.Close()
			})
		})
	}
}

// After a cancel nothing is sent about the request either. R-070 R-077.
func TestNothingFollowsACancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		e, later := speaksOn(t, func(ctx context.Context) ([]byte, error) {
			defer close(ended)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		c := enginetest.Speak(t, e, "c")
		c.Ask("1", "tools/call", speaking, `,"name":"work"`)
		c.Wants(`"notifications/progress"`)
		c.Wants(`"notifications/message"`)
		c.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		<-ended
		later()
		c.Say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
		c.Wants(`"id":"last"`)
		c.Port.Close()
	})
}

// A modern request gets log messages only if it asks for a level, only of that
// level or above, and only with itself: another request of the same client, which
// runs at the same time, gets none. R-101.
func TestLogMessagesBelongToTheirRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := enginetest.Offering
		options.Logging = true
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &options)
		table := engine.NewTable()
		enginetest.ToolOf(t, table, "work", func(ctx context.Context, _ []byte) ([]byte, error) {
			i := engine.InvocationOf(ctx)
			for _, level := range [...]string{"debug", "info", "warning", "error"} {
				i.Log([]byte(`{"level":"` + level + `","data":"` + level + `"}`))
			}
			time.Sleep(time.Second) // the other request runs meanwhile
			return []byte(`{"content":[]}`), nil
		})
		e.Mount("", table)
		c := enginetest.Speak(t, e, "c")
		c.Ask("1", "tools/call", `,"io.modelcontextprotocol/logLevel":"warning"`, `,"name":"work"`)
		c.Wants(`"level":"warning"`)
		c.Wants(`"level":"error"`)
		c.Ask("2", "tools/call", "", `,"name":"work"`)
		for range 2 { // nothing but the answers comes
			c.Wants(`"result":{"resultType":"complete"`)
		}
		c.Port.Close()
	})
}

// Every result of the modern era names the server in its _meta: also that of an
// ended listen, and a question. R-043.
func TestEveryModernResultNamesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := enginetest.Offering
		e := engine.New(engine.Info{Name: "named", Version: "1.2.3"}, &options)
		table := enginetest.NotesOf(t, "a")
		if err := table.Put(engine.Entry{
			JSON: engine.Describe("uri", "notes://a", "name", "a"),
			Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
				return []engine.Contents{{URI: uri, Text: "text"}}, nil
			},
		}); err != nil {
			t.Fatal(err)
		}
		e.Mount("", table)
		c := enginetest.Speak(t, e, "c")
		named := func(what string) {
			t.Helper()
			msg := c.Next()
			meta := jsonrpc.Member(jsonrpc.Member([]byte(msg), "result"), "_meta")
			info := jsonrpc.Member(meta, "io.modelcontextprotocol/serverInfo")
			if string(jsonrpc.Member(info, "name")) != `"named"` || string(jsonrpc.Member(info, "version")) != `"1.2.3"` {
				t.Errorf("%s: %s", what, msg)
			}
		}
		for _, ask := range []struct{ method, members string }{
			{"server/discover", ""},
			{"resources/list", ""},
			{"resources/templates/list", ""},
			{"resources/read", `,"uri":"notes://a"`},
			{"resources/read", `,"uri":"a:1"`}, // a question
			{"prompts/list", ""},
			{"prompts/get", `,"name":"a","arguments":{"a":"1"}`},
			{"tools/list", ""},
			{"tools/call", `,"name":"a"`},
			{"completion/complete", `,"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""}`},
		} {
			c.Ask("1", ask.method, "", ask.members)
			named(ask.method + ask.members)
		}
		c.Ask(`"l"`, "subscriptions/listen", "", `,"notifications":{"resourcesListChanged":true}`)
		c.Wants("acknowledged")
		e.Close()
		named("an ended listen")
		c.Port.Close()
	})
}

// Each way in which a completion can fail has its code; internal errors keep their
// text. R-190.
func TestCompletionErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := enginetest.Offering
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &options)
		table := engine.NewTable()
		if err := table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"a","arguments":[{"name":"x"}]}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
			Complete: func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
				return engine.Completion{}, errors.New("a secret of the page")
			},
		}); err != nil {
			t.Fatal(err)
		}
		e.Mount("", table)
		none := options
		none.Completions = false
		without := engine.New(engine.Info{Name: "test", Version: "1"}, &none)
		without.Mount("", table)
		for _, test := range []struct {
			name, members string
			engine        *engine.Engine
			code          int64
		}{
			{"no ref", `,"argument":{"name":"x","value":""}`, e, -32602},
			{"an unknown kind of ref", `,"ref":{"type":"ref/tool","name":"a"},"argument":{"name":"x","value":""}`, e, -32602},
			{"an unknown prompt", `,"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"x","value":""}`, e, -32602},
			{"no argument", `,"ref":{"type":"ref/prompt","name":"a"}`, e, -32602},
			{"an argument without a name", `,"ref":{"type":"ref/prompt","name":"a"},"argument":{"value":""}`, e, -32602},
			{"an argument without a value", `,"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"x"}`, e, -32602},
			{"a template that is none", `,"ref":{"type":"ref/resource","uri":"a:{"},"argument":{"name":"x","value":""}`, e, -32602},
			{"a page that fails", `,"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"x","value":""}`, e, -32603},
			{"not offered", `,"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"x","value":""}`, without, -32601},
		} {
			c := enginetest.Speak(t, test.engine, "c")
			c.Ask("1", "completion/complete", "", test.members)
			msg := c.Next()
			if code, _ := jsonrpc.Int(jsonrpc.Member(jsonrpc.Member([]byte(msg), "error"), "code")); code != test.code || strings.Contains(msg, "secret") {
				t.Errorf("%s: %s; want %d", test.name, msg, test.code)
			}
			c.Port.Close()
		}
	})
}
