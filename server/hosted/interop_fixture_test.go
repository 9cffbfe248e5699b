package hosted

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// fixtureVariable makes this test binary a program for server/interop, whose module has
// the client libraries of others: a node with a page of alice and one of bob, and an
// issuer where alice approves. It ends with its standard input.
const fixtureVariable = "PAGEMCP_TEST_FIXTURE"

// A hostedFixture is what the program prints, in one line.
type hostedFixture struct {
	MCP     string `json:"mcp"`     // public URL; requests go to Address by plain HTTP, as from a balancer
	Address string `json:"address"` // of the node
	URI     string `json:"uri"`     // a note of alice at MCP
	Other   string `json:"other"`   // a note of bob
	Control string `json:"control"` // POST ?write=TEXT, ?lifetime=SECONDS of access tokens; GET ?count=PATH of the issuer
}

// The fixture for clients of others serves its pages, and can be controlled.
func TestFixtureForOtherClients(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	alice := n.page("alice", "tab").note("notes://a", "2 bottles").join()
	bob := n.page("bob", "tab").note("notes://a", "bob's note").join()
	control := httptest.NewServer(controlOf(n, alice))
	defer control.Close()
	f := hostedFixture{
		"https://" + testHost + "/mcp", n.Addr().String(), alice.joined.Joined + "+notes://a", bob.joined.Joined + "+notes://a", control.URL,
	}
	if os.Getenv(fixtureVariable) != "" {
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(string(line))
		io.Copy(io.Discard, os.Stdin)
		return
	}
	for _, query := range []string{"?write=3+bottles", "?lifetime=60"} {
		answer, err := gatewaytest.HTTP.Post(f.Control+query, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", query, answer.Status)
		}
	}
	if got := n.read(n.token("alice", nil), "/mcp", f.URI); !strings.Contains(got.body, "3 bottles") {
		t.Errorf("read after a write: %s", got.body)
	}
}

// controlOf returns the handler by which the program's parent acts on page and issuer.
func controlOf(n *liveNode, page *livePage) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.Method == http.MethodGet:
			fmt.Fprint(w, n.auth.Requests(query.Get("count")))
		case query.Has("write"):
			page.note("notes://a", query.Get("write"))
			page.table.Changed("notes://a")
		default:
			seconds, err := strconv.Atoi(query.Get("lifetime"))
			if err != nil {
				http.Error(w, "want ?write=TEXT or ?lifetime=SECONDS", http.StatusBadRequest)
				return
			}
			n.auth.SetLifetime(time.Duration(seconds) * time.Second)
		}
	})
}
