package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// slowTool is an engine with a tool that takes the number of seconds in its arguments.
func slowTool(t *testing.T) *engine.Engine {
	table := engine.NewTable()
	err := table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: "t", Object: []byte(`{"name":"t","inputSchema":{"type":"object"}}`)},
		Call: func(ctx context.Context, arguments []byte) ([]byte, error) {
			seconds, _ := jsonrpc.Int(jsonrpc.Member(arguments, "s"))
			select {
			case <-time.After(time.Duration(seconds) * time.Second):
			case <-ctx.Done():
			}
			return []byte(`{"content":[]}`), ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true})
	e.Mount("", table)
	return e
}

// An array is refused as a whole, and leaves no id in use: HTTP alone has batches, of 2025-03-26.
func TestBatchesAreRefusedWithoutSideEffects(t *testing.T) {
	for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			d := enginetest.NewDialogue(t, slowTool(t))
			if version != "" {
				d.Request("initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
			}
			for range 3 {
				d.Say(`[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"t"}}]`)
				if got := d.Next("the refusal"); !strings.Contains(got, "-32600") || strings.Contains(got, `"id"`) {
					t.Errorf("%q: a batch is answered by %s", version, got)
				}
				d.Say(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
				if got := d.Next("the answer to an id of the batch"); !strings.Contains(got, `"id":7,"result"`) {
					t.Errorf("%q: an id of a refused batch: %s", version, got)
				}
			}
			d.Port.Close()
			synctest.Wait()
		})
	}
}

// A tool that has begun may have taken effect: after a timeout and at shutdown the
// error does not invite to run it again. What only reads may be requested again.
func TestToolsThatBeganAreNotRetried(t *testing.T) {
	for name, end := range map[string]func(*engine.Engine){
		"timeout":  func(*engine.Engine) { time.Sleep(40 * time.Second) },
		"shutdown": func(e *engine.Engine) { e.Close() },
	} {
		for method, retry := range map[string]string{"tools/call": "false", "resources/read": "true", "x/y": "false"} {
			synctest.Test(t, func(t *testing.T) {
				hang := func(ctx context.Context, _ string, _ []byte) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }
				e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true, Extensions: []byte(`{"x":{}}`), Extend: hang})
				e.Mount("", hanging{})
				d := enginetest.NewDialogue(t, e)
				d.Send(method, enginetest.ModernMeta+`,"name":"t","uri":"a:b"`)
				synctest.Wait()
				end(e)
				got := d.Next("the error")
				if !strings.Contains(got, `"retry":`+retry) || strings.Contains(got, "may have taken effect") != (retry == "false") {
					t.Errorf("%s of %s: %s", name, method, got)
				}
				d.Port.Close()
				synctest.Wait()
			})
		}
	}
}

// hanging is a source that never answers.
type hanging struct{}

func (hanging) List(context.Context, string) (engine.Listing, error) { return engine.Listing{}, nil }

func (hanging) Read(ctx context.Context, _ string) ([]engine.Contents, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (hanging) Tools(context.Context) ([]engine.Tool, error) { return nil, nil }

func (hanging) CallTool(ctx context.Context, _ string, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
