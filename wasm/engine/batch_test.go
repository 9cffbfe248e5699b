package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// A tool that has begun may have taken effect: after a timeout and at shutdown the
// error does not invite to run it again. What only reads may be requested again.
func TestToolsThatBeganAreNotRetried(t *testing.T) {
	for name, end := range map[string]func(*engine.Engine){
		"timeout":  func(*engine.Engine) { time.Sleep(40 * time.Second) },
		"shutdown": func(e *engine.Engine) { e.Close() },
	} {
		for method, retry := range map[string]string{"tools/call": "false", "resources/read": "true"} {
			synctest.Test(t, func(t *testing.T) {
				e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true})
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

func (hanging) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (hanging) Read(ctx context.Context, _ string) ([]engine.Contents, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (hanging) CallTool(ctx context.Context, _ string, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
