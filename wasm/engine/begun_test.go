package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// failing is a source whose every answer is an error.
type failing struct{ err error }

func (failing) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (f failing) Read(context.Context, string) ([]engine.Contents, error) { return nil, f.err }

func (f failing) CallTool(context.Context, string, []byte) ([]byte, error) { return nil, f.err }

func (f failing) GetPrompt(context.Context, string, []byte) ([]byte, error) { return nil, f.err }

// Whatever error a tool fails with, it has been called:
// its error does not suggest a retry. Defect 24.
func TestErrorsOfToolsAreNotRetried(t *testing.T) {
	for _, failure := range []error{engine.ErrUnavailable, engine.ErrBusy, engine.ErrAway, engine.ErrTimeout} {
		for method, retry := range map[string]string{"tools/call": "false", "resources/read": "true", "prompts/get": "true"} {
			synctest.Test(t, func(t *testing.T) {
				e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{
					Tools: true, Prompts: true,
				})
				e.Mount("", failing{failure})
				d := enginetest.NewDialogue(t, e)
				got := d.Modern(method, `"name":"t","uri":"a:b"`)
				if !strings.Contains(got, `"retry":`+retry) || strings.Contains(got, "may have taken effect") != (retry == "false") {
					t.Errorf("%v of %s: %s", failure, method, got)
				}
				d.Port.Close()
				synctest.Wait()
			})
		}
	}
}
