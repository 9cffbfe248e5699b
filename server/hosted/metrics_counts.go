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

// A collector takes one snapshot per scrape, so that all its numbers are of one moment.
type collector[T any] struct {
	snapshot func() T
	figures  []figure[T]
}

// A figure is one number of a snapshot.
type figure[T any] struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	labels []string // values
	value  func(T) float64
}

func gauge[T any](name, help string, value func(T) int) figure[T] {
	return figure[T]{prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue, nil, func(snapshot T) float64 { return float64(value(snapshot)) }}
}

// watch adds the counts of a node, which are read at each scrape. It may be called once,
// and so may watchCluster.
func (m *metrics) watch(counts func() nodeCounts) {
	pages := prometheus.NewDesc("pagemcp_pages", "Pages of this node, connected or within the grace time after their socket was closed.", []string{"state"}, nil)
	m.registry.MustRegister(&collector[nodeCounts]{counts, []figure[nodeCounts]{
		{pages, prometheus.GaugeValue, []string{"connected"}, func(c nodeCounts) float64 { return float64(c.Pages) }},
		{pages, prometheus.GaugeValue, []string{"away"}, func(c nodeCounts) float64 { return float64(c.PagesAway) }},
		gauge("pagemcp_views", "Engines that serve the pages of one owner.", func(c nodeCounts) int { return c.Views }),
		gauge("pagemcp_views_without_pages", "Views whose owner has no page: all of them, if both issuers name users differently.", func(c nodeCounts) int { return c.ViewsWithoutPages }),
		gauge("pagemcp_sessions_awake", "Classic sessions with a connection to an engine.", func(c nodeCounts) int { return c.Sessions }),
		gauge("pagemcp_sessions_late", "Classic sessions whose last change is not stored, because the store does not answer.", func(c nodeCounts) int { return c.SessionsLate }),
		gauge("pagemcp_requests_in_flight", "Requests of assistants that are not answered yet, streams excluded.", func(c nodeCounts) int { return c.Requests }),
		gauge("pagemcp_streams", "Open listens and GET streams.", func(c nodeCounts) int { return c.Streams }),
		gauge("pagemcp_joins_underway", "Pages that join at this moment.", func(c nodeCounts) int { return c.JoinsUnderway }),
		gauge("pagemcp_joins_waiting", "Pages that wait for their turn to join.", func(c nodeCounts) int { return c.JoinsWaiting }),
		gauge("pagemcp_connections_unknown", "Connections whose clients have not authenticated themselves, and those without a request.", func(c nodeCounts) int { return c.UnknownConnections }),
	}})
}

// watchReady adds whether the node is ready.
func (m *metrics) watchReady(isReady func() bool) {
	m.registry.MustRegister(&collector[bool]{isReady, []figure[bool]{
		gauge("pagemcp_ready", "1 while the node is ready, as /readyz says.", func(ready bool) int {
			if ready {
				return 1
			}
			return 0
		}),
	}})
}

// clusterCounts are what a node knows of the others at one moment.
type clusterCounts struct {
	Nodes        int  // that are alive, this one included
	StoreAway    bool // it does not answer
	Passed, Lost int64
}

// watchCluster adds the counts of a node of a cluster.
func (m *metrics) watchCluster(counts func() clusterCounts) {
	counter := func(name, help string, value func(clusterCounts) int64) figure[clusterCounts] {
		return figure[clusterCounts]{prometheus.NewDesc(name, help, nil, nil), prometheus.CounterValue, nil, func(c clusterCounts) float64 { return float64(value(c)) }}
	}
	m.registry.MustRegister(&collector[clusterCounts]{counts, []figure[clusterCounts]{
		gauge("pagemcp_cluster_nodes", "Nodes that are alive, as this one sees them; it is one of them.", func(c clusterCounts) int { return c.Nodes }),
		gauge("pagemcp_cluster_store_away", "1 while NATS does not answer: the nodes that were there last stay.", func(c clusterCounts) int {
			if c.StoreAway {
				return 1
			}
			return 0
		}),
		counter("pagemcp_passed_on_total", "Requests and sockets of owners that have another home.", func(c clusterCounts) int64 { return c.Passed }),
		counter("pagemcp_passed_on_lost_total", "Of these, requests that were sent and not answered: their home has ended.", func(c clusterCounts) int64 { return c.Lost }),
	}})
}

// Describe implements prometheus.Collector.
func (c *collector[T]) Describe(descriptions chan<- *prometheus.Desc) {
	for _, figure := range c.figures {
		descriptions <- figure.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector[T]) Collect(values chan<- prometheus.Metric) {
	now := c.snapshot()
	for _, figure := range c.figures {
		values <- prometheus.MustNewConstMetric(figure.desc, figure.kind, figure.value(now), figure.labels...)
	}
}
