package hosted

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/internal/front"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

const (
	// readyCluster is the name of the condition that other nodes can know of this one.
	readyCluster = "cluster"

	// peerName is what certificates between nodes are for.
	peerName = "pagemcpd"

	moveSpread   = 2 * time.Second // over which pages join again whose owner has another home
	movePatience = 8 * time.Second // for requests in flight and tools: shorter than the grace time of a page at its new home
	moveNotice   = time.Second     // until all nodes pass requests on to the new home
	moveStep     = time.Second     // between two steps of a drain
	stepPages    = 50              // in one step of a drain, if there are fewer steps than in drainPages
)

// A StoreOpener connects to what the nodes of a deployment share.
type StoreOpener func(config.Cluster, *slog.Logger) (*ring.Store, error)

// A cluster is what a node has to serve with others.
type cluster struct {
	node   *Node
	store  *ring.Store
	nodes  *ring.Nodes
	front  *ring.Front
	peer   atomic.Pointer[config.PeerTLS] // nil without TLS
	inside *front.Listener                // for requests of other nodes
}

// openCluster connects to the others, if there are any, and binds the internal address.
func (n *Node) openCluster(l *config.Loaded) error {
	if l.Config.Cluster == nil {
		return nil
	}
	if n.options.Store == nil {
		return config.Refusal("cluster", "this program connects to no other nodes; remove the key")
	}
	c := &cluster{node: n}
	c.peer.Store(l.Peer)
	n.cluster = c
	var err error
	if c.store, err = n.options.Store(*l.Config.Cluster, n.log.Logger); err != nil {
		return config.Refusal("cluster", "%v", err)
	}
	listener, err := net.Listen("tcp", l.Config.Cluster.Internal.Listen)
	if err != nil {
		return fmt.Errorf("cluster.internal.listen: %w", err)
	}
	address, err := c.address(listener.Addr().(*net.TCPAddr))
	if err != nil {
		listener.Close()
		return config.Refusal("cluster.internal.listen", "the address for other nodes cannot be found; set one of this machine: %v", err)
	}
	c.nodes = ring.New(ring.Options{
		Bucket: c.store.Nodes, URL: address, Release: n.options.Version, Log: n.log.Logger,
		Ready: func() bool { return len(n.ready.Missing(readyCluster)) == 0 },
	})
	if l.Peer == nil {
		listener = &peersOnly{listener, c.nodes}
	} else {
		listener = tls.NewListener(listener, &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.serverTLS(), nil }})
	}
	everywhere := front.NewProxies([]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}, true, nil)
	c.inside = front.On(listener, nil, everywhere, http.HandlerFunc(c.serveInside), nil, n.maxUnknown(l.Config), nil, n.log.Logger)
	return nil
}

// address returns the URL of the internal address for other nodes.
func (c *cluster) address(bound *net.TCPAddr) (string, error) {
	host := bound.IP.String()
	if bound.IP.IsUnspecified() {
		var err error
		if host, err = c.store.Host(); err != nil {
			return "", err
		}
	}
	scheme := "http"
	if c.peer.Load() != nil {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, fmt.Sprint(bound.Port))}).String(), nil
}

// peersOnly closes connections that do not come from the address of another node.
type peersOnly struct {
	net.Listener
	nodes *ring.Nodes
}

// Accept implements net.Listener.
func (p *peersOnly) Accept() (net.Conn, error) {
	for {
		conn, err := p.Listener.Accept()
		if err != nil || p.nodes.IsPeer(conns.Address(conn.RemoteAddr())) {
			return conn, err
		}
		conn.Close()
	}
}

func (c *cluster) serverTLS() *tls.Config {
	peer := c.peer.Load()
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*peer.Certificate}, ClientCAs: peer.Authorities, ClientAuth: tls.RequireAndVerifyClientCert,
		VerifyConnection: func(s tls.ConnectionState) error { return s.PeerCertificates[0].VerifyHostname(peerName) },
	}
}

// clientTLS returns the configuration of connections to other nodes; nil without TLS.
func (c *cluster) clientTLS() *tls.Config {
	peer := c.peer.Load()
	if peer == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, ServerName: peerName, Certificates: []tls.Certificate{*peer.Certificate}, RootCAs: peer.Authorities}
}

