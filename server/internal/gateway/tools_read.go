package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// read implements read_resource.
func (r *resourceTools) read(ctx context.Context, arguments []byte) (toolResult, error) {
	var args struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || args.URI == "" {
		return toolResult{}, fmt.Errorf("%w: uri must be the URI of a resource, as text", errArguments)
	}
	c := r.connect(ctx, "read_resource", nil)
	defer c.Close()
	result, err := c.request(ctx, engine.MethodReadResource, jsonrpc.AppendString([]byte(`"uri":`), args.URI))
	if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams {
		return failedTool("There is no resource " + jsonrpc.Quoted(args.URI) + ": " + wire.Message + ". Call list_resources for the available URIs."), nil
	}
	if err != nil {
		return toolResult{}, err
	}
	var contents struct {
		Type     string           `json:"resultType"`
		Contents []jsontext.Value `json:"contents"`
	}
	if err := json.Unmarshal(result, &contents); err != nil {
		return toolResult{}, err
	}
	if contents.Type == "input_required" {
		return failedTool("The page requires input from the user before it responds. Use resources/read instead."), nil
	}
	answer := toolResult{Content: make([]block, 0, len(contents.Contents))}
	for _, item := range contents.Contents {
		var b block
		if b, err = blockOf(item, len(contents.Contents) == 1); err != nil {
			return toolResult{}, err
		}
		answer.Content = append(answer.Content, b)
	}
	return answer, nil
}

// blockOf makes a content block of an item of contents: text, image and audio blocks
// where possible, since every assistant shows those; otherwise, and for one of several
// texts, an embedded resource.
func blockOf(item jsontext.Value, alone bool) (block, error) {
	var c struct {
		MIMEType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     string  `json:"blob"`
	}
	if err := json.Unmarshal(item, &c); err != nil {
		return block{}, err
	}
	family, _, _ := strings.Cut(c.MIMEType, "/")
	switch {
	case c.Text != nil && alone:
		return block{Type: "text", Text: c.Text}, nil
	case c.Text == nil && (family == "image" || family == "audio"):
		return block{Type: family, Data: c.Blob, MIMEType: c.MIMEType}, nil
	}
	return block{Type: "resource", Resource: item}, nil
}
