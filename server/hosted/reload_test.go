package hosted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/internal/keys"
)

// A reloading is a running reloader in a bubble of synctest.
type reloading struct {
	t      *testing.T
	dir    string
	hangup chan os.Signal
	*reloader

	mu      sync.Mutex
	text    bytes.Buffer // of the log
	applied []*config.Loaded
	fail    error // of the next apply
	counts  map[string]int
}

// Write implements io.Writer for the log.
func (r *reloading) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(line)
}

func (r *reloading) setFailure(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

func (r *reloading) count(outcome string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[outcome]
}

const withFiles = `
publicURL: https://mcp.app.example
listen: 127.0.0.1:8443
tls: { cert: tls.crt, key: tls.key }
assistants: { issuer: https://auth.app.example }
pages: { origins: ["https://app.example"], tokens: { issuer: https://app.example, jwks: keys.json } }
keys: pagemcp.keys
`

// startReloader runs a reloader of text beside testFiles until the test ends.
func startReloader(t *testing.T, text string) (r *reloading, stop func()) {
	t.Helper()
	r = &reloading{t: t, dir: configtest.Files(t), hangup: make(chan os.Signal), counts: map[string]int{}}
	r.write("pagemcp.yaml", text)
	name := filepath.Join(r.dir, "pagemcp.yaml")
	load := func() (*config.Loaded, error) { return config.LoadFile(name) }
	first, err := load()
	if err != nil {
		t.Fatal(err)
	}
	r.reloader = newReloader(first, load, func(old, next *config.Loaded) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if old != r.current.Load() {
			t.Error("old is not the configuration in use")
		}
		if r.fail == nil {
			r.applied = append(r.applied, next)
		}
		return r.fail
	}, newLog(r).Logger, r.hangup, func(outcome string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.counts[outcome]++
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { r.Run(ctx); close(ended) }()
	return r, func() { cancel(); <-ended }
}

// write replaces a file as programs do that cannot be seen half-way: a new one is renamed.
func (r *reloading) write(name, text string) {
	r.t.Helper()
	fresh := configtest.Write(r.t, filepath.Join(r.dir, name+".new"), text, 0o440)
	if err := os.Rename(fresh, filepath.Join(r.dir, name)); err != nil {
		r.t.Fatal(err)
	}
}

// after waits for seconds, and checks how many configurations were applied and how many
// lines of the log have text since the last call.
func (r *reloading) after(wait time.Duration, applied int, text string, lines int) {
	r.t.Helper()
	time.Sleep(wait)
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	got := strings.Count(r.text.String(), text)
	if len(r.applied) != applied || got != lines {
		r.t.Errorf("%d applied, want %d; %d lines with %q, want %d:\n%s", len(r.applied), applied, got, text, lines, r.text.String())
	}
	r.applied = nil
	r.text.Reset()
}

func (r *reloading) signal() { r.hangup <- syscall.SIGHUP }

func TestChangedFilesAreReloaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReloader(t, withFiles)
		defer stop()
		r.after(5*reloadInterval, 0, "\n", 0)

		r.write("pagemcp.yaml", withFiles+"log: { level: debug }\n")
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		if got := r.current.Load().Config.Log.Level; got != "debug" {
			t.Errorf("the level is %s", got)
		}
		r.write("pagemcp.keys", configtest.Key(2)+"\n"+configtest.Key(1)+"\n")
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		if got := fmt.Sprint(r.current.Load().Keys); got != "2 keys" {
			t.Error(got)
		}
		before := r.current.Load().Certificate
		from, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		configtest.Certificate(t, r.dir, 7, from, until)
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		if after := r.current.Load().Certificate; before == after || after.Leaf.SerialNumber.Int64() != 7 {
			t.Error("the certificate stays")
		}
		r.write("keys.json", strings.Replace(string(r.current.Load().PageKeys), "{", "{ ", 1))
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		if text := string(r.current.Load().PageKeys); !strings.HasPrefix(text, "{ ") {
			t.Errorf("the keys of pages are %s", text)
		}
		if r.count(reloadApplied) != 4 {
			t.Errorf("%d reloads are counted", r.count(reloadApplied))
		}
	})
}