// begin lets requests pass through the front, which gets those that the guard admits.
func (c *cluster) begin() {
	c.front = ring.NewFront(c.nodes, c.node.identify, ring.NewTransport(c.clientTLS), http.HandlerFunc(c.node.core.Route))
	c.node.guard.Next = c.front
}

// counts returns what metrics show.
func (c *cluster) counts() clusterCounts {
	passed, lost := c.front.Count()
	return clusterCounts{c.nodes.Count(), c.nodes.Away(), passed, lost}
}

func (c *cluster) serveInside(w http.ResponseWriter, r *http.Request) {
	c.front.Inside(c.node.handler).ServeHTTP(w, r)
}

// identify returns the owner of a request whose credentials are valid, and the request with what
// was found: the core does not verify it again.
func (n *Node) identify(r *http.Request) (access.Owner, *http.Request) {
	if r.URL.Path == access.PagePath {
		if joinToken(r.Header) == "" {
			return "", r
		}
		join, err := n.doorkeeper.verify(r)
		r = r.WithContext(context.WithValue(r.Context(), verifiedJoin{}, &verified{join, err}))
		return join.Owner, r
	}
	if _, ok := access.PageOf(r.URL.Path); !ok {
		return "", r
	}
	caller, challenge := n.core.Gate.Auth.Authenticate(r)
	return caller.Owner, r.WithContext(context.WithValue(r.Context(), identified{}, &identity{caller, challenge}))
}

// whereis returns the home of an owner, for operators: that of a key, or of a tenant and subject.
func (c *cluster) whereis(query url.Values) string {
	owner := access.Owner(query.Get("owner"))
	if owner == "" {
		owner = oauth.OwnerKey(query.Get("tenant"), query.Get("subject"))
	}
	id, address := c.nodes.HomeURL(owner)
	return fmt.Sprintf("owner %s\nhome %s %s\nthis node %s\n", owner, id, address, c.nodes.ID())
}

// watch follows the membership until ctx ends: it lets owners go that have another home now.
func (c *cluster) watch(ctx context.Context) {
	before := c.nodes.Count()
	for {
		updated := c.nodes.Updated()
		if count := c.nodes.Count(); count != before {
			before = count
			c.node.usage.SetLimits(c.node.limitsNow())
		}
		go c.release(ctx) // ends after movePatience, or with ctx
		select {
		case <-updated:
		case <-ctx.Done():
			return
		}
	}
}

// moves reports whether what belongs to an owner, and has come through another node, must leave
// this one.
func (c *cluster) moves(owner access.Owner, via string) bool {
	return c.nodes.Home(owner) != nil || via != "" && c.nodes.IsDraining(via)
}

// release lets go of owners that have another home, and of what comes through a node that drains.
// Requests that others have passed on before they knew of the change are served first.
func (c *cluster) release(ctx context.Context) {
	timer := time.NewTimer(moveNotice)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	c.front.EndStreams(c.moves)
	pages := slices.DeleteFunc(c.node.core.Connected(), func(page gateway.Connected) bool { return !c.moves(page.Owner, page.Via) })
	calls := func(page gateway.Connected) int {
		if c.nodes.Home(page.Owner) != nil {
			requests, _ := c.node.usage.InUse(limits.Requests, limits.OfOwner, limits.User{Owner: string(page.Owner)})
			return page.Calls() + requests
		}
		return page.Calls()
	}
	movePages(ctx, pages, calls, movePatience, moveSpread)
	c.node.core.Forget(func(owner access.Owner) bool { return c.nodes.Home(owner) != nil })
}

// drain moves all owners to other nodes, in as many steps as their pages need. It returns at once
// if there is no other node, and false.
func (c *cluster) drain(ctx context.Context) bool {
	if c.nodes.Count() == 1 {
		return false
	}
	steps := min(int(drainPages/moveStep), c.node.registry.count()/stepPages+1)
	c.nodes.Move(ctx, steps, moveStep)
	return true
}

func (c *cluster) close() {
	if c.inside != nil {
		c.inside.Close()
	}
	c.store.Close()
}
