package ring

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// HopHeader names the node that has passed a request on, and after it those that have refused its
// connections: the next home of their owners would wait for their expiry otherwise. It is read at
// the internal address of a node alone, where it also says that the request is passed on no more.
const HopHeader = "PageMCP-Hop"

const (
	dialTime   = time.Second // for a connection to another node
	copyBuffer = 4 << 10     // bytes, for each direction of a WebSocket or a response
	idleConns  = 1_024       // to one node

	// How long a request waits until the nodes agree about its home, and between two attempts. Each learns
	// of a change by its own watch of the store, or by the expiry of a node.
	settleTime  = 2 * Expiry
	settlePause = 20 * time.Millisecond
)

// A Front passes each request on to the home of its owner, or to Next if that is this node.
type Front struct {
	nodes *Nodes
	owner func(*http.Request) (access.Owner, *http.Request)
	next  http.Handler
	proxy *httputil.ReverseProxy

	passed, lost atomic.Int64 // requests: passed on; of these, sent without an answer

	mu     sync.Mutex
	visits map[*visit]struct{} // requests that Next serves
}

// A visit is one request that this node serves.
type visit struct {
	owner access.Owner
	via   string // the node that has passed it on; "" for none
	end   context.CancelFunc
}

// NewFront returns a Front. owner returns the owner of a request whose credentials are valid,
// and "" for others, which Next refuses; the request may have another context. The transport of
// NewTransport connects to other nodes.
func NewFront(nodes *Nodes, owner func(*http.Request) (access.Owner, *http.Request), transport *http.Transport, next http.Handler) *Front {
	f := &Front{nodes: nodes, owner: owner, next: next, visits: map[*visit]struct{}{}}
	f.proxy = &httputil.ReverseProxy{
		Rewrite: f.rewrite, Transport: transport, BufferPool: &buffers{}, ErrorHandler: f.failed, ModifyResponse: received,
		ErrorLog: log.New(io.Discard, "", 0), // it would log each client that hangs up
	}
	return f
}

type (
	passKey struct{}
	stayKey struct{}
	viaKey  struct{}
)

// A pass is the attempt to pass a request on to one node.
type pass struct {
	to     *Peer
	target *url.URL
	err    error // errNoConnection or errNotHome: nothing was served
}

// Stay returns a context that ends when the streams of a request have to end, because its owner
// has another home now or the node that has passed it on drains. It is nil without a Front.
func Stay(ctx context.Context) context.Context {
	stay, _ := ctx.Value(stayKey{}).(context.Context)
	return stay
}

// Via returns the node that has passed a request on, or "".
func Via(ctx context.Context) string {
	via, _ := ctx.Value(viaKey{}).(string)
	return via
}

// Inside returns handler for the internal address: requests come from other nodes, with the
// address of the client. These are as authenticated as those of the public address.
func (f *Front) Inside(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hop := strings.Fields(r.Header.Get(HopHeader))
		if len(hop) == 0 {
			http.Error(w, "this address is for other nodes", http.StatusForbidden)
			return
		}
		for _, id := range hop[1:] {
			f.nodes.Refused(id)
		}
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), viaKey{}, hop[0])))
	})
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Del(HopHeader)
	owner, r := f.owner(r)
	via := Via(r.Context())
	switch {
	case owner == "":
		f.next.ServeHTTP(w, r)
	case via == "":
		f.passToHome(w, r, owner)
	case f.nodes.Home(owner) == nil:
		f.serve(w, r, owner, via)
	default: // the nodes differ: the other one tries again, until both know the same
		w.Header().Set(HopHeader, f.nodes.ID())
		http.Error(w, "this node is not the home of the user", http.StatusMisdirectedRequest)
	}
}

// passToHome passes a request on to the home of an owner, or serves it. A node that refuses the connection, or
// that is not the home by what it knows, has got nothing of it: it is passed on again, by what this node
// knows then.
func (f *Front) passToHome(w http.ResponseWriter, r *http.Request, owner access.Owner) {
	body, err := keepBody(r)
	if err != nil {
		http.Error(w, "the request body could not be read", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), settleTime)
	defer cancel()
	for {
		r.Body = body()
		home := f.nodes.Home(owner)
		if home == nil {
			f.serve(w, r, owner, "")
			return
		}
		switch f.passOn(w, r, home) {
		case nil:
			return
		case errNoConnection:
			f.nodes.Refused(home.ID)
		}
		if !wait.For(ctx, settlePause) {
			f.unavailable(w)
			return
		}
	}
}

// keepBody returns what makes the body of each attempt. A short one is kept; of others nothing is sent before the
// home wants it.
func keepBody(r *http.Request) (body func() io.ReadCloser, err error) {
	if r.ContentLength < 0 || r.ContentLength > limits.SmallBody {
		r.Header.Set("Expect", "100-continue")
		whole := r.Body
		return func() io.ReadCloser { return io.NopCloser(whole) }, nil // an attempt closes it
	}
	text, err := io.ReadAll(r.Body)
	return func() io.ReadCloser { return io.NopCloser(bytes.NewReader(text)) }, err
}

func (f *Front) unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1") // seconds
	http.Error(w, "the nodes of the gateway are changing: retry in a second", http.StatusServiceUnavailable)
}

