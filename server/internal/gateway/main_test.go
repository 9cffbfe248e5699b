package gateway

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/recorded"
)

// messagesVariable names a directory: what the tests of this package exchange over HTTP is
// written to a file there. The tests of server/interop compare it with the schemas of all
// revisions.
const messagesVariable = "PAGEMCP_MESSAGES"

// recording returns a transport that writes down what passes through inner.
var recording = func(inner http.RoundTripper) http.RoundTripper { return inner }

func TestMain(m *testing.M) {
	if dir := os.Getenv(messagesVariable); dir != "" {
		record, err := recorded.File(dir, "gateway")
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		var transports atomic.Int32 // each names its conversations by itself
		recording = func(inner http.RoundTripper) http.RoundTripper {
			return recorded.Transport(inner, fmt.Sprintf("gateway %d", transports.Add(1)), record)
		}
	}
	os.Exit(m.Run())
}
