package gateway

import (
	"context"
	"fmt"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A toolClient is a connection of a generated tool to the engine of its view.
type toolClient struct {
	*jsonrpc.Conn
}

// connect opens a connection on behalf of the caller of a tool. Its requests are limited
// and audited like those of any client. onNotification may be nil.
func (r *resourceTools) connect(ctx context.Context, tool string, onNotification func(jsonrpc.Message)) toolClient {
	near, far := jsonrpc.Pipe()
	principal := engine.PrincipalOf(ctx)
	port := r.views.gateway.Gate.Port(near, r.view.engine, access.Client{Principal: string(principal), Endpoint: r.view.path, Name: tool, Internal: true})
	if onNotification == nil {
		onNotification = func(jsonrpc.Message) {}
	}
	c := toolClient{jsonrpc.NewConn(far, onNotification)}
	go r.view.engine.Serve(engine.WithPrincipal(context.Background(), principal), port) // ends with Close
	go c.Run(context.Background())                                                      // likewise
	return c
}

// toolEnvelope begins the params of each request. It declares no capabilities: the tool
// cannot answer requests to the client.
const toolEnvelope = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + engine.LatestModern + `","io.modelcontextprotocol/clientCapabilities":{}}`

// request sends a request. members are JSON members of its params, or nil.
func (c toolClient) request(ctx context.Context, method string, members []byte) ([]byte, error) {
	return c.Call(ctx, method, paramsOf(members))
}

func paramsOf(members []byte) []byte {
	params := []byte(toolEnvelope)
	if len(members) > 0 {
		params = append(append(params, ','), members...)
	}
	return append(params, '}')
}

// A listedResource is a resource or a template in the result of list_resources.
type listedResource struct {
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uriTemplate,omitempty"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// matches reports whether a member contains text, which is in lower case.
func (r *listedResource) matches(text string) bool {
	for _, s := range [...]string{r.URI, r.URITemplate, r.Name, r.Title, r.Description} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	return false
}

// list implements list_resources. Templates are in the first page only.
func (r *resourceTools) list(ctx context.Context, arguments []byte) (toolResult, error) {
	var args struct {
		Filter string `json:"filter"`
		Cursor string `json:"cursor"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil {
		return toolResult{}, fmt.Errorf("%w: filter and cursor must be text", errArguments)
	}
	c := r.connect(ctx, "list_resources", nil)
	defer c.Close()
	all := struct {
		Resources  []listedResource `json:"resources"`
		Templates  []listedResource `json:"resourceTemplates,omitempty"`
		NextCursor string           `json:"nextCursor,omitempty"`
	}{Resources: []listedResource{}, NextCursor: args.Cursor}
	for first := true; first || all.NextCursor != "" && len(all.Resources) < maxListed; first = false {
		page, next, err := c.page(ctx, "resources/list", "resources", all.NextCursor, args.Filter)
		if err != nil {
			return toolResult{}, err
		}
		all.Resources, all.NextCursor = append(all.Resources, page...), next
	}
	for next := ""; args.Cursor == ""; {
		page, after, err := c.page(ctx, "resources/templates/list", "resourceTemplates", next, args.Filter)
		if err != nil {
			return toolResult{}, err
		}
		all.Templates = append(all.Templates, page...)
		if next = after; next == "" {
			break
		}
	}
	return structured(&all)
}

// page requests one page of a list.
func (c toolClient) page(ctx context.Context, method, member, cursor, filter string) ([]listedResource, string, error) {
	var members []byte
	if cursor != "" {
		members = jsonrpc.AppendString([]byte(`"cursor":`), cursor)
	}
	result, err := c.request(ctx, method, members)
	if err != nil {
		return nil, "", err
	}
	var page map[string]jsontext.Value
	var items []listedResource
	var next string
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(page[member], &items); err != nil {
		return nil, "", err
	}
	if text := page["nextCursor"]; text != nil {
		next, _ = jsonrpc.Text(text)
	}
	if filter != "" {
		matching, filter := items[:0], strings.ToLower(filter)
		for _, item := range items {
			if item.matches(filter) {
				matching = append(matching, item)
			}
		}
		items = matching
	}
	return items, next, nil
}

// wait implements wait_for_change.
func (r *resourceTools) wait(ctx context.Context, arguments []byte) (toolResult, error) {
	var args struct {
		URIs    []string `json:"uris"`
		Timeout *float64 `json:"timeoutSeconds"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || len(args.URIs) == 0 || len(args.URIs) > maxWaitURIs {
		return toolResult{}, fmt.Errorf("%w: uris must be a list of 1 to %d URIs, timeoutSeconds a number", errArguments, maxWaitURIs)
	}
	timeout := defaultWait
	if args.Timeout != nil {
		timeout = time.Duration(*args.Timeout * float64(time.Second))
		if timeout <= 0 || timeout > maxWait {
			return toolResult{}, fmt.Errorf("%w: timeoutSeconds must be above 0 and at most %v", errArguments, maxWait.Seconds())
		}
	}
	filter, err := json.Marshal(map[string][]string{"resourceSubscriptions": args.URIs})
	if err != nil {
		return toolResult{}, err
	}
	notifications := make(chan jsonrpc.Message, maxWaitURIs+1) // room for one `updated` per URI and the acknowledgement
	c := r.connect(ctx, "wait_for_change", func(m jsonrpc.Message) {
		select {
		case notifications <- m:
		default: // a further `updated` of the same URI
		}
	})
	defer c.Close()
	listen, err := c.Begin(ctx, "subscriptions/listen", paramsOf(append([]byte(`"notifications":`), filter...)), nil)
	if err != nil {
		return toolResult{}, err
	}
	begun, timer := time.Now(), time.NewTimer(timeout)
	defer timer.Stop()
	progress := time.NewTicker(progressInterval)
	defer progress.Stop()
	for {
		select {
		case m := <-notifications:
			switch m.Method {
			case "notifications/subscriptions/acknowledged":
				if unavailable := missing(args.URIs, m.Params); len(unavailable) > 0 {
					return failedTool("These resources cannot be watched: " + strings.Join(unavailable, ", ") + ". Call list_resources for the available URIs."), nil
				}
			case "notifications/resources/updated":
				uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
				return changedResult(append([]string{uri}, drain(notifications)...), begun)
			}
		case <-progress.C:
			engine.InvocationOf(ctx).Progress(fmt.Appendf(nil, `{"progress":%d,"total":%d,"message":"no change yet"}`,
				int(time.Since(begun).Seconds()), int(timeout.Seconds())))
		case <-timer.C:
			return changedResult([]string{}, begun)
		case <-listen.Done():
			if _, err := listen.Answer(); err != nil {
				return toolResult{}, err
			}
			return changedResult([]string{}, begun) // the gateway is closing
		case <-ctx.Done():
			return toolResult{}, ctx.Err()
		}
	}
}

// missing returns the URIs that an acknowledgement does not contain.
func missing(uris []string, acknowledged []byte) (unavailable []string) {
	var accepted []string
	if text := jsonrpc.Member(jsonrpc.Member(acknowledged, "notifications"), "resourceSubscriptions"); text != nil {
		if json.Unmarshal(text, &accepted) != nil {
			return nil
		}
	}
	has := map[string]bool{}
	for _, uri := range accepted {
		has[uri] = true
	}
	for _, uri := range uris {
		if !has[uri] {
			unavailable = append(unavailable, uri)
		}
	}
	return unavailable
}

// drain returns the URIs of the `updated` notifications received so far.
func drain(notifications <-chan jsonrpc.Message) (uris []string) {
	for {
		select {
		case m := <-notifications:
			if uri, ok := jsonrpc.Text(jsonrpc.Member(m.Params, "uri")); ok && m.Method == "notifications/resources/updated" {
				uris = append(uris, uri)
			}
		default:
			return uris
		}
	}
}

// changedResult returns the result of wait_for_change. No uris means a timeout.
func changedResult(uris []string, begun time.Time) (toolResult, error) {
	result, err := structured(struct {
		Changed  []string `json:"changed"`
		TimedOut bool     `json:"timedOut"`
	}{uris, len(uris) == 0})
	text := fmt.Sprintf("Nothing changed within %.0f seconds.", time.Since(begun).Seconds())
	if len(uris) > 0 {
		text = "Changed: " + strings.Join(uris, ", ") + ". Read again with read_resource."
	}
	result.Content = []block{textBlock(text)}
	return result, err
}
