package hosted

import (
	"strconv"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Values of labels of metrics are bounded: clients and pages can choose methods and outcomes
// freely, and each value is a time series.

// otherLabel is the label of all values that have none of their own.
const otherLabel = "other"

// methodLabel returns the label of a method.
func methodLabel(name string) string {
	if access.MethodOf(name).IsKnown() {
		return name
	}
	return otherLabel
}

// outcomeLabel returns the label of the outcome of a request: codes of errors become "error",
// since a page can choose them.
func outcomeLabel(text string) string {
	switch text {
	case "ok", "cancelled", "busy", "paused", "dropped", "refused":
		return text
	}
	if status, err := strconv.Atoi(text); err == nil && status >= 400 && status < 500 {
		return "rejected"
	}
	return "error"
}

// isTimed reports whether the duration of requests of a method says how fast responses
// are. A subscription lasts until its client ends it.
func isTimed(method string) bool { return method != engine.MethodListen }

// durationBuckets returns the buckets of a histogram of requests, in seconds.
func durationBuckets() []float64 {
	return []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
}
