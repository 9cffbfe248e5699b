package hosted

import (
	"net/http"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/internal/admin"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the numbers of a node for Prometheus. No label contains an owner, a tenant,
// an address, a name or contents, and the values of each label are a finite set. Its
// methods may be called concurrently.
type metrics struct {
	registry *prometheus.Registry // other packages may register collectors here

	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	bytes     *prometheus.CounterVec
	joins     *prometheus.CounterVec
	leaves    prometheus.Counter
	joinWait  prometheus.Histogram
	tokens    *prometheus.CounterVec
	fetches   *prometheus.CounterVec
	rejected  *prometheus.GaugeVec
	exceeded  *prometheus.CounterVec
	refused   *prometheus.CounterVec
	reloads   *prometheus.CounterVec
	fetchedAt *prometheus.GaugeVec
	certUntil prometheus.Gauge
}

// An issuerKind is one of the two issuers of a deployment, as a label.
type issuerKind string

const (
	assistantIssuer issuerKind = "assistants"
	pageIssuer      issuerKind = "pages"
)

// key returns the key of the configuration that names the issuer.
func (k issuerKind) key() string {
	if k == pageIssuer {
		return "pages.tokens"
	}
	return "assistants"
}

// Values of the label reason of pagemcp_joins_total, besides those of package oauth and the
// keys of limits.
const (
	joinVersion   = "version"   // of the protocol
	joinHandshake = "handshake" // a frame that is not part of it, or none in time
	joinReplaced  = "replaced"  // by a newer document with the same page id
	joinAttach    = "attach"    // the page's engine has not answered, or the page was closed before that
	joinDraining  = "draining"
	joinMemory    = "memory"
)

// Values of the label reason of pagemcp_refusals_total.
const (
	refusedGuard   = "guard"   // Host or Origin is not configured
	refusedBusy    = "busy"    // too many WebSockets
	refusedPeer    = "peer"    // a connection that does not come from trustedProxies
	refusedUnknown = "unknown" // closed for a newer one: too many without authentication
)

// Values of the label outcome of pagemcp_reloads_total.
const (
	reloadApplied  = "applied"
	reloadRejected = "rejected" // the file is not valid; the old configuration stays
	reloadFailed   = "failed"   // the file is valid, but could not be applied
)

// oauthReasons returns all reasons of package oauth.
func oauthReasons() []string {
	reasons := []oauth.Reason{
		oauth.Missing, oauth.BadRequest, oauth.Malformed, oauth.WrongAlgorithm, oauth.WrongType, oauth.UnknownKey, oauth.BadSignature, oauth.WrongIssuer,
		oauth.WrongAudience, oauth.Expired, oauth.NotYetValid, oauth.TooLong, oauth.MissingClaim, oauth.WrongOrigin, oauth.MissingScope, oauth.KeysUnavailable,
	}
	texts := make([]string, len(reasons))
	for i, reason := range reasons {
		texts[i] = string(reason)
	}
	return texts
}

// limitValues returns the values of the label limit: keys of the configuration, and clients,
// which are limited by a constant.
func limitValues() []string { return append(limits.Hosted().Keys(), "clients") }

// joinReasons returns the values of the label reason of rejected joins.
func joinReasons() []string {
	return slices.Concat(oauthReasons(), limitValues(), []string{joinVersion, joinHandshake, joinReplaced, joinAttach, joinDraining, joinMemory})
}

// newMetrics returns metrics in a registry of their own. version is a label of
// pagemcp_info. lost returns how many audit entries were not written; it may be nil.
func newMetrics(version string, lost func() uint64) *metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("pagemcp_requests_total", "Requests of assistants that have ended, by method and outcome.", "method", "outcome"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pagemcp_request_duration_seconds", Help: "Time until the response, subscriptions excluded.", Buckets: durationBuckets(),
		}, []string{"method"}),
		bytes:  counters("pagemcp_response_bytes_total", "Bytes of responses to assistants.", "method"),
		joins:  counters("pagemcp_joins_total", "Attempts of pages to join, by outcome; rejected ones by reason.", "outcome", "reason"),
		leaves: prometheus.NewCounter(prometheus.CounterOpts{Name: "pagemcp_leaves_total", Help: "Sockets of joined pages that were closed."}),
		joinWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pagemcp_join_wait_seconds", Help: "Time that joins have waited for their turn.", Buckets: []float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		}),
		tokens:   counters("pagemcp_token_refusals_total", "Tokens that were rejected, by kind and reason; and requests without one.", "kind", "reason"),
		fetches:  counters("pagemcp_key_fetches_total", "Fetches of the keys of an issuer.", "kind", "outcome"),
		rejected: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pagemcp_keys_rejected", Help: "Keys of the last fetched set that cannot be used."}, []string{"kind"}),
		exceeded: counters("pagemcp_limit_refusals_total", "Requests and joins over a limit of the configuration.", "limit"),
		refused:  counters("pagemcp_refusals_total", "Connections and requests that were rejected before authentication.", "reason"),
		reloads:  counters("pagemcp_reloads_total", "Changes of the configuration or its files, by outcome.", "outcome"),
		fetchedAt: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pagemcp_key_set_fetched_timestamp_seconds", Help: "When the keys of an issuer were fetched last, in Unix time; they serve for 24 h.",
		}, []string{"kind"}),
		certUntil: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pagemcp_certificate_expiry_timestamp_seconds", Help: "When the certificate in use expires, in Unix time; 0 without TLS.",
		}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "pagemcp_info", Help: "The version of the gateway; the value is 1.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	if lost == nil {
		lost = func() uint64 { return 0 }
	}
	auditLost := prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "pagemcp_audit_entries_lost_total", Help: "Audit entries that were counted instead of written."},
		func() float64 { return float64(lost()) })
	m.registry.MustRegister(m.requests, m.seconds, m.bytes, m.joins, m.leaves, m.joinWait, m.tokens, m.fetches, m.rejected, m.exceeded, m.refused, m.reloads,
		m.fetchedAt, m.certUntil, info, auditLost, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.initialize()
	return m
}

