package server

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/recorded"
)

// messagesVariable names a directory: what the tests of this package exchange over HTTP
// is written to a file there. The tests of server/interop compare it with the schemas of
// all revisions.
const messagesVariable = "PAGEMCP_MESSAGES"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == gatewayMode {
		end(serveGatewayIn(os.Args[2], os.Args[3]))
	}
	if dir := os.Getenv(stdioVariable); dir != "" {
		end(serveStdioIn(dir))
	}
	if port := os.Getenv(strangerVariable); port != "" {
		fmt.Println(strangerStatuses(port))
		return
	}
	if os.Getenv(fixtureVariable) != "" {
		flag.Set("test.run", "^TestFixtureForOtherClients$")
	}
	if dir := os.Getenv(messagesVariable); dir != "" {
		record, err := recorded.File(dir, "server")
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		http.DefaultTransport = recorded.Transport(http.DefaultTransport, "server", record)
	}
	os.Exit(m.Run())
}

// end ends this process.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
