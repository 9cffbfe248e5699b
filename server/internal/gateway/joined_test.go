package gateway

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A page that has nothing to send stays. One that hangs while its browser answers pings, as that of a tab
// that sleeps, stays for a day, and requests to it fail at once. R-029 R-346.
func TestHangingPageIsAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		var hangs atomic.Bool
		page.tap.Forge = func(msg []byte) []byte {
			if hangs.Load() {
				return nil
			}
			return msg
		}
		page.join(g)
		time.Sleep(time.Hour)
		if !g.Views("o").IsConnected("notes") {
			t.Fatal("a silent page was dropped")
		}
		hangs.Store(true)
		time.Sleep(limits.SilentTime + limits.PingEvery/3)
		session := g.Begin("/mcp/notes", gatewaytest.Initialize)
		asked := time.Now()
		if _, body := session.Request("1", engine.MethodReadResource, `"uri":"notes://a"`); !strings.Contains(body, `"reason":"page-asleep"`) {
			t.Errorf("a read of a page that hangs: %s", body)
		}
		if waited := time.Since(asked); waited > time.Second {
			t.Errorf("the read waited %v", waited)
		}
		hangs.Store(false)
		time.Sleep(limits.PingEvery)
		if _, body := session.Request("2", engine.MethodReadResource, `"uri":"notes://a"`); !strings.Contains(body, "Resource not found") {
			t.Errorf("a read of a page that answers again: %s", body)
		}
		hangs.Store(true)
		began := time.Now()
		time.Sleep(limits.MaxSleep - limits.PingEvery)
		gatewaytest.Await(t, "the page is dropped", page.gone)
		if took := time.Since(began); took < limits.MaxSleep-limits.PingEvery || took > limits.MaxSleep+limits.PingEvery/3 {
			t.Errorf("dropped after %v", took)
		}
	})
}

// A page that reloads keeps sessions, subscriptions and URIs; a read during the reload
// is answered once. R-359.
func TestPageReloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		session := g.Begin("/mcp/notes", gatewaytest.Initialize)
		messages := g.Stream(t.Context(), "GET", "/mcp/notes", "", session.Header())
		if status, body := session.Request("1", engine.MethodSubscribe, `"uri":"notes://a"`); status != 200 || !strings.Contains(body, `"result":{}`) {
			t.Fatalf("subscribe: %d %s", status, body)
		}
		if _, body := session.Request("2", engine.MethodListResources, ""); !strings.Contains(body, "notes://a") {
			t.Errorf("the list: %s", body)
		}
		page.leave(g, false)
		if _, body := session.Request("2", engine.MethodListResources, ""); !strings.Contains(body, "notes://a") {
			t.Errorf("the list while it is away: %s", body)
		}
		answer := make(chan string, 1)
		go func() { // ends with the answer
			_, body := session.Request("3", engine.MethodReadResource, `"uri":"notes://a"`)
			answer <- body
		}()
		synctest.Wait()
		if len(answer) > 0 {
			t.Errorf("the read while it is away: %s", <-answer)
		}
		again := newPage(t, "notes")
		again.write("notes://a", "2")
		again.join(g)
		if got := gatewaytest.Await(t, "the page is back, and answers", answer); strings.Count(got, `"id":3`) != 1 || !strings.Contains(got, `"text":"2"`) {
			t.Errorf("the read: %s", got)
		}
		for got := ""; !strings.Contains(got, engine.MethodUpdated); {
			if got = messages.Next(); got == "" {
				t.Fatal("the stream has ended")
			} else if strings.Contains(got, engine.MethodUpdated) && !strings.Contains(got, `"uri":"notes://a"`) {
				t.Errorf("updated: %s", got)
			}
		}
	})
}

// A page that reconnects without prompts and tools: the capabilities stay, and
// list_changed is sent. R-042 R-359.
func TestReloadedPageWithoutToolsAnnouncesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.tool("mine", `{}`, always(""))
		page.must(page.table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"mine"}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
		}))
		page.join(g)
		session := g.Begin("/mcp/notes", gatewaytest.Initialize)
		messages := g.Stream(t.Context(), "GET", "/mcp/notes", "", session.Header())
		for _, list := range []string{"tools", "prompts"} {
			if _, body := session.Request("1", list+"/list", ""); !strings.Contains(body, `"mine"`) {
				t.Errorf("%s: %s", list, body)
			}
		}
		page.leave(g, false)
		page.engine = engine.New(engine.Info{Name: "notes", Version: "2"}, nil)
		page.join(g)
		for received := ""; !strings.Contains(received, "tools/list_changed") || !strings.Contains(received, "prompts/list_changed"); {
			got := messages.Next()
			if got == "" {
				t.Fatalf("the stream ends after %s", received)
			}
			received += got
		}
		for _, list := range []string{"tools", "prompts"} {
			if status, body := session.Request("2", list+"/list", ""); status != 200 || strings.Contains(body, `"mine"`) || !strings.Contains(body, `"`+list+`":[`) {
				t.Errorf("%s: %d %s", list, status, body)
			}
		}
		if _, body := session.Request("3", engine.MethodCallTool, `"name":"mine"`); !strings.Contains(body, "-32602") {
			t.Errorf("a tool that is gone: %s", body)
		}
	})
}
