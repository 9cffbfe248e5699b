package remote_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// newCallingHop is newHop of a page that offers all.
func newCallingHop(t *testing.T) *hop {
	options := enginetest.Offering
	h := &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), table: engine.NewTable(), wire: &wire{}}
	h.page.Mount("", h.table)
	return h
}

func (h *hop) tool(name string, call func(ctx context.Context, arguments []byte) ([]byte, error)) {
	object := fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"}}`, name)
	if err := h.table.Put(engine.Entry{Kind: engine.Tools, JSON: object, Call: call}); err != nil {
		h.Fatal(err)
	}
}

// gatewayOf returns an engine that mounts pages under prefixes.
func gatewayOf(t *testing.T, pages map[string]*hop) *engine.Engine {
	options := enginetest.Offering
	e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &options)
	for prefix, h := range pages {
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		e.Mount(prefix, r)
		t.Cleanup(r.Close)
	}
	return e
}

// Two clients give the same progress token and the same id: each hears of its own
// call, and neither token nor id crosses the hop. R-352 R-354.
func TestHopHasTokensOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newCallingHop(t)
		h.tool("walk", func(ctx context.Context, arguments []byte) ([]byte, error) {
			engine.InvocationOf(ctx).Progress(append([]byte(`{"progress":1,"message":`), append(jsonrpc.AppendString(nil, string(arguments)), '}')...))
			time.Sleep(time.Second)
			return []byte(`{"content":[]}`), nil
		})
		e := gatewayOf(t, map[string]*hop{"": h})
		a, b := enginetest.Speak(t, e, "a"), enginetest.Speak(t, e, "b")
		a.Ask("1", "tools/call", `,"progressToken":"mine"`, `,"name":"walk","arguments":{"of":"a"}`)
		b.Ask("1", "tools/call", `,"progressToken":"mine"`, `,"name":"walk","arguments":{"of":"b"}`)
		a.Wants(`"progressToken":"mine"`, `\"of\":\"a\"`)
		b.Wants(`"progressToken":"mine"`, `\"of\":\"b\"`)
		a.Wants(`"id":1`, "complete")
		b.Wants(`"id":1`, "complete")
		if h.wire.count("mine") != 0 {
			t.Errorf("the token crossed: %v", h.wire.sent)
		}
		a.Port.Close()
		b.Port.Close()
	})
}

