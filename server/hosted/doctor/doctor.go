// Package doctor asks a running gateway what a known assistant asks it first, in the same order and with the same
// headers, and says what would keep that assistant from connecting. It changes nothing: it registers no client, does
// not sign in, and calls no tool of a page.
package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// An assistant is how one connects, as its code and public logs show it: testdata/clients-accept has what it sends after that.
type assistant struct {
	revision, name, agent, accept string

	fromInternet bool // it connects from its maker's machines
	oneID        bool // each request has the id 1
	noSession    bool // the session's id is not sent back
	stream       bool // it opens one by GET
	public       bool // its client has no secret
}

var assistants = map[string]assistant{
	"claude.ai": {revision: "2025-11-25", name: "Anthropic/ClaudeAI", agent: "Claude-User", accept: "application/json, text/event-stream", fromInternet: true, oneID: true, noSession: true},
	"chatgpt":   {revision: "2025-06-18", name: "openai-mcp", agent: "openai-mcp/1.0.0", accept: "*/*", fromInternet: true},
	"vscode":    {revision: "2025-11-25", name: "Visual Studio Code", agent: "node", accept: "text/event-stream, application/json", stream: true, public: true},
}

// Assistants are the names that Examine knows.
const Assistants = "claude.ai, chatgpt or vscode"

const (
	answerTime = 15 * time.Second // for each answer
	maxAnswer  = 4 << 20          // bytes of it that are read
)

// An examination is one run of Examine.
type examination struct {
	assistant
	client   *http.Client
	endpoint *url.URL
	token    string
	session  string
	id       int
	report   func(ok bool, text string)
}

// Examine connects to the endpoint at address as the assistant does, and reports each step: what is as it needs it, or
// what is not and what to do. Without a token it ends where the assistant's user signs in. The error says what is wrong
// with the arguments.
func Examine(ctx context.Context, name, address, token string, client *http.Client, report func(ok bool, text string)) error {
	as, ok := assistants[name]
	if !ok {
		return fmt.Errorf("there is no assistant %q: use %s", name, Assistants)
	}
	endpoint, err := url.Parse(address)
	if err != nil || endpoint.Host == "" || endpoint.RawQuery != "" || endpoint.User != nil {
		return fmt.Errorf("%q is not the URL of an endpoint, like https://mcp.app.example/mcp", address)
	}
	if endpoint.Scheme != "https" && (endpoint.Scheme != "http" || !isHere(endpoint)) {
		return fmt.Errorf("%s is on another machine: that needs https", address)
	}
	x := &examination{assistant: as, client: client, endpoint: endpoint, token: token, report: report}
	x.reachable(endpoint, "the endpoint")
	if x.challenge(ctx) {
		x.signedIn(ctx)
	}
	return nil
}

func (x *examination) good(format string, args ...any) { x.report(true, fmt.Sprintf(format, args...)) }
func (x *examination) bad(format string, args ...any)  { x.report(false, fmt.Sprintf(format, args...)) }

// check reports one fact.
func (x *examination) check(ok bool, good, bad string) {
	if ok {
		x.good("%s", good)
	} else {
		x.bad("%s", bad)
	}
}

// reachable checks that the assistant gets there at all.
func (x *examination) reachable(u *url.URL, what string) {
	if x.fromInternet && (isHere(u) || u.Scheme != "https") {
		x.bad("%s %s cannot be reached: %s connects from the internet, by https", what, u, x.name)
	}
}

// isHere reports whether a URL is of this machine.
func isHere(u *url.URL) bool { return config.IsLoopback(net.JoinHostPort(u.Hostname(), "0")) }

var metadataIn = regexp.MustCompile(`resource_metadata="([^"]*)"`)

