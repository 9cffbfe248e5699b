package server

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A tool that runs when the gateway is closed gets time for its result; one that takes
// longer than limits.DrainTime does not delay the end any further.
func TestCloseWaitsForToolsThatRun(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name       string
		takes, end time.Duration
		want       string
	}{
		{"a tool of 2 s", 2 * time.Second, 3 * time.Second, `"text":"done"`},
		{"a tool of a minute", time.Minute, limits.DrainTime + limits.ShutdownTime, `"reason":"closed"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			g, client, kill := startInMemory(t, newMemDisk())
			defer kill()
			table := engine.NewTable()
			tool, err := engine.Tools.Parse([]byte(`{"name":"slow","inputSchema":{"type":"object"}}`))
			if err != nil {
				t.Fatal(err)
			}
			if err := table.Put(engine.Entry{Kind: engine.Tools, JSON: tool.JSON, Call: func(context.Context, []byte) ([]byte, error) {
				time.Sleep(x.takes)
				return []byte(`{"content":[{"type":"text","text":"done"}]}`), nil
			}}); err != nil {
				t.Fatal(err)
			}
			tabInMemory(t, g, client, "tab", table)
			session := beginInMemory(t, g, client)
			answered := make(chan string, 1)
			go func() { // ends with the answer
				_, body := inSession(t, g, client, session).Request("1", "tools/call", `"name":"notes__slow","arguments":{}`)
				answered <- body
			}()
			time.Sleep(time.Second / 2)
			began := time.Now()
			g.Close(t.Context())
			if took := time.Since(began); took > x.end {
				t.Errorf("%s: closed after %v", x.name, took)
			}
			if got := <-answered; !strings.Contains(got, x.want) {
				t.Errorf("%s: %s, want %s", x.name, got, x.want)
			}
			time.Sleep(time.Minute) // the tool of the page ends
		})
	}
}

// A fullDisk has no space for more, until it has.
type fullDisk struct {
	disk
	hasSpace atomic.Bool
}

// Create implements disk.
func (d *fullDisk) Create(name string) (diskFile, error) {
	if d.hasSpace.Load() {
		return d.disk.Create(name)
	}
	return nil, syscall.ENOSPC
}

// A gateway starts again on a full disk.
func TestGatewayStartsOnFullDisk(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	first, _ := openOn(t, d)
	first.Close(context.Background())
	full := &fullDisk{disk: d.process()}
	g, err := New(Options{State: "/state", disk: full, lockWait: -1})
	if err != nil {
		t.Fatal(err)
	}
	g.Close(context.Background())
}

// A gateway whose socket cannot be made serves, says so, and makes it as soon as it can.
func TestGatewayServesWithoutItsSocket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, socketName, "in-the-way"), 0o700); err != nil {
		t.Fatal(err)
	}
	logged := make(chan string, 10)
	g := startGateway(t, Options{State: dir, Logger: logTo(func(line string) { logged <- line })})
	if got := gatewaytest.Receive(t, logged); !strings.Contains(got, "other commands of pagemcp do not find this gateway") {
		t.Errorf("the log: %s", got)
	}
	if err := os.RemoveAll(filepath.Join(dir, socketName)); err != nil {
		t.Fatal(err)
	}
	if err := g.serveSocket(); err != nil { // as the sweeper does
		t.Fatal(err)
	}
	connect(t, g)
}

// A full disk refuses no page: one with a valid key joins, and one with an invitation gets a key that lasts until the gateway ends.
func TestAFullDiskRefusesNoPage(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	s, err := openState("/state", d.process(), -1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	ring, err := openKeyring(s)
	if err != nil {
		t.Fatal(err)
	}
	join := func(ring *keyring, secretID, keyID string, key []byte) (string, error) {
		a, err := ring.begin("http://localhost", "ws://127.0.0.1/page", make([]byte, nonceLength), secretID, keyID)
		if err != nil {
			return "", err
		}
		if key == nil {
			key = a.key
		}
		return a.finish(a.transcript.sign(key, pageLabel), "")
	}
	id, _ := ring.newSecret()
	first, err := join(ring, id, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var logged []string
	s.disk, s.log = &fullDisk{disk: s.disk}, logTo(func(line string) { logged = append(logged, line) })
	later, err := openKeyring(s) // the first use after a start is to be stored
	if err != nil {
		t.Fatal(err)
	}
	if _, err := join(later, "", first, nil); err != nil {
		t.Errorf("a page with a key: %v", err)
	}
	id, _ = later.newSecret()
	second, err := join(later, id, "", nil)
	if err != nil {
		t.Errorf("a page with an invitation: %v", err)
	}
	if _, err := join(later, "", second, nil); err != nil {
		t.Errorf("its reload: %v", err)
	}
	if !strings.Contains(strings.Join(logged, ""), "not kept") {
		t.Errorf("the log has only %q", logged)
	}
}
