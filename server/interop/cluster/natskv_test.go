//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/hosted/ring/natskv"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

const deployed = "../../../cmd/pagemcpd/deploy"

// secureNATS runs a NATS server with nats.conf of the guide, alone, and returns what nodes need.
func secureNATS(t *testing.T) config.NATS {
	t.Helper()
	dir := t.TempDir()
	if text, err := exec.Command("sh", deployed+"/certificates.sh", dir, "localhost").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s; install openssl", err, text)
	}
	text, err := os.ReadFile(deployed + "/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	port := gatewaytest.FreePorts(t, 1)[0]
	conf := regexp.MustCompile(`(?s)\ncluster \{.*\n\}\n`).ReplaceAllString(string(text), "\n") // three servers, which are not here
	conf = strings.NewReplacer("$NATS_NAME", "nats1", "0.0.0.0:4222", fmt.Sprint("127.0.0.1:", port), `http: "127.0.0.1:8222"`, "", "/etc/nats", dir, "/data", filepath.Join(dir, "data")).Replace(conf)
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	options.NoLog, options.NoSigs = true, true
	s, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(testTime) {
		t.Fatalf("the NATS server is not ready within %v", testTime)
	}
	return config.NATS{URLs: []string{fmt.Sprint("tls://localhost:", port)}, TLS: config.MutualTLS{CA: dir + "/ca.crt", Cert: dir + "/pagemcpd.crt", Key: dir + "/pagemcpd.key"}}
}

// openStore connects to NATS; an error of the client, such as a missing permission, fails the test.
func openStore(t *testing.T, nats config.NATS) *ring.Store {
	t.Helper()
	store, err := natskv.Open(config.Cluster{Name: "prod", NATS: nats}, slog.New(slog.NewTextHandler(failing{t}, &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

type failing struct{ t *testing.T }

func (f failing) Write(text []byte) (int, error) {
	f.t.Error(string(text))
	return len(text), nil
}

// With the permissions of nats.conf, buckets are made, written, watched and checked by revision.
func TestPermissionsOfTheGuideSuffice(t *testing.T) {
	nats := secureNATS(t)
	a, b := openStore(t, nats), openStore(t, nats)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	if host, err := a.Host(); err != nil || host != "127.0.0.1" {
		t.Errorf("this machine is %s, %v", host, err)
	}
	type change struct{ key, value string }
	changes := make(chan change, 16)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	eventually(t, "NATS accepts the node", func() bool {
		_, err := a.Nodes.Put(ctx, "before", []byte("1"), ring.AnyRevision)
		return err == nil
	})
	go b.Nodes.Watch(watching, func(key string, value []byte) { changes <- change{key, string(value)} })
	next := func(want change) {
		t.Helper()
		select {
		case got := <-changes:
			if got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("timeout: %+v", want)
		}
	}
	next(change{"before", "1"})
	next(change{})
	if _, err := a.Nodes.Put(ctx, "later", []byte("2"), ring.AnyRevision); err != nil {
		t.Fatal(err)
	}
	next(change{"later", "2"})
	if err := a.Nodes.Delete(ctx, "later"); err != nil {
		t.Fatal(err)
	}
	next(change{"later", ""})
	stop()
	eventually(t, "a node that is silent expires", func() bool {
		found := false
		listing, end := context.WithCancel(ctx)
		defer end()
		a.Nodes.Watch(listing, func(key string, value []byte) {
			if found = found || key == "before" && value != nil; key == "" {
				end()
			}
		})
		return !found
	})

	// Of two nodes that have a session, the second one that saves it has lost it.
	first, second := &ring.Sessions{Bucket: a.Sessions}, &ring.Sessions{Bucket: b.Sessions}
	begun := &mcphttp.Stored{ID: "0a", Owner: "alice", Writer: "a"}
	if err := first.Save(ctx, begun); err != nil {
		t.Fatal(err)
	}
	moved, err := second.Load(ctx, "alice", "0a")
	if err != nil || moved == nil {
		t.Fatal(moved, err)
	}
	moved.Writer, moved.Subscriptions = "b", []string{strings.Repeat("x", mcphttp.MaxStored-1_000)}
	if err := second.Save(ctx, moved); err != nil {
		t.Fatal(err)
	}
	if err := first.Save(ctx, begun); !errors.Is(err, mcphttp.ErrStale) {
		t.Errorf("the stale writer: %v", err)
	}
	if err := second.Delete(ctx, "alice", "0a"); err != nil {
		t.Fatal(err)
	}
	if gone, err := first.Load(ctx, "alice", "0a"); gone != nil || err != nil {
		t.Errorf("a session that was deleted: %+v, %v", gone, err)
	}
	fresh := &mcphttp.Stored{ID: "0a", Owner: "alice", Writer: "b"} // its key has a marker of the deletion
	if err := second.Save(ctx, fresh); err != nil {
		t.Error(err)
	}
	late, end := context.WithTimeout(t.Context(), time.Nanosecond)
	defer end()
	if _, err := first.Load(late, "alice", "0a"); err == nil {
		t.Error("a load without time succeeds")
	}
}
