package hosted

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// What an attack on a node costs another tenant: each benchmark measures joins or requests of
// it while the attack runs, and reports p99-ms and failed (percent). Run for instance
//
//	go test ./server/hosted -run '^$' -bench Neighbour -benchtime 200x
//
// small are limits that an attack reaches soon, and default those of a node of 6,000 pages
// and streams, which 20,000 open files allow.

var neighbourLimits = map[string]config.Limits{
	"small":   {Pages: 1_000, Streams: 1_000, Sessions: 200, RequestsPerOwner: 4},
	"default": {Pages: 6_000, Streams: 6_000},
}

// neighbours runs attack with a node until measure was called b.N times. attack returns what
// it reports besides.
func neighbours(b *testing.B, measure func(n *liveNode, i int) error, attack func(ctx context.Context, n *liveNode) (figure string, value func() float64)) {
	for _, name := range []string{"small", "default"} {
		b.Run(name, func(b *testing.B) {
			n := startNode(b, func(c *config.Config) { c.Limits, c.Assistants.TenantClaim = neighbourLimits[name], "org_id" })
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			figure, value := attack(ctx, n)
			took := make([]time.Duration, 0, b.N)
			failed := 0
			b.ResetTimer()
			for i := range b.N {
				began := time.Now()
				if err := measure(n, i); err != nil {
					failed++
					if failed == 1 {
						b.Log(err)
					}
				}
				took = append(took, time.Since(began))
			}
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(failed)*100/float64(b.N), "failed-%")
			if figure != "" {
				b.ReportMetric(value(), figure)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// dialPage opens a socket as a page at an address, without a frame.
func dialPage(ctx context.Context, n *liveNode, address string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+n.Addr().String()+"/page", &websocket.DialOptions{
		Host: testHost, HTTPHeader: http.Header{"Origin": {appOrigin}, "X-Forwarded-For": {address}}, Subprotocols: []string{gateway.PageProtocol},
	})
	return conn, err
}

// joinPage dials and joins a page of a user of a tenant, and returns when it got the joined
// frame.
func joinPage(ctx context.Context, n *liveNode, tenant, user, id string) (*websocket.Conn, error) {
	conn, err := dialPage(ctx, n, "198.51.100.1")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	token := n.app.JoinToken("wss://"+testHost+"/page", appOrigin, map[string]any{"sub": user, "org_id": tenant})
	hello := fmt.Sprintf(`{"pagemcp":1,"token":%q,"hello":{"page":%q,"instance":"1","name":"notes","title":"Notes"}}`, token, id)
	if err = conn.Write(ctx, websocket.MessageText, []byte(hello)); err == nil {
		_, _, err = conn.Read(ctx)
	}
	if err != nil {
		conn.CloseNow()
		return nil, err
	}
	return conn, nil
}

// joinNeighbour joins a page of another tenant, and closes it.
func joinNeighbour(n *liveNode, i int) error {
	conn, err := joinPage(context.Background(), n, "blue", fmt.Sprint("user", i), "1")
	if err == nil {
		conn.CloseNow()
	}
	return err
}

// beginNeighbour begins a session of another tenant.
func beginNeighbour(n *liveNode, i int) error {
	got := n.send("POST", "/mcp", beginSession, "Authorization: Bearer "+n.token(fmt.Sprint("user", i%100), map[string]any{"org_id": "blue"}))
	if got.status != 200 {
		return fmt.Errorf("%d %s", got.status, got.body)
	}
	return nil
}

// begin begins a session; an attack goes on after an error, as when the node ends.
func begin(ctx context.Context, n *liveNode, token string) (*http.Response, error) {
	return request(ctx, n, "POST", token, "", beginSession)
}

func request(ctx context.Context, n *liveNode, method, token, session, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+n.Addr().String()+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Host = testHost
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return http.DefaultClient.Do(r)
}

func noFigure() float64 { return 0 }

// A stranger holds sockets without a token, and opens each one again: 1,250 from one address,
// and more than a node has places for unknown clients from eight addresses.
func BenchmarkNeighbourOfSilentSockets(b *testing.B) {
	neighbours(b, joinNeighbour, func(ctx context.Context, n *liveNode) (string, func() float64) {
		sockets, addresses := 1_250, 1
		if n.quotas.Limits().Pages > 1_000 {
			sockets, addresses = 8_000, 8
		}
		var opened sync.WaitGroup
		opened.Add(sockets)
		for i := range sockets {
			go func() { // ends soon after ctx
				once := sync.OnceFunc(opened.Done)
				for ctx.Err() == nil {
					conn, err := dialPage(ctx, n, fmt.Sprint("203.0.113.", i%addresses))
					once()
					if err != nil {
						wait.For(ctx, time.Second)
						continue
					}
					conn.Read(ctx) // until it is closed
					conn.CloseNow()
				}
			}()
		}
		opened.Wait()
		return "", noFigure
	})
}

// 48 users of one tenant join with 30 pages each, which stay silent for 3 s and join again.
func BenchmarkNeighbourOfSilentPages(b *testing.B) {
	neighbours(b, joinNeighbour, func(ctx context.Context, n *liveNode) (string, func() float64) {
		for user := range 48 {
			for id := range 30 {
				go func() {
					for ctx.Err() == nil {
						conn, err := joinPage(ctx, n, "red", fmt.Sprint("user", user), fmt.Sprint(id))
						wait.For(ctx, 3*time.Second)
						if err == nil {
							conn.CloseNow()
						}
					}
				}()
			}
		}
		wait.For(ctx, 2*time.Second)
		return "", noFigure
	})
}

// One token begins sessions as fast as it can.
func BenchmarkNeighbourOfSessions(b *testing.B) {
	neighbours(b, beginNeighbour, func(ctx context.Context, n *liveNode) (string, func() float64) {
		token := n.token("mallory", map[string]any{"org_id": "red"})
		for range 16 {
			go func() { // ends soon after ctx
				for ctx.Err() == nil {
					if response, err := begin(ctx, n, token); err == nil {
						response.Body.Close()
					}
				}
			}()
		}
		wait.For(ctx, 5*time.Second)
		return "sessions", func() float64 { return float64(n.core.Sessions.Count()) }
	})
}

// 160 users of two tenants begin as many sessions as a node has by default.
func BenchmarkNeighbourOfSessionsOfManyUsers(b *testing.B) {
	neighbours(b, beginNeighbour, func(ctx context.Context, n *liveNode) (string, func() float64) {
		for worker := range 16 {
			var tokens []string
			for user := range 10 {
				tokens = append(tokens, n.token(fmt.Sprint("user", worker, user), map[string]any{"org_id": fmt.Sprint("red", worker%2)}))
			}
			go func() { // ends soon after ctx
				for i := 0; ctx.Err() == nil; i++ {
					if response, err := begin(ctx, n, tokens[i%len(tokens)]); err == nil {
						response.Body.Close()
					}
				}
			}()
		}
		wait.For(ctx, 8*time.Second)
		return "sessions", func() float64 { return float64(n.core.Sessions.Count()) }
	})
}

// Users of one tenant hold more sessions with streams than a small node has.
func BenchmarkNeighbourOfStreams(b *testing.B) {
	neighbours(b, beginNeighbour, func(ctx context.Context, n *liveNode) (string, func() float64) {
		for i := range 299 {
			token := n.token(fmt.Sprint("user", i), map[string]any{"org_id": "red"})
			begun, err := begin(ctx, n, token)
			if err != nil {
				continue
			}
			begun.Body.Close()
			if stream, err := request(ctx, n, "GET", token, begun.Header.Get("Mcp-Session-Id"), ""); err == nil {
				context.AfterFunc(ctx, func() { stream.Body.Close() })
			}
		}
		return "sessions", func() float64 { return float64(n.core.Sessions.Count()) }
	})
}

// One token begins 300 sessions with 1 MB of capabilities each.
func BenchmarkNeighbourOfCapabilities(b *testing.B) {
	neighbours(b, beginNeighbour, func(_ context.Context, n *liveNode) (string, func() float64) {
		token := n.token("mallory", map[string]any{"org_id": "red"})
		before := liveHeap()
		for range 300 {
			n.initialize(token, 500<<10)
		}
		kept := float64(liveHeap()-before) / (1 << 20)
		return "kept-MiB", func() float64 { return kept }
	})
}

// One client calls a tool that does not end and hangs up, again and again, at its limit of
// requests.
func BenchmarkNeighbourOfCallsWithoutClient(b *testing.B) {
	neighbours(b, beginNeighbour, func(ctx context.Context, n *liveNode) (string, func() float64) {
		var mu sync.Mutex
		running := 0
		p := n.page("mallory", "1").note("notes://a", "text")
		p.claims = map[string]any{"org_id": "red"}
		p.slowTool(func(more int) { mu.Lock(); defer mu.Unlock(); running += more })
		p.join()
		token := n.token("mallory", p.claims)
		begun, err := begin(ctx, n, token)
		if err != nil {
			panic(err)
		}
		begun.Body.Close()
		session := begun.Header.Get("Mcp-Session-Id")
		for i := range 150 {
			calling, hangUp := context.WithTimeout(ctx, 20*time.Millisecond)
			if response, err := request(calling, n, "POST", token, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i+1, p.joined.Joined+".slow")); err == nil {
				response.Body.Close()
			}
			hangUp()
		}
		return "running", func() float64 { mu.Lock(); defer mu.Unlock(); return float64(running) }
	})
}

// Both issuers are down, and configurations are pushed that change something about assistants.
func BenchmarkNeighbourOfPushedConfigurations(b *testing.B) {
	list := func(n *liveNode, i int) error {
		got := n.ask(n.token(fmt.Sprint("user", i%100), map[string]any{"org_id": "blue"}), "/mcp", "tools/list", "", "")
		if got.status != 200 {
			return fmt.Errorf("%d %s", got.status, got.body)
		}
		return nil
	}
	neighbours(b, list, func(ctx context.Context, n *liveNode) (string, func() float64) {
		n.auth.SetOutage(oauthtest.Errors)
		n.app.SetOutage(oauthtest.Errors)
		pushed := make(chan struct{})
		go func() { // ends with ctx
			old := n.reload.current.Load()
			for i := 0; ctx.Err() == nil; i++ {
				c := old.Config
				c.Assistants.AcceptTypJWT = i%2 == 0
				if next, err := config.Load(c); err == nil && n.apply(old, next) == nil {
					old = next
				}
				if i == 0 {
					close(pushed)
				}
				wait.For(ctx, 10*time.Millisecond)
			}
		}()
		<-pushed
		return "", noFigure
	})
}

// slowTool adds a tool that runs until it is cancelled, and counts the calls.
func (p *livePage) slowTool(count func(more int)) {
	err := p.table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: "slow", Object: []byte(`{"name":"slow","inputSchema":{"type":"object"}}`)},
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			count(1)
			defer count(-1)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	if err != nil {
		p.node.t.Fatal(err)
	}
}

const beginSession = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
