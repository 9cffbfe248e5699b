package gateway

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A slowSource never answers a read.
type slowSource struct{}

func (slowSource) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (slowSource) Read(ctx context.Context, _ string) ([]engine.Contents, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// joinSlow joins the page slow, which never answers a read.
func (g *testGateway) joinSlow() {
	g.t.Helper()
	page := newPage(g.t, "slow")
	page.engine.Mount("", slowSource{})
	page.join(g)
}

// A slow response becomes an event stream after 2 s, is kept open by comments, and ends
// with a response even if the page does not answer. R-253 R-287 R-290 R-292 R-313 R-359.
func TestSlowAnswerBecomesStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		g.joinSlow()
		params := `"uri":"slow+slow://a"`
		began := time.Now()
		s := g.Stream(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", engine.MethodReadResource, params), gatewaytest.HeadersOf(engine.MethodReadResource, params)...)
		if took := time.Since(began); took != limits.StreamAfter {
			t.Errorf("the header came after %v", took)
		}
		data, comments := s.Next(), len(s.Lines)
		if took := time.Since(began); took != 30*time.Second || s.Next() != "" || !strings.Contains(data, `"reason":"timeout"`) || !strings.Contains(data, `"id":1`) {
			t.Errorf("after %v: %s", took, data)
		}
		if comments < 2 { // at 2 s and every 15 s
			t.Errorf("%d comments", comments)
		}
		if !g.Views("o").IsConnected("slow") {
			t.Error("a slow read cost the page its socket")
		}
	})
}

// Requests that one page does not answer, however many, reject no request of the same
// assistant for another page or for lists, in both eras and by the generated tools.
func TestSlowPageCostsItselfOnly(t *testing.T) {
	read, tool := `"uri":"slow+slow://a"`, `"name":"read_resource","arguments":{"uri":"slow+slow://a"}`
	for _, x := range []struct {
		name, method, params string
		classic              bool
	}{
		{"2026-07-28", engine.MethodReadResource, read, false},
		{"a session", engine.MethodReadResource, read, true},
		{"read_resource in a session", engine.MethodCallTool, tool, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := startGateway(t)
			g.joinSlow()
			mail := newPage(t, "mail")
			mail.write("mail://a", "a letter")
			mail.join(g)
			body, headers := func(id int, method, params string) string {
				return gatewaytest.Modern(strconv.Itoa(id), method, params)
			}, gatewaytest.HeadersOf
			if x.classic {
				session := g.Begin("/mcp", gatewaytest.Initialize)
				body = func(id int, method, params string) string {
					return gatewaytest.Classic(strconv.Itoa(id), method, params)
				}
				headers = func(string, string) []string { return []string{session.Header(), gatewaytest.Streams} }
			}
			const extra = 6
			var rejected, answered atomic.Int32
			var sent sync.WaitGroup
			for i := range limits.MaxInFlight + extra {
				sent.Go(func() {
					_, got := g.Post("/mcp", body(1000+i, x.method, x.params), headers(x.method, x.params)...)
					if answered.Add(1); strings.Contains(got, `"busy"`) {
						rejected.Add(1)
					}
				})
			}
			time.Sleep(limits.QueueTime)
			synctest.Wait()
			if rejected.Load() != extra || answered.Load() != extra {
				t.Errorf("%s: %d rejected of %d answers", x.name, rejected.Load(), answered.Load())
			}
			for i, other := range [][3]string{
				{engine.MethodReadResource, `"uri":"mail+mail://a"`, "a letter"}, {engine.MethodListResources, "", "mail+mail://a"}, {engine.MethodListTools, "", "read_resource"},
			} {
				if _, got := g.Post("/mcp", body(i, other[0], other[1]), headers(other[0], other[1])...); !strings.Contains(got, other[2]) {
					t.Errorf("%s: %s is answered %s", x.name, other[0], got)
				}
			}
			if _, got := g.Read("/mcp/mail", "mail://a"); !strings.Contains(got, "a letter") {
				t.Errorf("%s: at its own endpoint: %s", x.name, got)
			}
			sent.Wait()
		})
	}
}