// Kubernetes mounts a directory whose files are links through a link, which it replaces.
func TestSecretsBehindLinksAreReloaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReloader(t, withFiles)
		defer stop()
		link := func(target, name string) {
			t.Helper()
			fresh := filepath.Join(r.dir, "..link")
			if err := errors.Join(os.Symlink(target, fresh), os.Rename(fresh, filepath.Join(r.dir, name))); err != nil {
				t.Fatal(err)
			}
		}
		for i, version := range []string{"..v1", "..v2"} {
			if err := os.Mkdir(filepath.Join(r.dir, version), 0o700); err != nil {
				t.Fatal(err)
			}
			configtest.Write(t, filepath.Join(r.dir, version, "pagemcp.keys"), configtest.Key(byte(i+5))+"\n", 0o440)
		}
		link("..v1", "..data")
		link("..data/pagemcp.keys", "pagemcp.keys")
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		r.after(reloadInterval, 0, "\n", 0)
		link("..v2", "..data")
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		if want, _ := keys.Parse([]byte(configtest.Key(6))); !reflect.DeepEqual(r.current.Load().Keys, want) {
			t.Error("the old keys are in use")
		}
	})
}

// A file that is not valid changes nothing, is logged once, and is counted once.
func TestInvalidFilesAreRejectedAsAWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReloader(t, withFiles)
		defer stop()
		first := r.current.Load()
		r.write("pagemcp.yaml", withFiles+"log: { level: debug }\naudit: { uris: some }\nunknown: 1\n")
		r.after(reloadInterval, 0, "unknown", 1)
		r.after(5*reloadInterval, 0, "\n", 0)
		r.signal() // the operator asks again
		r.after(0, 0, "unknown", 1)
		if r.current.Load() != first || r.count(reloadRejected) != 2 {
			t.Errorf("%d are counted", r.count(reloadRejected))
		}
		r.write("pagemcp.yaml", withFiles+"audit: { uris: some }\nlog: { level: loud }\n") // two problems
		r.after(reloadInterval, 0, "audit.uris", 1)
		r.write("pagemcp.yaml", withFiles)
		r.after(reloadInterval, 1, "configuration reloaded", 1)

		r.write("tls.key", "no key")
		r.after(reloadInterval, 0, "tls.key", 1)
		from, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		configtest.Certificate(t, r.dir, 8, from, until)
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		configtest.Certificate(t, r.dir, 9, from, time.Now().Add(-time.Second))
		r.after(reloadInterval, 0, "has expired", 1)
		if got := r.current.Load().Certificate.Leaf.SerialNumber.Int64(); got != 8 {
			t.Errorf("certificate %d", got)
		}
	})
}

// A configuration may name a file that is written later.
func TestFilesThatComeLaterAreLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReloader(t, withFiles)
		defer stop()
		r.write("pagemcp.yaml", strings.Replace(withFiles, "pagemcp.keys", "next.keys", 1))
		r.after(reloadInterval, 0, "next.keys does not exist", 1)
		r.write("next.keys", configtest.Key(9)+"\n")
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		r.write("next.keys", configtest.Key(8)+"\n")
		r.after(reloadInterval, 1, "configuration reloaded", 1)
	})
}

// What cannot be applied is tried again, and logged once.
func TestFailedReloadsKeepTheOldConfiguration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReloader(t, withFiles)
		defer stop()
		first := r.current.Load()
		r.setFailure(errors.New("the issuer is away"))
		r.write("pagemcp.yaml", withFiles+"log: { level: debug }\n")
		r.after(3*reloadInterval, 0, "the issuer is away", 1)
		if r.current.Load() != first || r.count(reloadFailed) != 1 {
			t.Errorf("%d are counted", r.count(reloadFailed))
		}
		r.setFailure(nil)
		r.after(reloadInterval, 1, "configuration reloaded", 1)
	})
}

// A change of addresses, or between TLS and proxies, is rejected as a whole; the log names the keys. A
// listener without TLS does not begin to accept all peers.
func TestChangesThatNeedARestartAreRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReloader(t, withFiles)
		defer stop()
		behind := strings.Replace(withFiles, "tls: { cert: tls.crt, key: tls.key }", "trustedProxies: [127.0.0.2]", 1)
		r.write("pagemcp.yaml", strings.Replace(behind, "mcp.app.example", "other.app.example", 1)+"log: { level: debug }\n")
		r.after(reloadInterval, 0, `"error":"publicURL, tls"`, 1)
		r.write("pagemcp.yaml", withFiles)
		r.after(reloadInterval, 1, "configuration reloaded", 1)
	})
	synctest.Test(t, func(t *testing.T) {
		behind := strings.Replace(withFiles, "tls: { cert: tls.crt, key: tls.key }", "trustedProxies: [127.0.0.2]", 1)
		r, stop := startReloader(t, behind)
		defer stop()
		r.write("pagemcp.yaml", strings.Replace(behind, "127.0.0.2", "127.0.0.3", 1))
		r.after(reloadInterval, 1, "configuration reloaded", 1)
		r.write("pagemcp.yaml", strings.Replace(behind, "trustedProxies: [127.0.0.2]\n", "", 1))
		r.after(reloadInterval, 0, `"error":"trustedProxies"`, 1)
	})
}
