package main

import (
	"github.com/pagemcp/pagemcp/server/cluster"
	"github.com/pagemcp/pagemcp/server/cluster/embed"
	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// checkCluster returns why this program cannot connect nodes as c says.
func checkCluster(c config.Cluster) error {
	if c.NATS.Embed == "" {
		return nil
	}
	return embed.Check(embedOptions(c))
}

func embedOptions(c config.Cluster) embed.Options {
	return embed.Options{File: c.NATS.Embed, KV: c.KV, AllowPlaintext: c.NATS.AllowPlaintext}
}

// connect connects to the NATS servers of a configuration, or starts one.
func connect(c config.Cluster, s hosted.PeerSettings) (hosted.Peers, error) {
	options := cluster.Options{
		Cluster: c.Name, KV: c.KV, URLs: c.NATS.URLs, Creds: c.NATS.Creds, CA: c.NATS.TLS.CA, Cert: c.NATS.TLS.Cert, Key: c.NATS.TLS.Key,
		Log: s.Log, Release: s.Release, Keys: s.Keys, Ready: s.Ready, CheckMaxPayload: s.CheckMaxPayload,
	}
	if c.NATS.Embed != "" {
		server, err := embed.Start(embedOptions(c), s.Log)
		if err != nil {
			return nil, err
		}
		options.Server = server
	}
	node, err := cluster.Connect(options)
	if err != nil {
		if options.Server != nil {
			options.Server.Close()
		}
		return nil, err
	}
	return node, nil
}