// challenge follows a request without a token to the authorization server. False: what follows needs what is missing.
func (x *examination) challenge(ctx context.Context) (ok bool) {
	answer, err := x.post(ctx, x.initialize(), "")
	if err != nil {
		x.bad("no answer to initialize: %v", err)
		return false
	}
	named := metadataIn.FindStringSubmatch(answer.header.Get("WWW-Authenticate"))
	switch {
	case answer.status != http.StatusUnauthorized:
		x.bad("initialize without a token: status %d, want 401: %.200s", answer.status, answer.body)
		return false
	case named == nil:
		x.bad("the 401 has no resource_metadata in WWW-Authenticate, so that nobody is sent to sign in")
		return false
	}
	x.good("without a token: 401 with %s", named[1])
	var resource struct {
		Resource string   `json:"resource"`
		Issuers  []string `json:"authorization_servers"`
	}
	if err := x.get(ctx, named[1], &resource); err != nil {
		x.bad("the metadata of the resource: %v", err)
		return false
	}
	x.check(resource.Resource == x.endpoint.String(),
		"the metadata is that of this endpoint",
		fmt.Sprintf("the metadata is of the resource %q, and the assistant was given %q: both must be equal, to the last slash; set publicURL, or give out the other one", resource.Resource, x.endpoint))
	if len(resource.Issuers) == 0 {
		x.bad("authorization_servers is empty: set assistants.issuer")
		return false
	}
	return x.issuer(ctx, resource.Issuers[0])
}

// issuer checks the metadata of the authorization server.
func (x *examination) issuer(ctx context.Context, issuer string) (ok bool) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" {
		x.bad("the authorization server %q is no URL", issuer)
		return false
	}
	x.reachable(u, "the authorization server")
	var server struct {
		Issuer        string   `json:"issuer"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Registration  string   `json:"registration_endpoint"`
		ByURL         bool     `json:"client_id_metadata_document_supported"`
		Challenges    []string `json:"code_challenge_methods_supported"`
		Methods       []string `json:"token_endpoint_auth_methods_supported"`
	}
	// RFC 8414, section 3.1, and OpenID Connect Discovery, in the order of MCP 2025-11-25, basic/authorization.
	path := strings.TrimSuffix(u.Path, "/")
	base := u.Scheme + "://" + u.Host
	places := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		places = append(places, base+path+"/.well-known/openid-configuration")
	}
	var failed []string
	for _, place := range places {
		if err = x.get(ctx, place, &server); err == nil {
			break
		}
		failed = append(failed, err.Error())
	}
	if err != nil {
		x.bad("the authorization server has no metadata: %s", strings.Join(failed, "; "))
		return false
	}
	x.check(server.Issuer == issuer, "the authorization server has metadata",
		fmt.Sprintf("the authorization server calls itself %q, and the gateway %q: set assistants.issuer to what it says", server.Issuer, issuer))
	x.check(server.Authorization != "" && server.Token != "", "it has both endpoints", "its metadata lacks authorization_endpoint or token_endpoint")
	x.check(slices.Contains(server.Challenges, "S256"), "it has PKCE", "code_challenge_methods_supported lacks S256: turn PKCE on")
	x.check(server.Registration != "" || server.ByURL, "the assistant can register itself",
		"it has neither dynamic registration nor client ids that are URLs: turn one on, or register a client by hand and enter its id in the assistant")
	if x.public {
		x.check(server.Methods == nil || slices.Contains(server.Methods, "none"), "it takes clients without a secret",
			"token_endpoint_auth_methods_supported lacks none: the assistant's client has no secret")
	}
	return true
}

// signedIn connects with a token.
func (x *examination) signedIn(ctx context.Context) {
	if x.token == "" {
		x.good("what follows needs an access token of the assistant's user: give its file by --token-file")
		return
	}
	answer, err := x.post(ctx, x.initialize(), x.token)
	if err != nil || answer.status != http.StatusOK {
		x.bad("initialize: %s", describe(answer, err))
		return
	}
	if !x.noSession {
		x.session = answer.header.Get("Mcp-Session-Id")
		x.check(x.session != "", "a session has begun", "the answer to initialize has no Mcp-Session-Id")
	}
	if answer, err = x.post(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, x.token); err != nil || answer.status != http.StatusAccepted {
		x.bad("notifications/initialized: %s", describe(answer, err))
		return
	}
	if x.stream {
		x.open(ctx)
	}
	var tools struct {
		Tools []jsontext.Value `json:"tools"`
	}
	if !x.request(ctx, "tools/list", `{}`, &tools) {
		return
	}
	x.good("%d tools, of the gateway and of the pages that are open", len(tools.Tools))
	var result struct {
		Content []jsontext.Value `json:"content"`
	}
	if x.request(ctx, "tools/call", `{"name":"list_resources","arguments":{}}`, &result) {
		x.check(len(result.Content) > 0, "list_resources answers", "list_resources has no content")
	}
}

// open opens the stream of the session.
func (x *examination) open(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := x.newRequest(ctx, http.MethodGet, "", x.token)
	if err != nil {
		x.bad("the stream: %v", err)
		return
	}
	response, err := x.client.Do(request)
	if err != nil {
		x.bad("the stream: %v", err)
		return
	}
	response.Body.Close()
	x.check(response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"),
		"the stream opens", fmt.Sprintf("the stream: status %d, %s", response.StatusCode, response.Header.Get("Content-Type")))
}

// request sends a request, and decodes its result; it reports what is wrong.
func (x *examination) request(ctx context.Context, method, params string, result any) (ok bool) {
	if !x.oneID {
		x.id++
	}
	id := max(x.id, 1)
	answer, err := x.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params), x.token)
	if err != nil || answer.status != http.StatusOK {
		x.bad("%s: %s", method, describe(answer, err))
		return false
	}
	var message struct {
		Result jsontext.Value `json:"result"`
		Error  jsontext.Value `json:"error"`
	}
	err = json.Unmarshal(answer.message(), &message)
	if err == nil && message.Error == nil {
		err = json.Unmarshal(message.Result, result)
	}
	if err != nil || message.Error != nil {
		x.bad("%s: %.300s %v", method, answer.body, err)
		return false
	}
	return true
}

func (x *examination) initialize() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":%q,"version":"1.0.0"}}}`, max(x.id, 1), x.revision, x.name)
}

