package gateway

import (
	"context"
	"fmt"
	"strings"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

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
	c := r.connect(ctx, "list_resources")
	defer c.Close()
	all := struct {
		Resources  []listedResource `json:"resources"`
		Templates  []listedResource `json:"resourceTemplates,omitempty"`
		NextCursor string           `json:"nextCursor,omitempty"`
	}{Resources: []listedResource{}, NextCursor: args.Cursor}
	for first := true; first || all.NextCursor != "" && len(all.Resources) < maxListed; first = false {
		page, next, err := c.page(ctx, engine.MethodListResources, "resources", all.NextCursor, args.Filter)
		if err != nil {
			return toolResult{}, err
		}
		all.Resources, all.NextCursor = append(all.Resources, page...), next
	}
	for next := ""; args.Cursor == ""; {
		page, after, err := c.page(ctx, engine.MethodListTemplates, "resourceTemplates", next, args.Filter)
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
