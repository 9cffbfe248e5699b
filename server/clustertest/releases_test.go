//go:build unix

package clustertest

import (
	"strings"
	"testing"
	"time"
)

// setVersions makes the nodes that are started next speak these link versions.
func (d *deployment) setVersions(list string) { d.env = []string{versionsVariable + "=" + list} }

// Release N speaks link versions 1 and 2, release N-1 only 1. While nodes are replaced one
// after the other, each one reads the pages of all, no request fails, and no tool is
// interrupted.
func TestReleasesAreMixed(t *testing.T) {
	needsAll(t)
	t.Parallel() // mostly waits
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(3)
	d.setVersions("1")
	old := []*process{d.start(), d.start(), d.start()}
	b := newBalancer(old...)
	seen := d.witness(b)
	seen.rules.Tools = true // they run for less than 20 s
	d.setVersions("1,2")
	for i, node := range old {
		seen.fault("a node is replaced by one of the next release")
		fresh := d.start()
		b.add(fresh)
		page, err := d.join(fresh.addr, "alice", "tab")
		if err != nil {
			t.Fatal(err)
		}
		alice := d.client("alice")
		for _, other := range old[i:] {
			if got := alice.read(other, page.name+"+"+pageURI); !strings.Contains(got, "of alice") {
				t.Errorf("a page of the new release, read by the old one: %s", got)
			}
		}
		node.drain()
		select {
		case <-node.ended:
		case <-time.After(drainTime):
			t.Fatal("timeout: a node drains")
		}
		page.conn.CloseNow()
	}
	seen.judge()
}

// Nodes without a common link version refuse each other's links. A newcomer is not ready; of
// two that have met later, each serves its own pages. Both say so in their log and metrics.
func TestNodesWithoutACommonVersionRefuseEachOther(t *testing.T) {
	needsAll(t)
	t.Parallel() // mostly waits
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(3)
	all := d.natsURLs()
	d.splitOff(0, true)
	var nodes [2]*process
	for i, version := range []string{"1", "2"} {
		d.urls = all[i : i+1]
		d.setVersions(version)
		nodes[i] = d.start()
	}
	alice := d.client("alice")
	var uris [2]string
	for i, node := range nodes {
		page, err := d.join(node.addr, "alice", []string{"old", "new"}[i])
		if err != nil {
			t.Fatal(err)
		}
		uris[i] = page.name + "+" + pageURI
	}
	d.splitOff(0, false)
	const metric, text = "pagemcp_cluster_members_mismatched", "no common link version"
	for i, node := range nodes {
		eventually(t, "a node counts the other one", func() bool { return node.metric(metric) == 1 })
		if count := strings.Count(node.log.String(), text); count != 1 {
			t.Errorf("the log of node %d has %d lines about it", i, count)
		}
		if !node.isReady() {
			t.Errorf("node %d is not ready: it was before they met", i)
		}
		if got := alice.read(node, uris[i]); !strings.Contains(got, "of alice") {
			t.Errorf("node %d, its own page: %s", i, got)
		}
		began := time.Now()
		if got := alice.read(node, uris[1-i]); !strings.Contains(got, "page-away") {
			t.Errorf("node %d, the page of the other one: %s", i, got)
		}
		t.Logf("the page of the other node is away after %v", since(began))
	}

	d.urls = all
	d.setVersions("2")
	newcomer := d.launch()
	eventually(t, "the newcomer says why it is not ready", func() bool { return strings.Contains(newcomer.log.String(), "is not ready") })
	if log := newcomer.log.String(); !strings.Contains(log, text) || newcomer.isReady() {
		t.Errorf("a newcomer without a common version is ready, or does not say why not: %s", log)
	}
	if _, err := d.join(newcomer.addr, "alice", "third"); err == nil {
		t.Error("a page joins a node that is not ready")
	}

	d.setVersions("1,2")
	both := d.start()
	for i, uri := range uris {
		if got := alice.read(both, uri); !strings.Contains(got, "of alice") {
			t.Errorf("a node of both versions, the page of node %d: %s", i, got)
		}
	}
}

// drainTime is how long a node may take to end after SIGTERM.
const drainTime = 45 * time.Second