// An answer is one by HTTP, whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// message returns the message of an answer, which may be the last event of a stream.
func (a *answer) message() []byte {
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		return a.body
	}
	at := bytes.LastIndex(a.body, []byte("data: {"))
	line, _, _ := bytes.Cut(a.body[max(at, 0):], []byte("\n"))
	return bytes.TrimPrefix(line, []byte("data: "))
}

func describe(a *answer, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("status %d %s: %.300s", a.status, a.header.Get("WWW-Authenticate"), a.body)
}

func (x *examination) post(ctx context.Context, body, token string) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := x.newRequest(ctx, http.MethodPost, body, token)
	if err != nil {
		return nil, err
	}
	return x.do(request)
}

func (x *examination) newRequest(ctx context.Context, method, body, token string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, x.endpoint.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	h := request.Header
	h.Set("Accept", x.accept)
	h.Set("User-Agent", x.agent)
	if method == http.MethodGet {
		h.Set("Accept", "text/event-stream")
	} else {
		h.Set("Content-Type", "application/json")
	}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	if x.session != "" {
		h.Set("Mcp-Session-Id", x.session)
		h.Set("MCP-Protocol-Version", x.revision)
	}
	return request, nil
}

// get reads a document of JSON. It sends no token.
func (x *examination) get(ctx context.Context, address string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", x.agent)
	answer, err := x.do(request)
	switch {
	case err != nil:
		return err
	case answer.status != http.StatusOK:
		return fmt.Errorf("%s: status %d", address, answer.status)
	}
	if err := json.Unmarshal(answer.body, into); err != nil {
		return fmt.Errorf("%s: %v", address, err)
	}
	return nil
}

func (x *examination) do(request *http.Request) (*answer, error) {
	response, err := x.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &answer{response.StatusCode, response.Header, body}, nil
}
