//go:build unix

package cluster

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A watcher is a client with a session of 2025-11-25, and a page of its user.
type watcher struct {
	*tab
	*client
	table   *engine.Table
	texts   gatewaytest.Texts
	session string
}

func (d *deployment) watch(addr, user string) *watcher {
	d.t.Helper()
	w := &watcher{table: engine.NewTable(), client: d.client(addr, user)}
	w.texts.Write(d.t, w.table, "notes://a", "first")
	e := engine.New(engine.Info{Name: "notes", Version: "1"}, nil)
	e.Mount("", w.table)
	w.tab = d.open(addr, user, e)
	answer, err := w.do("POST", "/mcp", gatewaytest.Initialize)
	if err != nil {
		d.t.Fatal(err)
	}
	answer.Body.Close()
	w.session = answer.Header.Get("Mcp-Session-Id")
	w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *watcher) say(body string) string {
	return whole(w.do("POST", "/mcp", body, "Mcp-Session-Id: "+w.session))
}

func (w *watcher) subscribe(id int, uri string) string {
	name, _ := w.joined()
	return w.say(gatewaytest.Classic(fmt.Sprint(id), "resources/subscribe", fmt.Sprintf(`"uri":%q`, name+"+"+uri)))
}

// hears opens the stream of the session, changes the resource, and reports whether an update comes.
func (w *watcher) hears(t *testing.T, text string) bool {
	t.Helper()
	var answer *http.Response
	eventually(t, "the stream of a session", func() bool {
		var err error
		answer, err = w.do("GET", "/mcp", "", "Mcp-Session-Id: "+w.session)
		if err == nil && answer.StatusCode == 200 {
			return true
		}
		if err == nil {
			answer.Body.Close()
		}
		return false
	})
	defer answer.Body.Close()
	found := make(chan bool, 1)
	go func() { // ends with the stream
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if strings.Contains(lines.Text(), "resources/updated") {
				found <- true
				return
			}
		}
		found <- false
	}()
	for deadline := time.Now().Add(testTime); time.Now().Before(deadline); {
		w.texts.Write(t, w.table, "notes://a", text)
		w.table.Changed("notes://a")
		select {
		case got := <-found:
			return got
		case <-time.After(200 * time.Millisecond):
		}
	}
	return false
}

// All sessions go on after the kill of any one node, with every subscription that was acknowledged.
func TestSessionsOutliveTheirNode(t *testing.T) {
	d := deploy(t, 3)
	b, nodes, _ := d.three(0)
	var watchers []*watcher
	for i := range 8 {
		w := d.watch(b.addr(), fmt.Sprint("user", i))
		if got := w.subscribe(2, "notes://a"); !strings.HasPrefix(got, "200") || strings.Contains(got, "error") {
			t.Fatalf("subscribe: %s", got)
		}
		watchers = append(watchers, w)
	}
	nodes[0].kill()
	b.replace(nodes[0], nil)
	var all sync.WaitGroup
	for i, w := range watchers {
		all.Go(func() {
			eventually(t, "the session goes on", func() bool { return strings.HasPrefix(w.say(gatewaytest.Classic("3", "ping", "")), "200") })
			if !w.hears(t, "second") {
				t.Errorf("user%d has lost its subscription", i)
			}
		})
	}
	all.Wait()
	stranger := d.client(b.addr(), "user1")
	if got := whole(stranger.do("POST", "/mcp", gatewaytest.Classic("5", "ping", ""), "Mcp-Session-Id: "+watchers[0].session)); !strings.HasPrefix(got, "404") {
		t.Errorf("the session of another user: %s", got)
	}
}
