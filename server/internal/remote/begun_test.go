package remote_test

import (
	"context"
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

// asking is a source with a tool that asks the client before it answers.
func asking(t *testing.T) *engine.Table {
	table := engine.NewTable()
	enginetest.ToolOf(t, table, "t", func(ctx context.Context, _ []byte) ([]byte, error) {
		_, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"a":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
		return []byte(`{"content":[]}`), err
	})
	return table
}

// A port that is full, like that to a page which does not read.
type fullPort struct {
	jsonrpc.Port
	full atomic.Bool
}

func (p *fullPort) Write(ctx context.Context, msg []byte) error {
	if p.full.Load() {
		return fmt.Errorf("write: %w", engine.ErrBusy)
	}
	return p.Port.Write(ctx, msg)
}

// What never reached the page may be tried again, a tool too; but not after the
// tool's first round, in which a classic client gave input.
func TestToolsThatDidNotBeginAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Tools: true})
		page.Mount("", asking(t))
		defer page.Close()
		near, far := jsonrpc.Pipe()
		go page.Serve(context.Background(), far) // ends with near
		port := &fullPort{Port: near}
		r, err := remote.Attach(t.Context(), port)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Tools: true})
		e.Mount("", r)
		d := enginetest.NewDialogue(t, e)
		d.Request("initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`)
		d.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		port.full.Store(true)
		if got := d.Request("tools/call", `"name":"t"`); !strings.Contains(got, `"reason":"busy","retry":true`) {
			t.Errorf("the first round was not sent: %s", got)
		}
		port.full.Store(false)
		d.Send("tools/call", `"name":"t"`)
		question := d.Next("the question of the first round")
		port.full.Store(true)
		d.Say(`{"jsonrpc":"2.0","id":` + string(jsonrpc.Member([]byte(question), "id")) + `,"result":{"action":"accept","content":{}}}`)
		if got := d.Next("the error of the second round"); !strings.Contains(got, `"reason":"busy","retry":false`) || !strings.Contains(got, "may have taken effect") {
			t.Errorf("the second round was not sent: %s", got)
		}
		port.full.Store(false)
		r.Close()
		synctest.Wait()
		if got := d.Request("tools/call", `"name":"t"`); !strings.Contains(got, `"reason":"page-away","retry":true`) {
			t.Errorf("the page is away: %s", got)
		}
		d.Port.Close()
		time.Sleep(time.Minute)
	})
}
