package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// remembered is what a gateway must not lose.
type remembered struct {
	identity string // of the gateway
	token    string
	keys     []string // ids of keys and what they are
	names    []string
	sessions []string // what testSession has subscribed to
}

var testSession = strings.Repeat("ab", 16)

// openOn starts a gateway on a disk. It is not bound to a port.
func openOn(t *testing.T, d *memDisk) (*Gateway, remembered) {
	t.Helper()
	g, err := New(Options{State: "/state", disk: d.process(), lockWait: -1, Version: "0.0.0-test", Origins: []string{testOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	r := remembered{identity: g.keys.gateway, token: g.token.text(), names: g.names.remembered()}
	for id, key := range g.keys.keys {
		r.keys = append(r.keys, id+" "+string(key.Key))
	}
	if s, _ := g.core.Sessions.Store.Load(t.Context(), "", testSession); s != nil {
		r.sessions = s.Subscriptions
	}
	slices.Sort(r.keys)
	return g, r
}

// Each save is atomic and durable: after a crash in any of its operations, with or
// without a loss of power, the next process finds the old state or the new one, and no
// broken file.
func TestSavesSurviveLossOfPowerAtEachStep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	subscribe := func(g *Gateway, uris ...string) error {
		return g.core.Sessions.Store.Save(t.Context(), &mcphttp.Stored{ID: testSession, Revision: "2025-11-25", Capabilities: []byte("{}"), Subscriptions: uris, Expires: time.Now().Add(sessionLifetime)})
	}
	saves := map[string]struct {
		before, save func(g *Gateway) error
		of           func(remembered) any
		operations   int // at least; 0: 5
	}{
		"first start": {of: func(r remembered) any { return "whatever" }},
		"a name": {
			before: func(g *Gateway) error { g.names.claim(context.Background(), testOrigin, "", "1", "notes"); return nil },
			save:   func(g *Gateway) error { g.names.claim(context.Background(), testOrigin, "", "2", "mail"); return nil },
			of:     func(r remembered) any { return r.names },
		},
		"a key": {
			before: func(g *Gateway) error {
				g.keys.keys["a"] = &pageKey{ID: "a", Origin: testOrigin, Key: make([]byte, 32), Used: time.Now()}
				return g.keys.file.save()
			},
			save: func(g *Gateway) error {
				g.keys.keys["b"] = &pageKey{ID: "b", Origin: testOrigin, Key: make([]byte, 32), Used: time.Now()}
				return g.keys.file.save()
			},
			of: func(r remembered) any { return r.keys },
		},
		"a session": {
			before: func(g *Gateway) error { return subscribe(g, "a:1") },
			save:   func(g *Gateway) error { return subscribe(g, "a:1", "a:2") },
			of:     func(r remembered) any { return r.sessions },
		},
		"the end of a session": {
			before:     func(g *Gateway) error { return subscribe(g, "a:1") },
			save:       func(g *Gateway) error { return g.core.Sessions.Store.Delete(t.Context(), "", testSession) },
			of:         func(r remembered) any { return r.sessions },
			operations: 2, // remove, sync the directory
		},
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			// Without a crash: the states, and how many operations there are.
			prepare := func() (*memDisk, *Gateway, remembered) {
				d := newMemDisk()
				if save.before == nil {
					return d, nil, remembered{}
				}
				g, _ := openOn(t, d)
				if err := save.before(g); err != nil {
					t.Fatal(err)
				}
				d.crash(nil)
				g, before := openOn(t, d)
				d.operations = 0
				return d, g, before
			}
			run := func(d *memDisk, g *Gateway) error {
				if save.save == nil {
					_, err := New(Options{State: "/state", disk: d.process(), lockWait: -1})
					return err
				}
				return save.save(g)
			}
			d, g, before := prepare()
			if err := run(d, g); err != nil {
				t.Fatal(err)
			}
			operations := d.operations
			if operations < cmp.Or(save.operations, 5) { // create, write, sync, rename, sync the directory
				t.Fatalf("a save of %d operations", operations)
			}
			d.crash(nil)
			_, after := openOn(t, d)
			for dieAt := 1; dieAt <= operations+1; dieAt++ {
				for seed := range uint64(40) {
					d, g, own := prepare()
					before.identity, before.token = own.identity, own.token
					d.dieAt = dieAt
					err := run(d, g)
					if dieAt > operations && err != nil {
						t.Fatal(err)
					}
					choice := rand.New(rand.NewPCG(seed, uint64(dieAt)))
					keep := func() bool { return choice.IntN(2) == 0 }
					switch seed {
					case 0:
						keep = nil // kill -9: the file system keeps running
					case 1:
						keep = func() bool { return false }
					}
					d.crash(keep)
					g, found := openOn(t, d)
					where := fmt.Sprintf("dead at operation %d of %d, seed %d", dieAt, operations, seed)
					if broken := d.broken(); len(broken) > 0 {
						t.Fatalf("%s: %v", where, broken)
					}
					if save.before != nil && (found.identity != own.identity || found.token != own.token) {
						t.Fatalf("%s: another identity or token", where)
					}
					got, old, new := fmt.Sprint(save.of(found)), fmt.Sprint(save.of(before)), fmt.Sprint(save.of(after))
					if got != old && got != new || dieAt > operations && got != new {
						t.Fatalf("%s: %s; want %s or %s", where, got, old, new)
					}
					// Nothing that was found is lost at the next loss of power.
					g.state.close()
					d.crash(func() bool { return false })
					if _, again := openOn(t, d); again.identity != found.identity || again.token != found.token || fmt.Sprint(save.of(again)) != got {
						t.Fatalf("%s: %+v, and after one more loss of power %+v", where, found, again)
					}
				}
			}
		})
	}
}

