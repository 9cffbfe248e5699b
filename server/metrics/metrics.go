// Package metrics exposes numbers of a gateway to Prometheus, on a listener of its own.
// No label contains an address, a name of a page or an assistant, or contents.
package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/labels"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what a gateway does. Pass Observe to its options, then call Watch.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	pages    *prometheus.CounterVec
	refused  *prometheus.CounterVec
}

// New returns Metrics without a gateway. version is a label of pagemcp_info.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pagemcp_requests_total", Help: "Requests of assistants that have ended, by method and outcome."}, []string{"method", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pagemcp_request_duration_seconds", Help: "Time until the response, subscriptions excluded.",
			Buckets: labels.Durations(),
		}, []string{"method"}),
		bytes:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pagemcp_response_bytes_total", Help: "Bytes of responses to assistants."}, []string{"method"}),
		pages:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pagemcp_page_events_total", Help: "Pages that joined, left, paired or were refused."}, []string{"event"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pagemcp_refusals_total", Help: "Connections and requests that were rejected before authentication."}, []string{"reason"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "pagemcp_info", Help: "The version of the gateway; the value is 1.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.bytes, m.pages, m.refused, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Observe counts one event. It is for server.Options.Observe.
func (m *Metrics) Observe(e server.Event) {
	switch e.Verb {
	case "refuse", "login":
		m.refused.WithLabelValues(map[string]string{"refuse": "origin", "login": "token"}[e.Verb]).Inc()
		return
	case "connect":
		if e.Outcome != "ok" {
			m.refused.WithLabelValues("busy").Inc()
		}
		return
	}
	if e.Endpoint == access.PagePath {
		m.pages.WithLabelValues(pageEvent(e)).Inc()
		return
	}
	if e.Endpoint == access.MonitorPath && (e.Verb == "watch" || e.Verb == "leave") {
		return
	}
	method := labels.Method(e.Verb)
	m.requests.WithLabelValues(method, labels.Outcome(e.Outcome)).Inc()
	m.bytes.WithLabelValues(method).Add(float64(e.Bytes))
	if labels.IsTimed(method) {
		m.seconds.WithLabelValues(method).Observe(e.Duration.Seconds())
	}
}

func pageEvent(e server.Event) string {
	if e.Outcome != "ok" {
		return "refused"
	}
	if e.Verb == "join" || e.Verb == "leave" || e.Verb == "pair" {
		return e.Verb
	}
	return "other"
}

// Watch adds the numbers of a gateway.
func (m *Metrics) Watch(g *server.Gateway) {
	gauge := func(name, help string, constant prometheus.Labels, value func(server.Counts) int) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: constant}, func() float64 {
			return float64(value(g.Counts()))
		}))
	}
	gauge("pagemcp_pages", "Pages that have joined since the start.", prometheus.Labels{"state": "connected"}, func(c server.Counts) int { return c.Connected })
	gauge("pagemcp_pages", "Pages that have joined since the start.", prometheus.Labels{"state": "away"}, func(c server.Counts) int { return c.Away })
	gauge("pagemcp_sockets", "Open WebSockets.", nil, func(c server.Counts) int { return c.Sockets })
	gauge("pagemcp_sessions", "Stored sessions of the classic revisions.", nil, func(c server.Counts) int { return c.Sessions })
}

// A Listener serves /metrics on loopback.
type Listener struct {
	listeners []net.Listener
	port      int
	http      *http.Server
}

// Listen binds addr; see server.CheckLoopback. Requests of web pages are rejected.
func (m *Metrics) Listen(addr string) (*Listener, error) {
	port, err := loopback.CheckAddress(addr)
	if err != nil {
		return nil, err
	}
	l := &Listener{}
	if l.listeners, l.port, err = loopback.Listen(port); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	guard := loopback.NewGuard(l.port, nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		access.MarkKnown(r.Context())
		mux.ServeHTTP(w, r)
	}))
	l.http = conns.HTTPServer(guard)
	return l, nil
}

// URL returns the address for Prometheus.
func (l *Listener) URL() string { return "http://127.0.0.1:" + strconv.Itoa(l.port) + "/metrics" }

// Serve serves until ctx ends. Programs of other users are rejected where the system tells
// who connects.
func (l *Listener) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { l.http.Close() })
	defer stop()
	acceptor := loopback.NewAcceptor(l.listeners, nil)
	defer acceptor.Close()
	errs := make(chan error, len(l.listeners))
	for _, listener := range l.listeners {
		go func() { errs <- l.http.Serve(acceptor.Wrap(listener)) }() // ends with ctx
	}
	var failure error
	for range l.listeners {
		if err := <-errs; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) && failure == nil {
			failure = err
			l.http.Close()
		}
	}
	return failure
}
