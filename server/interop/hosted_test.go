package interop

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A hostedFixture is a node of the hosted gateway with pages of two users in a process of
// its own: see TestFixtureForOtherClients of package server/hosted.
type hostedFixture struct {
	t       *testing.T
	MCP     string `json:"mcp"`
	Address string `json:"address"`
	URI     string `json:"uri"`
	Other   string `json:"other"`
	Control string `json:"control"`
}

func startHostedFixture(t *testing.T) *hostedFixture {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "hosted.test")
	build := exec.Command("go", "test", "-c", "-o", binary, "./server/hosted")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests of server/hosted: %s", text)
	}
	f := &hostedFixture{t: t}
	startProcess(t, exec.Command(binary, "-test.run", "^TestFixtureForOtherClients$"), "server/hosted", f)
	return f
}

// set changes the page or the issuer.
func (f *hostedFixture) set(name, value string) {
	f.t.Helper()
	answer, err := http.Post(f.Control+"?"+url.Values{name: {value}}.Encode(), "", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		f.t.Fatalf("%s %s: %s", name, value, answer.Status)
	}
}

// count returns how many requests for a path the issuer had.
func (f *hostedFixture) count(path string) int {
	f.t.Helper()
	answer, err := http.Get(f.Control + "?" + url.Values{"count": {path}}.Encode())
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// A balancer is an http.RoundTripper that acts as DNS and a balancer do: requests for the public
// URL reach the node by plain HTTP. It notes the paths of metadata.
type balancer struct {
	host, address string

	mu       sync.Mutex
	metadata []string
}

func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == b.host {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			b.mu.Lock()
			b.metadata = append(b.metadata, r.URL.Path)
			b.mu.Unlock()
		}
		r = r.Clone(r.Context())
		r.Host = b.host
		r.URL.Scheme, r.URL.Host = "http", b.address
	}
	return http.DefaultTransport.RoundTrip(r)
}

// The OAuth client of go-sdk finds the issuer by the challenge, signs its user in once,
// reads, hears of changes, and refreshes its token. Pages of others do not exist for it.
func TestGoSDKSignsIn(t *testing.T) {
	for _, path := range []string{"/mcp", "/mcp/page"} {
		t.Run(path, func(t *testing.T) { goSDKSignsIn(t, path == "/mcp/page") })
	}
}

func goSDKSignsIn(t *testing.T, atPage bool) {
	f := startHostedFixture(t)
	f.set("lifetime", "5") // go-sdk counts tokens as expired 10 s before
	endpoint, uri := f.MCP, f.URI
	if atPage {
		name, own, _ := strings.Cut(f.URI, "+")
		endpoint, uri = f.MCP+"/"+name, own
	}
	public, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	network := &balancer{host: public.Host, address: f.Address}
	var asked []url.Values
	login, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: "go-sdk"},
		RedirectURL:         "http://127.0.0.1:1/callback",
		Client:              &http.Client{Transport: network},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			at, err := url.Parse(args.URL)
			if err != nil {
				return nil, err
			}
			asked = append(asked, at.Query())
			return followRedirect(ctx, args.URL)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	updates := make(chan string, 16)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
	})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: network}, OAuthHandler: login}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	if len(asked) != 1 {
		t.Fatalf("authorizations: %v", asked)
	}
	scopes := slices.Sorted(slices.Values(strings.Fields(asked[0].Get("scope")))) // go-sdk has them in any order
	if asked[0].Get("resource") != endpoint || asked[0].Get("code_challenge_method") != "S256" || !slices.Equal(scopes, []string{"prompts:get", "resources:read", "tools:call"}) {
		t.Errorf("authorization: %v", asked[0])
	}
	if want := "/.well-known/oauth-protected-resource" + public.Path; len(network.metadata) == 0 || slices.ContainsFunc(network.metadata, func(path string) bool { return path != want }) {
		t.Errorf("metadata of %v, want %s", network.metadata, want)
	}
	read := func(want string) {
		t.Helper()
		got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(got.Contents) != 1 || got.Contents[0].Text != want {
			t.Fatalf("read: %+v, %v; want %q", got, err, want)
		}
	}
	read("2 bottles")
	f.set("lifetime", "3600")
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	f.set("write", "3 bottles")
	for got := ""; got != uri; {
		select {
		case got = <-updates:
		case <-ctx.Done():
			t.Fatal("no update came")
		}
	}
	read("3 bottles")
	if tokens, approvals := f.count("/token"), f.count("/authorize"); tokens < 2 || approvals != 1 {
		t.Errorf("%d tokens for %d authorizations; want refreshes, and one authorization", tokens, approvals)
	}
	if got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: f.Other}); err == nil {
		t.Errorf("the page of another user: %+v", got)
	}
}

// followRedirect is what a browser does with the URL of an authorization.
func followRedirect(ctx context.Context, address string) (*auth.AuthorizationResult, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		return nil, err
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}