// A file that cannot be parsed is renamed beside earlier ones, and the log says what its
// loss means; the rest of the state is unchanged.
func TestBrokenFilesAreKeptAside(t *testing.T) {
	t.Parallel()
	for name, contents := range map[string][]string{
		"names.json":             {"", "{", "{}", `[1]`},
		"keys.json":              {"", "\x00", `"a"`, `[{"id":1}]`},
		sessionFile(testSession): {"", "null", `{"level":"error"}`, `{"expires":"2999-01-01T00:00:00Z"}`},
	} {
		d := newMemDisk()
		g, first := openOn(t, d)
		g.Close(context.Background())
		for i, text := range contents {
			d.put(name, text)
			var logged []string
			g, err := New(Options{State: "/state", disk: d.process(), lockWait: -1, Logger: logTo(func(line string) { logged = append(logged, line) })})
			if err != nil {
				t.Fatalf("%s %q: %v", name, text, err)
			}
			if name != keysFile && g.keys.gateway != first.identity || g.token.text() != first.token {
				t.Errorf("%s %q: another identity or token", name, text)
			}
			if s, err := g.core.Sessions.Store.Load(t.Context(), "", testSession); s != nil || err != nil {
				t.Errorf("%s %q: a session %+v, %v", name, text, s, err)
			}
			g.Close(context.Background())
			aside := name + brokenSuffix
			if i > 0 {
				aside += fmt.Sprintf("-%d", i+1)
			}
			if got := d.text(aside); got != text || !slices.Contains(d.names(), aside) {
				t.Errorf("%s: %q, want %q", aside, got, text)
			}
			if len(logged) != 1 || !strings.Contains(logged[0], "is broken") || !strings.Contains(logged[0], brokenSuffix) {
				t.Errorf("%s %q: said %q", name, text, logged)
			}
		}
	}
}

// A file of another user, or a directory in its place, is renamed too.
func TestUnreadableFilesAreKeptAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/names.json", 0o700); err != nil {
		t.Fatal(err)
	}
	var logged []string
	g, err := New(Options{State: dir, Logger: logTo(func(line string) { logged = append(logged, line) })})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	if info, err := os.Stat(dir + "/names.json.broken"); err != nil || !info.IsDir() || len(logged) != 1 {
		t.Errorf("%v, said %q", err, logged)
	}
}

// One process at a time uses the directory: of many that start at once on an empty one,
// each gets the same identity and token, one after the other.
func TestStateDirectoryHasOneOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	owners, seen := 0, map[string]int{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			g, err := New(Options{State: dir, lockWait: 4 * testTime}) // for 20, one after the other
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			owners++
			if owners > 1 {
				t.Error("two own it at once")
			}
			seen[g.keys.gateway+" "+g.token.text()]++
			mu.Unlock()
			if err := g.Listen("127.0.0.1:0"); err != nil {
				t.Error(err)
			}
			mu.Lock()
			owners--
			mu.Unlock()
			g.Close(context.Background())
		})
	}
	all.Wait()
	if len(seen) != 1 {
		t.Errorf("identities: %v", seen)
	}
}

// The error names the process that uses the directory, and what to do.
func TestOwnedErrorNamesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g, err := New(Options{State: dir})
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Options{State: dir, lockWait: -1})
	owned := (*OwnedError)(nil)
	if !errors.As(err, &owned) || owned.Holder != fmt.Sprintf("process %d", os.Getpid()) || !strings.Contains(err.Error(), "--state") {
		t.Errorf("%v", err)
	}
	g.Close(context.Background())
	again, err := New(Options{State: dir, lockWait: -1})
	if err != nil {
		t.Fatal(err)
	}
	again.Close(context.Background())
}
