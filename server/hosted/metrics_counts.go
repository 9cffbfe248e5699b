package hosted

import (
	"github.com/prometheus/client_golang/prometheus"
)

// nodeCounts are what a node has at one moment.
type nodeCounts struct {
	Pages, PagesAway         int // with a socket; within the grace time after it was closed
	Views, ViewsWithoutPages int // engines of owners; those whose owner has no page, see hosted.md
	Sessions                 int // of the classic revisions that are awake
	SessionsLate             int // whose last change is in memory only, as the store does not answer
	Requests, Streams        int // in flight; open listens and GET streams
	JoinsUnderway            int
	JoinsWaiting             int
	UnknownConnections       int // whose clients have not authenticated themselves
}

// number adds one that is read at each scrape.
func number[T any](m *metrics, counts func() T, name, help string, value func(T) int, labels prometheus.Labels) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value(counts())) }))
}

func oneIf(isSet bool) int {
	if isSet {
		return 1
	}
	return 0
}

// watch adds the counts of a node. It may be called once, and so may watchCluster.
func (m *metrics) watch(counts func() nodeCounts, isReady func() bool) {
	add := func(name, help string, value func(nodeCounts) int) { number(m, counts, name, help, value, nil) }
	for state, value := range map[string]func(nodeCounts) int{"connected": func(c nodeCounts) int { return c.Pages }, "away": func(c nodeCounts) int { return c.PagesAway }} {
		number(m, counts, "pagemcp_pages", "Pages of this node, connected or within the grace time after their socket was closed.", value, prometheus.Labels{"state": state})
	}
	add("pagemcp_views", "Engines that serve the pages of one owner.", func(c nodeCounts) int { return c.Views })
	add("pagemcp_views_without_pages", "Views whose owner has no page: all of them, if both issuers name users differently.", func(c nodeCounts) int { return c.ViewsWithoutPages })
	add("pagemcp_sessions_awake", "Classic sessions with a connection to an engine.", func(c nodeCounts) int { return c.Sessions })
	add("pagemcp_sessions_late", "Classic sessions whose last change is not stored, because the store does not answer.", func(c nodeCounts) int { return c.SessionsLate })
	add("pagemcp_requests_in_flight", "Requests of assistants that are not answered yet, streams excluded.", func(c nodeCounts) int { return c.Requests })
	add("pagemcp_streams", "Open listens and GET streams.", func(c nodeCounts) int { return c.Streams })
	add("pagemcp_joins_underway", "Pages that join at this moment.", func(c nodeCounts) int { return c.JoinsUnderway })
	add("pagemcp_joins_waiting", "Pages that wait for their turn to join.", func(c nodeCounts) int { return c.JoinsWaiting })
	add("pagemcp_connections_unknown", "Connections whose clients have not authenticated themselves, and those without a request.", func(c nodeCounts) int { return c.UnknownConnections })
	number(m, isReady, "pagemcp_ready", "1 while the node is ready, as /readyz says.", oneIf, nil)
}

// clusterCounts are what a node knows of the others at one moment.
type clusterCounts struct {
	Nodes        int  // that are alive, this one included
	StoreAway    bool // it does not answer
	Passed, Lost int64
}

// watchCluster adds the counts of a node of a cluster.
func (m *metrics) watchCluster(counts func() clusterCounts) {
	add := func(name, help string, value func(clusterCounts) int) { number(m, counts, name, help, value, nil) }
	add("pagemcp_cluster_nodes", "Nodes that are alive, as this one sees them; it is one of them.", func(c clusterCounts) int { return c.Nodes })
	add("pagemcp_cluster_store_away", "1 while NATS does not answer: the nodes that were there last stay.", func(c clusterCounts) int { return oneIf(c.StoreAway) })
	counter := func(name, help string, value func(clusterCounts) int64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(counts())) }))
	}
	counter("pagemcp_passed_on_total", "Requests and sockets of owners that have another home.", func(c clusterCounts) int64 { return c.Passed })
	counter("pagemcp_passed_on_lost_total", "Of these, requests that were sent and not answered: their home has ended.", func(c clusterCounts) int64 { return c.Lost })
}
