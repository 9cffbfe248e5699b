//go:build embednats

package embed

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/nats-io/nats-server/v2/server"
)

// reportEvery is how many attempts to reach the server of another node are one line in the log:
// about one a minute for each of several connections. The default of NATS is each attempt.
const reportEvery = 60

// Check reads the configuration file and returns all reasons not to start with it, joined
// by errors.Join. It binds no addresses.
func Check(o Options) error {
	_, err := o.load()
	return err
}

// load returns the options of a server whose only client is this node.
func (o Options) load() (*server.Options, error) {
	read, err := server.ProcessConfigFile(o.File)
	if err != nil {
		return nil, err
	}
	if errs := o.problems(read); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	read.Host, read.Port = "127.0.0.1", server.RANDOM_PORT // without a listener it makes no routes; no user may log in over TCP
	read.NoSigs = true                                     // signals are the program's
	read.LogFile, read.Syslog, read.PidFile, read.PortsFileDir = "", false, "", ""
	read.Debug, read.Trace, read.Logtime = false, false, false
	if read.ReconnectErrorReports == 0 {
		read.ReconnectErrorReports = reportEvery
	}
	return read, nil
}

// problems returns the settings that would let other clients read messages, or would not work.
func (o Options) problems(read *server.Options) (errs []error) {
	refuse := func(isWrong bool, text string) {
		if isWrong {
			errs = append(errs, fmt.Errorf("%s: %s", o.File, text))
		}
	}
	refuse(read.Host != "" || read.Port != 0, "remove `listen`, `host` and `port`: only this node may be a client")
	refuse(len(read.Accounts)+len(read.Users)+len(read.Nkeys)+len(read.TrustedOperators) > 0 || read.Username != "" || read.Authorization != "" || read.AuthCallout != nil || read.NoAuthUser != "",
		"remove `accounts`, `authorization` and `operator`: the only user is made by the node")
	refuse(read.Gateway.Name != "" || read.Gateway.Port != 0 || read.LeafNode.Port != 0 || len(read.LeafNode.Remotes) > 0 || read.Websocket.Port != 0 || read.MQTT.Port != 0,
		"remove `gateway`, `leafnodes`, `websocket` and `mqtt`: a server in a node is for nodes alone")
	refuse(read.HTTPPort != 0 && !isLoopback(read.HTTPHost) || read.HTTPSPort != 0 && !isLoopback(read.HTTPHost) || read.ProfPort != 0,
		"`http` must be on loopback, like 127.0.0.1:8222, and `prof_port` absent: they show names of users' pages")
	refuse(o.KV && !read.JetStream, "add `jetstream`, which `cluster.kv: true` needs, with `store_dir`, `max_file_store` and `max_memory_store`")
	refuse(read.JetStream && read.StoreDir == "", "add `store_dir` to `jetstream`: without it the store is a temporary directory")
	refuse(read.Cluster.Port == 0 && len(read.Routes) > 0, "add `listen` to `cluster`: the servers of the other nodes connect to it")
	refuse(read.Cluster.Port != 0 && read.Cluster.Name == "", "add `name` to `cluster`, the same for all nodes")
	if read.Cluster.Port != 0 && !(isLoopback(read.Cluster.Host) && allLoopback(read)) {
		verified := read.Cluster.TLSConfig != nil && read.Cluster.TLSConfig.ClientAuth == tls.RequireAndVerifyClientCert
		refuse(!verified && !(o.AllowPlaintext && read.Cluster.Username != ""),
			"add `tls` with `verify: true` to `cluster`, or, on a network that is encrypted itself, `authorization` to `cluster` and cluster.nats.allowPlaintext: a server that connects there can read all pages")
	}
	return errs
}

// allLoopback reports whether all routes are to this machine.
func allLoopback(read *server.Options) bool {
	for _, route := range read.Routes {
		if !isLoopback(route.Hostname()) {
			return false
		}
	}
	return true
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
