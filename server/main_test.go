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
	if dir := os.Getenv(stdioVariable); dir != "" {
		serveStdioIn(dir)
		return
	}
	if os.Getenv(strangerVariable) != "" {
		runStranger()
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