// serve serves a request on this node.
func (f *Front) serve(w http.ResponseWriter, r *http.Request, owner access.Owner, via string) {
	stay, end := context.WithCancel(context.Background())
	defer end()
	v := &visit{owner, via, end}
	f.enter(v)
	defer f.leave(v)
	if via != "" && f.nodes.IsDraining(via) {
		end() // a stream through it would keep it from its end
	}
	f.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), stayKey{}, stay)))
}

func (f *Front) enter(v *visit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.visits[v] = struct{}{}
}

func (f *Front) leave(v *visit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.visits, v)
}

// Count returns the requests and sockets that were passed on, and those that were sent and have no
// answer.
func (f *Front) Count() (passed, lost int64) { return f.passed.Load(), f.lost.Load() }

// EndStreams ends the streams of requests for which moves returns true, see Stay.
func (f *Front) EndStreams(moves func(owner access.Owner, via string) bool) {
	var ended []*visit
	f.mu.Lock()
	for v := range f.visits {
		if moves(v.owner, v.via) {
			ended = append(ended, v)
		}
	}
	f.mu.Unlock()
	for _, v := range ended {
		v.end()
	}
}

// passOn passes a request on. The error is errNoConnection or errNotHome, if it was not answered.
func (f *Front) passOn(w http.ResponseWriter, r *http.Request, home *Peer) error {
	target, err := url.Parse(home.URL)
	if err != nil { // was checked
		return errNoConnection
	}
	p := &pass{to: home, target: target}
	f.passed.Add(1)
	access.MarkKnown(r.Context())
	clear(w.Header()) // those of the guard: the home sets them, too
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), passKey{}, p))
	defer cancel()
	defer context.AfterFunc(home.gone, cancel)()
	f.proxy.ServeHTTP(w, r.WithContext(ctx))
	return p.err
}

// rewrite implements httputil.ReverseProxy.Rewrite.
func (f *Front) rewrite(r *httputil.ProxyRequest) {
	p, _ := r.In.Context().Value(passKey{}).(*pass)
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = p.target.Scheme, p.target.Host, r.In.Host
	r.Out.Header.Set(HopHeader, strings.Join(append([]string{f.nodes.ID()}, f.nodes.refusing()...), " "))
	if client := access.AddressOf(r.In.Context()); client.IsValid() {
		r.Out.Header.Set("X-Forwarded-For", client.String())
	}
}

// Errors of a request that a node has got nothing of.
var (
	errNoConnection = errors.New("there is no connection to the node")
	errNotHome      = errors.New("the node is not the home of the user")
)

// received implements httputil.ReverseProxy.ModifyResponse.
func received(r *http.Response) error {
	if r.StatusCode == http.StatusMisdirectedRequest && r.Header.Get(HopHeader) != "" {
		return errNotHome
	}
	return copySmall(r)
}

// failed implements httputil.ReverseProxy.ErrorHandler.
func (f *Front) failed(w http.ResponseWriter, r *http.Request, err error) {
	p, _ := r.Context().Value(passKey{}).(*pass)
	switch {
	case errors.Is(err, errNotHome):
		p.err = errNotHome
	case errors.Is(err, errNoConnection):
		p.err = errNoConnection
	default:
		f.lost.Add(1)
		http.Error(w, "the node that served this user has ended; the request may have had its effect", http.StatusBadGateway)
	}
}

// NewTransport returns what connects to other nodes; secure returns nil without TLS.
func NewTransport(secure func() *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTime}
	dialTLS := func(ctx context.Context, network, address string) (net.Conn, error) {
		return (&tls.Dialer{NetDialer: dialer, Config: secure()}).DialContext(ctx, network, address)
	}
	within := func(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, dialTime)
			defer cancel()
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, noConnection{err}
			}
			return conn, nil
		}
	}
	return &http.Transport{
		DialContext: within(dialer.DialContext), DialTLSContext: within(dialTLS),
		MaxIdleConnsPerHost: idleConns, IdleConnTimeout: limits.IdleTime / 2, // before the other node closes it
		ExpectContinueTimeout: settleTime, DisableCompression: true, WriteBufferSize: copyBuffer, ReadBufferSize: copyBuffer,
	}
}

type noConnection struct{ error }

// Is implements errors.Is for errNoConnection.
func (noConnection) Is(target error) bool { return target == errNoConnection }

// Unwrap returns the error of the network.
func (e noConnection) Unwrap() error { return e.error }

// buffers implements httputil.BufferPool.
type buffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[copyBuffer]byte); ok {
		return buffer[:]
	}
	return make([]byte, copyBuffer)
}

// Put implements httputil.BufferPool.
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[copyBuffer]byte)(buffer)) }

// copySmall gives WebSockets small buffers: they are idle for most of the time, and those of
// io.Copy have 32 KiB for each direction.
func copySmall(r *http.Response) error {
	if conn, ok := r.Body.(io.ReadWriteCloser); ok && r.StatusCode == http.StatusSwitchingProtocols {
		r.Body = &smallCopies{conn}
	}
	return nil
}

type smallCopies struct{ io.ReadWriteCloser }

// WriteTo implements io.WriterTo.
func (s *smallCopies) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(onlyWriter{w}, onlyReader{s.ReadWriteCloser}, make([]byte, copyBuffer))
}

// ReadFrom implements io.ReaderFrom.
func (s *smallCopies) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(onlyWriter{s.ReadWriteCloser}, onlyReader{r}, make([]byte, copyBuffer))
}

type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)
