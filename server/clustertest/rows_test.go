//go:build unix

package clustertest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted"
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
	next := hosted.NewKey() + "\n"
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
