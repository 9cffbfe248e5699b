//go:build unix

package clustertest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// A page whose machine is gone without a reset is noticed by pings, and then away.
func TestHalfOpenSocketsAreNoticed(t *testing.T) {
	needsAll(t)
	t.Parallel() // mostly waits
	d := newDeployment(t)
	d.limits = testLimits
	node := d.start()
	w := newWire(t, node.addr)
	page, err := d.join(w.listener.Addr().String(), "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	alice := d.client("alice")
	if got := alice.read(node, page.name+"+notes://a"); !strings.Contains(got, "of alice") {
		t.Fatal(got)
	}
	seen := d.witness(newBalancer(node))
	seen.fault("the machine of another user is gone")
	w.freeze()
	began := time.Now()
	within(t, 70*time.Second, "the node notices that the page has gone", func() bool {
		return node.metric(`pagemcp_pages{state="connected"}`) == witnessUsers*witnessTabs
	})
	t.Logf("noticed after %v", since(began))
	seen.judge()
}

// Without a quorum of JetStream sessions begin and subscribe as before.
func TestSessionsNeedNoQuorum(t *testing.T) {
	needsAll(t)
	d, nodes := threeNodes(t)
	page := d.joinEngine(nodes[0], "alice", "tab")
	uri := page.name + "+notes://a"
	alice := d.client("alice")
	if got := alice.read(nodes[1], uri); !strings.Contains(got, "first") {
		t.Fatal(got)
	}
	seen := d.witness(newBalancer(nodes[:]...))
	seen.fault("JetStream has no quorum")
	d.nats[0].kill()
	d.nats[1].kill()
	eventually(t, "the page is read over the last NATS server", func() bool { return strings.Contains(alice.read(nodes[1], uri), "first") })
	var times []time.Duration
	for i := range 100 {
		s := alice.begin(nodes[i%3])
		began := time.Now()
		if got := s.call(nodes[(i+1)%3], "resources/subscribe", uri); !strings.Contains(got, `"result"`) {
			t.Fatalf("session %d: %s", i, got)
		}
		times = append(times, time.Since(began))
		if i == 0 {
			lines := s.stream(nodes[1])
			drained(lines)
			page.set("second")
			hears(t, lines, `"uri":"`+uri+`"`)
		}
	}
	slices.Sort(times)
	seen.judge()
	t.Logf("without a quorum 100 subscriptions took %v at the median, and 99 of them at most %v", times[50].Round(time.Millisecond), times[98].Round(time.Millisecond))
}

// Keys are rotated while nodes serve: the new one first opens everywhere, then it seals, then
// the old one goes. A session goes on until its key is gone.
func TestKeysAreRotated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel() // mostly waits
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(1)
	nodes := [2]*process{d.start(), d.start()}
	alice := d.client("alice")
	old, err := os.ReadFile(filepath.Join(d.dir, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	next := keys.New() + "\n"
	first := alice.begin(nodes[0])
	ping := func(s *session, node *process, want string) {
		t.Helper()
		eventually(t, fmt.Sprintf("the session gets %s", want), func() bool { return strings.HasPrefix(s.call(node, "ping", ""), want) })
	}
	rotate := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(d.dir, "keys"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, node := range nodes {
			before := node.reloads()
			node.signal(syscall.SIGHUP)
			eventually(t, "the keys are reloaded", func() bool { return node.reloads() > before })
		}
	}
	seen := d.witness(newBalancer(nodes[:]...))
	seen.fault("keys are rotated")
	rotate(string(old) + next)
	ping(first, nodes[1], "200")
	rotate(next + string(old))
	second := alice.begin(nodes[1])
	ping(first, nodes[0], "200")
	ping(second, nodes[0], "200")
	seen.judge() // its sessions end with their key
	rotate(next)
	ping(second, nodes[0], "200")
	fresh := d.start() // has no conversation of the first session
	ping(first, fresh, fmt.Sprint(http.StatusNotFound))
}

// reloads returns how often the configuration was applied again.
func (p *process) reloads() float64 { return p.metric(`pagemcp_reloads_total{outcome="applied"}`) }

// A configuration is pushed to all nodes during an outage of both issuers, and another one
// names an issuer that does not exist: no token, page or stream is lost.
func TestConfigurationIsPushedDuringAnOutage(t *testing.T) {
	needsAll(t)
	d, nodes := threeNodes(t)
	seen := d.witness(newBalancer(nodes[:]...))
	push := func(assistants, outcome string) {
		t.Helper()
		d.assistants = assistants
		count := func(node *process) float64 { return node.metric(`pagemcp_reloads_total{outcome="` + outcome + `"}`) }
		for i, node := range nodes {
			before := count(node)
			d.configure(i + 1)
			node.signal(syscall.SIGHUP)
			eventually(t, "the configuration is "+outcome, func() bool { return count(node) > before })
			if !node.isReady() {
				t.Error("a node is not ready")
			}
		}
	}
	seen.fault("both issuers are down, and a configuration is pushed")
	d.auth.SetOutage(oauthtest.Errors)
	d.app.SetOutage(oauthtest.Errors)
	push(", acceptTypJWT: true", "applied")
	seen.reload() // pages join again
	seen.settle()
	d.auth.SetOutage(oauthtest.None)
	d.app.SetOutage(oauthtest.None)
	seen.fault("a mistyped issuer is pushed")
	push(`, acceptTypJWT: true, jwks: "http://127.0.0.1:1/keys"`, "failed")
	seen.reload()
	seen.settle()
	seen.judge()
}

// A stranger opens sockets for pages without a token, and one tenant joins many pages that
// never answer: pages of others join, and their promises hold.
func TestStrangersAndSilentTenantsKeepNoOneOut(t *testing.T) {
	needsAll(t)
	d := newDeployment(t)
	d.limits = testLimits // 1,000 pages
	d.startNATS(1)
	nodes := [2]*process{d.start(), d.start()}
	seen := d.witness(newBalancer(nodes[:]...))
	seen.fault("a stranger opens sockets, and a tenant joins silent pages")
	ctx, cancel := context.WithCancel(t.Context())
	var attackers sync.WaitGroup
	defer attackers.Wait()
	defer cancel()
	for range 1_250 {
		attackers.Go(func() {
			for ctx.Err() == nil { // until the gateway closes it: then again
				conn, _, err := websocket.Dial(ctx, "ws://"+nodes[0].addr+"/page", &websocket.DialOptions{
					Host: mcpHost, HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{gateway.PageProtocol},
				})
				if err != nil {
					select {
					case <-time.After(100 * time.Millisecond):
					case <-ctx.Done():
					}
					continue
				}
				conn.Read(ctx)
				conn.CloseNow()
			}
		})
	}
	for user := range 24 {
		attackers.Go(func() {
			var silent [30]*websocket.Conn
			for i := 0; ctx.Err() == nil; i = (i + 1) % len(silent) {
				if silent[i] != nil {
					silent[i].CloseNow()
				}
				silent[i], _, _ = d.handshake(nodes[0].addr, fmt.Sprint("silent", user), fmt.Sprint("page", i), "1") // it may be refused
				select {
				case <-time.After(200 * time.Millisecond):
				case <-ctx.Done():
				}
			}
			for _, conn := range silent {
				if conn != nil {
					conn.CloseNow()
				}
			}
		})
	}
	eventually(t, "the attackers are there", func() bool { return nodes[0].metric("pagemcp_connections_unknown") > 100 })
	var times []time.Duration
	for i := range 60 {
		began := time.Now()
		page, err := d.join(nodes[0].addr, fmt.Sprint("honest", i), "tab")
		if err != nil {
			t.Errorf("honest page %d: %v", i, err)
			continue
		}
		defer page.conn.CloseNow()
		times = append(times, time.Since(began))
	}
	seen.judge()
	slices.Sort(times)
	if len(times) > 0 {
		t.Logf("%d of 60 honest pages joined, in %v at the median, and at most %v", len(times), times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond))
	}
}
