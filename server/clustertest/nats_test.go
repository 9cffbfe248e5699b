//go:build unix

package clustertest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/server/cluster"
	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// connect is that of pagemcpd, besides link versions.
func connect(c config.Cluster, s hosted.PeerSettings) (hosted.Peers, error) {
	var versions []byte
	for text := range strings.SplitSeq(os.Getenv(versionsVariable), ",") {
		if version, err := strconv.ParseUint(text, 10, 8); err == nil {
			versions = append(versions, byte(version))
		}
	}
	options := cluster.Options{
		LinkVersions: versions,
		Cluster:      c.Name, KV: c.KV, URLs: c.NATS.URLs, Log: s.Log, Release: s.Release, Keys: s.Keys, Ready: s.Ready, CheckMaxPayload: s.CheckMaxPayload,
	}
	node, err := cluster.Connect(options)
	if err != nil {
		return nil, err
	}
	return node, nil
}

// A natsServer is one of three NATS servers with JetStream, as a process.
type natsServer struct {
	*child
	client, routes int // ports
	argument       string
}

// startNATS starts count servers that are connected with each other. The routes go through
// d.routes, so that they can be cut.
func (d *deployment) startNATS(count int) {
	d.t.Helper()
	ports := testports.Free(d.t, 2*count)
	for i := range count {
		s := &natsServer{client: ports[i], routes: ports[count+i]}
		var routes []string
		for j := range count {
			if j != i {
				w := newWire(d.t, fmt.Sprintf("127.0.0.1:%d", ports[count+j]))
				d.routes = append(d.routes, route{i, j, w})
				routes = append(routes, w.url())
			}
		}
		s.argument = strings.Join([]string{strconv.Itoa(i), strconv.Itoa(s.client), strconv.Itoa(s.routes), filepath.Join(d.dir, fmt.Sprint("nats", i)), cmp.Or(strings.Join(routes, ","), noRoutes)}, " ")
		d.nats = append(d.nats, s)
		s.start(d.t)
	}
	for _, s := range d.nats {
		s.line()
	}
}

// A route is the way from one NATS server to another.
type route struct {
	from, to int
	wire     *wire
}

// splitOff cuts one NATS server off from the others, or connects it again.
func (d *deployment) splitOff(server int, isCut bool) {
	for _, r := range d.routes {
		switch {
		case r.from != server && r.to != server:
		case isCut:
			r.wire.cut()
		default:
			r.wire.mend()
		}
	}
}

func (s *natsServer) start(t testing.TB) { s.child = begin(t, "nats", s.argument) }

func (d *deployment) natsURLs() (urls []string) {
	if d.urls != nil {
		return d.urls
	}
	for _, s := range d.nats {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", s.client))
	}
	return urls
}

// nowhere is what servers tell each other as their address: a route that they make by
// themselves would go past the one that splitOff cuts.
const nowhere = "127.0.0.1:1"

// noRoutes is the argument of a server that is alone.
const noRoutes = "none"

// runNATS is a NATS server until it is killed. It prints a line when it accepts clients, and
// its JetStream is that of the cluster.
func runNATS(argument string) error {
	fields := strings.Fields(argument)
	client, err := strconv.Atoi(fields[1])
	if err != nil {
		return err
	}
	route, err := strconv.Atoi(fields[2])
	if err != nil {
		return err
	}
	options := &server.Options{
		ServerName: "nats" + fields[0], Host: "127.0.0.1", Port: client, JetStream: true, StoreDir: fields[3], NoLog: true, NoSigs: true,
		PingInterval: 2 * time.Second, MaxPingsOut: 2,
	}
	if urls := fields[4]; urls != noRoutes {
		options.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: route, PingInterval: 2 * time.Second, NoAdvertise: true, Advertise: nowhere}
		options.Routes = server.RoutesFromStr(urls)
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(testTime) {
		return fmt.Errorf("the NATS server is not ready")
	}
	if options.Cluster.Port != 0 {
		for deadline := time.Now().Add(testTime); !s.JetStreamIsCurrent(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				return fmt.Errorf("the JetStream of the cluster has no leader")
			}
		}
	}
	fmt.Println("ready")
	s.WaitForShutdown()
	return nil
}
