//go:build !embednats

package main

import (
	"errors"
	"testing"

	"github.com/pagemcp/pagemcp/server/cluster/embed"
	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// A program without a NATS server says so before it starts, and when it is asked to check.
func TestSaysThatItHasNoNATS(t *testing.T) {
	c := config.Cluster{Name: "test", NATS: config.NATS{Embed: "nats.conf"}}
	if err := checkCluster(c); !errors.Is(err, embed.ErrNone) {
		t.Errorf("check: %v", err)
	}
	if _, err := connect(c, hosted.PeerSettings{}); !errors.Is(err, embed.ErrNone) {
		t.Errorf("connect: %v", err)
	}
}
