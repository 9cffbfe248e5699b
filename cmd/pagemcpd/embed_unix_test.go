//go:build unix && embednats

package main

import "testing"

// A program with a NATS server serves with nothing but itself, and keeps subscriptions.
func TestServesWithItsOwnNATS(t *testing.T) {
	serveUntilTerminated(t, []string{"-tags=embednats"}, "cluster: { name: test, kv: true, nats: { embed: nats.conf } }\n", map[string]string{
		"nats.conf": "jetstream { store_dir: \"" + t.TempDir() + "\", max_file_store: 100MB, max_memory_store: 1MB }\n",
	})
}