// initialize makes the series of all finite labels, so that they are 0 before the first
// event: the rate of a series that appears with 1 is 0.
func (m *metrics) initialize() {
	m.joins.WithLabelValues("joined", "")
	for _, reason := range joinReasons() {
		m.joins.WithLabelValues("rejected", reason)
	}
	for _, kind := range []issuerKind{assistantIssuer, pageIssuer} {
		for _, reason := range oauthReasons() {
			m.tokens.WithLabelValues(string(kind), reason)
		}
		for _, outcome := range []string{"ok", "error"} {
			m.fetches.WithLabelValues(string(kind), outcome)
		}
	}
	for _, key := range limitValues() {
		m.exceeded.WithLabelValues(key)
	}
	for _, reason := range []string{refusedGuard, refusedBusy, refusedPeer, refusedUnknown} {
		m.refused.WithLabelValues(reason)
	}
	for _, outcome := range []string{reloadApplied, reloadRejected, reloadFailed} {
		m.reloads.WithLabelValues(outcome)
	}
}

// handler serves /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: admin.WriteTime})
}

// auditing returns an audit log that passes entries on to next, and counts requests, joins
// and leaves by them.
func (m *metrics) auditing(next access.Audit) access.Audit { return &countingAudit{next, m} }

type countingAudit struct {
	next    access.Audit
	metrics *metrics
}

// Record implements access.Audit.
func (a *countingAudit) Record(e access.Entry) {
	a.metrics.count(e)
	a.next.Record(e)
}

// RecordRefusal implements access.Audit.
func (a *countingAudit) RecordRefusal(e access.Entry) {
	a.metrics.count(e)
	a.next.RecordRefusal(e)
}

// count counts what an entry is about. Rejected tokens, and joins that the doorkeeper
// rejects, are counted by token and rejectJoin, which get the reason.
func (m *metrics) count(e access.Entry) {
	switch {
	case e.Verb == "refuse":
		m.refused.WithLabelValues(refusedGuard).Inc()
	case e.Verb == "connect":
		m.refused.WithLabelValues(refusedBusy).Inc()
	case e.Verb == "login":
	case e.Endpoint == access.PagePath:
		switch {
		case e.Verb == "leave":
			m.leaves.Inc()
		case e.Verb == "join" && e.Outcome == "ok":
			m.joins.WithLabelValues("joined", "").Inc()
		case e.Verb == "join" && (e.Outcome == "error" || e.Outcome == "closed"):
			m.rejectJoin(joinAttach)
		}
	default:
		m.request(e)
	}
}

func (m *metrics) request(e access.Entry) {
	method := methodLabel(e.Verb)
	m.requests.WithLabelValues(method, outcomeLabel(e.Outcome)).Inc()
	m.bytes.WithLabelValues(method).Add(float64(max(e.Bytes, 0)))
	if isTimed(method) {
		m.seconds.WithLabelValues(method).Observe(e.Ms / 1000)
	}
}

// known returns value if it is one of values, so that no other becomes a time series.
func known(value string, values []string) string {
	if slices.Contains(values, value) {
		return value
	}
	return otherLabel
}

// rejectJoin counts a join that was rejected. reason is one of the constants above, an
// oauth.Reason or the key of a limit.
func (m *metrics) rejectJoin(reason string) {
	m.joins.WithLabelValues("rejected", known(reason, joinReasons())).Inc()
}

// waited counts how long a join has waited for its turn.
func (m *metrics) waited(wait time.Duration) { m.joinWait.Observe(wait.Seconds()) }

// token counts a rejected token, or a request without one.
func (m *metrics) token(kind issuerKind, reason oauth.Reason) {
	m.tokens.WithLabelValues(string(kind), known(string(reason), oauthReasons())).Inc()
}

// fetched returns a function for oauth.KeySetConfig.OnFetch.
func (m *metrics) fetched(kind issuerKind) func(rejected int, err error) {
	return func(rejected int, err error) {
		if err != nil {
			m.fetches.WithLabelValues(string(kind), "error").Inc()
			return
		}
		m.fetches.WithLabelValues(string(kind), "ok").Inc()
		m.rejected.WithLabelValues(string(kind)).Set(float64(rejected))
		m.fetchedAt.WithLabelValues(string(kind)).SetToCurrentTime()
	}
}

// exceed counts a use over a limit, by the limit's key.
func (m *metrics) exceed(limit string) { m.exceeded.WithLabelValues(known(limit, limitValues())).Inc() }

// refuse counts a connection that was closed before authentication.
func (m *metrics) refuse(reason string) { m.refused.WithLabelValues(reason).Inc() }

// reloaded counts a change of the configuration.
func (m *metrics) reloaded(outcome string) { m.reloads.WithLabelValues(outcome).Inc() }

// certificate sets when the certificate in use expires.
func (m *metrics) certificate(expires time.Time) { m.certUntil.Set(float64(expires.Unix())) }
