package main

import (
	"github.com/pagemcp/pagemcp/server/cluster"
	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// connect connects to the NATS servers of a configuration.
func connect(c config.Cluster, s hosted.PeerSettings) (hosted.Peers, error) {
	node, err := cluster.Connect(cluster.Options{
		Cluster: c.Name, KV: c.KV, URLs: c.NATS.URLs, Creds: c.NATS.Creds, CA: c.NATS.TLS.CA, Cert: c.NATS.TLS.Cert, Key: c.NATS.TLS.Key,
		Log: s.Log, Release: s.Release, Keys: s.Keys, Ready: s.Ready, CheckMaxPayload: s.CheckMaxPayload,
	})
	if err != nil {
		return nil, err
	}
	return node, nil
}