// A cancel stops the call in the page, under the hop's id, and no other. R-355 R-067.
func TestHopCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newCallingHop(t)
		var stopped atomic.Int32
		h.tool("wait", func(ctx context.Context, _ []byte) ([]byte, error) {
			select {
			case <-ctx.Done():
				stopped.Add(1)
				return nil, ctx.Err()
			case <-time.After(10 * time.Second):
				return []byte(`{"content":[]}`), nil
			}
		})
		e := gatewayOf(t, map[string]*hop{"": h})
		a, b := enginetest.Speak(t, e, "a"), enginetest.Speak(t, e, "b")
		a.Ask(`"same"`, "tools/call", "", `,"name":"wait"`)
		b.Ask(`"same"`, "tools/call", "", `,"name":"wait"`)
		synctest.Wait()
		a.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"same"}}`)
		synctest.Wait()
		if stopped.Load() != 1 || h.wire.count("notifications/cancelled") != 1 {
			t.Errorf("%d calls stopped; on the hop %v", stopped.Load(), h.wire.sent)
		}
		b.Wants(`"id":"same"`, "complete")
		a.Ask("2", "tools/list", "", "")
		a.Wants(`"id":2`) // and nothing of the first call
		a.Port.Close()
		b.Port.Close()
	})
}

// The port breaks under a tool: the error says at once that it is not known whether the
// tool ran, and it is not run again; a prompt is requested again when the
// page is back. R-359, P5.
func TestHopBreaksUnderACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newCallingHop(t)
		var runs, renders atomic.Int32
		h.tool("pay", func(ctx context.Context, _ []byte) ([]byte, error) {
			runs.Add(1)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		err := h.table.Put(engine.Entry{Kind: engine.Prompts, JSON: []byte(`{"name":"p"}`),
			Call: func(ctx context.Context, _ []byte) ([]byte, error) {
				if renders.Add(1) == 1 {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return []byte(`{"messages":[]}`), nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		options := enginetest.Offering
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &options)
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		e.Mount("", r)
		a := enginetest.Speak(t, e, "a")
		a.Ask("1", "tools/call", "", `,"name":"pay"`)
		a.Ask("2", "prompts/get", "", `,"name":"p"`)
		synctest.Wait()
		began := time.Now()
		h.cut()
		a.Wants(`"id":1`, `"reason":"interrupted"`, `"retry":false`)
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("the error came after %v", waited)
		}
		time.Sleep(3 * time.Second)
		if err := r.Reattach(t.Context(), h.port()); err != nil {
			t.Fatal(err)
		}
		a.Wants(`"id":2`, `"messages":[]`)
		if runs.Load() != 1 || renders.Load() != 2 {
			t.Errorf("the tool ran %d times, the prompt was rendered %d times", runs.Load(), renders.Load())
		}
		a.Port.Close()
		r.Close()
	})
}

// Two pages under one gateway: names and URIs say which is meant, wherever they
// stand, and reach the page without the prefix. R-358 R-360.
func TestHopPrefixesNamesAndURIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := map[string]*hop{"a+": newCallingHop(t), "b+": newCallingHop(t)}
		for prefix, h := range pages {
			h.tool("say.it", func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"content":[{"type":"text","text":"` + prefix + `"},{"type":"resource_link","uri":"x:1","name":"n"},` +
					`{"type":"resource","resource":{"uri":"x:2","text":"t"}}]}`), nil
			})
			err := h.table.Put(engine.Entry{
				Kind: engine.Prompts, JSON: []byte(`{"name":"p","arguments":[{"name":"n"}]}`),
				Call: func(context.Context, []byte) ([]byte, error) {
					return []byte(`{"messages":[{"role":"user","content":{"type":"resource_link","uri":"x:3","name":"n"}}]}`), nil
				},
				Complete: func(_ context.Context, c engine.CompletionRequest) (engine.Completion, error) {
					return engine.Completion{Values: []string{prefix + c.Prompt}}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			err = h.table.Put(engine.Entry{
				Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "x:{v}", "name", "x"),
				Expand: func(_ context.Context, uri string, _ []byte) ([]engine.Contents, error) {
					return []engine.Contents{{URI: uri, Text: "t"}}, nil
				},
				Complete: func(_ context.Context, c engine.CompletionRequest) (engine.Completion, error) {
					return engine.Completion{Values: []string{prefix + c.URI}}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		c := enginetest.Speak(t, gatewayOf(t, pages), "c")
		for _, exchange := range []struct {
			method, members string
			wants           []string
		}{
			{"tools/list", "", []string{`"name":"a__say.it"`, `"name":"b__say.it"`}},
			{"tools/call", `,"name":"b.say.it"`, []string{`"text":"b+"`, `"uri":"b+x:1"`, `"uri":"b+x:2"`}},
			{"tools/call", `,"name":"say.it"`, []string{"-32602", "Unknown tool"}},
			{"prompts/list", "", []string{`"name":"a__p"`, `"name":"b__p"`}},
			{"prompts/get", `,"name":"a__p"`, []string{`"uri":"a+x:3"`}},
			{"completion/complete", `,"ref":{"type":"ref/prompt","name":"a__p"},"argument":{"name":"n","value":""}`, []string{`"a+p"`}},
			{"completion/complete", `,"ref":{"type":"ref/resource","uri":"b+x:{v}"},"argument":{"name":"v","value":""}`, []string{`"b+x:{v}"`}},
			{"completion/complete", `,"ref":{"type":"ref/resource","uri":"b+x:9"},"argument":{"name":"none","value":""}`, []string{"-32602"}},
			{"resources/templates/list", "", []string{`"uriTemplate":"a+x:{v}"`, `"uriTemplate":"b+x:{v}"`}},
			{"resources/read", `,"uri":"b+x:9"`, []string{`"uri":"b+x:9"`}},
		} {
			c.Ask("7", exchange.method, "", exchange.members)
			c.Wants(exchange.wants...)
		}
		c.Port.Close()
	})
}

// What a page asks of the client crosses the hop: requestState byte for byte, both
// ways, and what the client can do with each request. The handler runs once. R-356.
func TestHopCarriesQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newCallingHop(t)
		h.tool("ask", func(ctx context.Context, _ []byte) ([]byte, error) {
			answers, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
			return append(append([]byte(`{"content":[],"structuredContent":`), answers...), '}'), err
		})
		c := enginetest.Speak(t, gatewayOf(t, map[string]*hop{"p+": h}), "c")
		c.Ask("1", "tools/call", "", `,"name":"p__ask"`)
		_, behind, _ := strings.Cut(c.Next(), `"requestState":"`)
		state, _, _ := strings.Cut(behind, `"`)
		if state == "" {
			t.Fatal("no state came")
		}
		c.Ask("2", "tools/call", "", `,"name":"p__ask","inputResponses":{"k":{"action":"accept","content":{}}},"requestState":"`+state+`"`)
		c.Wants(`"structuredContent":{"k":{"action":"accept","content":{}}}`)
		if h.wire.count(`"requestState":"`+state+`"`) != 1 {
			t.Errorf("the state did not come back as it was: %v", h.wire.sent)
		}
		c.Say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"p__ask"}}`)
		c.Wants("-32021", `"requiredCapabilities":{"elicitation":{}}`)
		c.Port.Close()
	})
}

// Calls counts what fails if the port closes now, and nothing that is repeated.
func TestCallsInFlightAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newCallingHop(t)
		h.tool("walk", func(context.Context, []byte) ([]byte, error) {
			time.Sleep(time.Second)
			return []byte(`{"content":[]}`), nil
		})
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		results := make(chan error, 2)
		for range 2 {
			go func() { _, err := r.CallTool(t.Context(), "walk", []byte("{}")); results <- err }()
		}
		go r.List(t.Context(), engine.Tools, "")
		synctest.Wait()
		if got := r.Calls(); got != 2 {
			t.Errorf("%d are in flight", got)
		}
		if err := errors.Join(<-results, <-results); err != nil {
			t.Error(err)
		}
		if got := r.Calls(); got != 0 {
			t.Errorf("%d are in flight after the results", got)
		}
	})
}
