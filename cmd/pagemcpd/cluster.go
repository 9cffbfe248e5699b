package main

import (
	"github.com/pagemcp/pagemcp/server/cluster"
	"github.com/pagemcp/pagemcp/server/cluster/embed"
	"github.com/pagemcp/pagemcp/server/hosted"
)

// peers implements hosted.Peers by a node of a cluster.
type peers struct {
	*cluster.Node
	kv     bool         // subscriptions of sessions are stored
	server embed.Server // of NATS, in this process; nil if it is elsewhere
}

// Close implements hosted.Peers.
func (p peers) Close() {
	p.Node.Close()
	if p.server != nil {
		p.server.Close()
	}
}

// SessionValues implements hosted.Peers.
func (p peers) SessionValues() hosted.SessionValues {
	if !p.kv {
		return nil
	}
	return p.Node.SessionValues()
}

// Counts returns what metrics show.
func (p peers) Counts() hosted.ClusterCounts {
	stats := p.Stats()
	return hosted.ClusterCounts{Connected: p.IsConnected(), Disconnects: stats.Disconnects, Members: stats.Members, Mismatched: stats.Mismatched, Links: stats.Links, Foreign: stats.Foreign, Unread: stats.Unread}
}

// checkCluster returns why this program cannot connect nodes as c says.
func checkCluster(c hosted.Cluster) error {
	if c.NATS.Embed == "" {
		return nil
	}
	return embed.Check(embedOptions(c))
}

func embedOptions(c hosted.Cluster) embed.Options {
	return embed.Options{File: c.NATS.Embed, KV: c.KV, AllowPlaintext: c.NATS.AllowPlaintext}
}

// connect connects to the NATS servers of a configuration, or starts one.
func connect(c hosted.Cluster, s hosted.PeerSettings) (_ hosted.Peers, err error) {
	options := cluster.Options{
		Cluster: c.Name, KV: c.KV, URLs: c.NATS.URLs, Creds: c.NATS.Creds, CA: c.NATS.TLS.CA, Cert: c.NATS.TLS.Cert, Key: c.NATS.TLS.Key,
		Log: s.Log, Release: s.Release, Keys: s.Keys, Ready: s.Ready, CheckMaxPayload: s.CheckMaxPayload,
	}
	var server embed.Server
	if c.NATS.Embed != "" {
		if server, err = embed.Start(embedOptions(c), s.Log); err != nil {
			return nil, err
		}
		options.Server = server
	}
	node, err := cluster.Connect(options)
	if err != nil {
		if server != nil {
			server.Close()
		}
		return nil, err
	}
	return peers{node, c.KV, server}, nil
}
