package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of what read_resource puts into the context of a model.
const (
	defaultReadText = 40_000    // characters; hosts refuse results of more than about 25,000 tokens
	maxReadText     = 1_000_000 // characters, on request
	maxReadImage    = 1 << 20   // bytes
)

// read implements read_resource.
func (r *resourceTools) read(ctx context.Context, arguments []byte) (toolResult, error) {
	var args struct {
		URI    string `json:"uri"`
		Offset *int   `json:"offset"`
		Limit  *int   `json:"limit"`
	}
	err := unmarshalArguments(arguments, &args, numbers("offset", "limit"))
	if err != nil || args.URI == "" {
		return toolResult{}, fmt.Errorf("%w: uri must be the URI of a resource, as text, offset and limit whole numbers", errArguments)
	}
	part := textPart{limit: defaultReadText}
	if args.Offset != nil {
		part.offset = *args.Offset
	}
	if args.Limit != nil {
		part.limit = *args.Limit
	}
	if part.offset < 0 || part.limit < 1 || part.limit > maxReadText {
		return toolResult{}, fmt.Errorf("%w: offset must be at least 0, limit 1 to %d", errArguments, maxReadText)
	}
	c := r.connect(ctx, "read_resource")
	defer c.Close()
	result, err := c.request(ctx, engine.MethodReadResource, jsonrpc.AppendString([]byte(`"uri":`), args.URI))
	if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams {
		return failedTool("There is no resource " + jsonrpc.Quoted(args.URI) + ": " + wire.Message + ". Call list_resources for the available URIs."), nil
	}
	if err != nil {
		return toolResult{}, err
	}
	var contents struct {
		Type     string         `json:"resultType"`
		Contents []readContents `json:"contents"`
	}
	if err := json.Unmarshal(result, &contents); err != nil {
		return toolResult{}, err
	}
	if contents.Type == "input_required" {
		return failedTool("The page requires input from the user before it responds. Use resources/read instead."), nil
	}
	answer := toolResult{Content: make([]block, 0, len(contents.Contents))}
	for i := range contents.Contents {
		blocks, err := contents.Contents[i].blocks(&part, len(contents.Contents) == 1)
		if err != nil {
			return toolResult{}, err
		}
		answer.Content = append(answer.Content, blocks...)
	}
	if note := part.note(); note != "" {
		answer.Content = append(answer.Content, textBlock(note))
	}
	return answer, nil
}

// A textPart is the part of the texts of a resource that a model gets.
type textPart struct {
	offset, limit int // characters, of all texts one behind the other
	total         int // characters of the texts so far
	end           int // where the part ends
}

// take returns what of the next text is in the part.
func (p *textPart) take(text string) string {
	length := utf8.RuneCountInString(text)
	from := min(max(p.offset-p.total, 0), length)
	to := min(max(p.offset+p.limit-p.total, 0), length)
	p.total += length
	if from >= to {
		return ""
	}
	p.end = p.total - length + to
	if from == 0 && to == length {
		return text
	}
	return text[byteAt(text, from):byteAt(text, to)]
}

// byteAt returns where a character of a text begins.
func byteAt(text string, character int) int {
	at := 0
	for range character {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// note returns the line that says how to go on, or "" if there is no more.
func (p *textPart) note() string {
	switch {
	case p.total > 0 && p.offset >= p.total:
		return fmt.Sprintf("offset %d is behind the end of the text, which has %d characters.", p.offset, p.total)
	case p.end < p.total:
		return fmt.Sprintf("Characters %d to %d of %d. To go on, call read_resource with offset %d.", p.offset, p.end, p.total, p.end)
	}
	return ""
}

// readContents is an item of the contents of a resource.
type readContents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     string  `json:"blob"`
}

// blocks returns what a model gets: text, also that in a blob; an image that model APIs take; of
// everything else type, size and URI, since a client that does not know the type passes Base64 to
// the model or fails.
func (c *readContents) blocks(part *textPart, alone bool) ([]block, error) {
	data, err := base64.StdEncoding.DecodeString(c.Blob)
	if err != nil {
		return nil, fmt.Errorf("the blob of %s: %w", jsonrpc.Quoted(c.URI), err)
	}
	if c.Text == nil && isTextual(c.MIMEType) && utf8.Valid(data) {
		text := string(data)
		c.Text = &text
	}
	kind, _, _ := mime.ParseMediaType(c.MIMEType)
	switch {
	case c.Text != nil:
		text := part.take(*c.Text)
		if alone {
			return []block{textBlock(text)}, nil
		}
		if text == "" && *c.Text != "" {
			return nil, nil
		}
		embedded, err := json.Marshal(struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType,omitempty"`
			Text     string `json:"text"`
		}{c.URI, c.MIMEType, text})
		return []block{{Type: "resource", Resource: jsontext.Value(embedded)}}, err
	case slices.Contains(imageTypes[:], kind) && len(data) <= maxReadImage:
		return []block{{Type: "image", Data: c.Blob, MIMEType: kind}}, nil
	}
	name := path.Base(c.URI)
	if name == "." || name == "/" {
		name = c.URI
	}
	about := fmt.Sprintf("%s is of the type %s, with %d bytes, which are not text. resources/read returns them.", c.URI, orUnknown(c.MIMEType), len(data))
	return []block{textBlock(about), {Type: "resource_link", URI: c.URI, Name: name, MIMEType: c.MIMEType, Size: len(data)}}, nil
}

func orUnknown(mimeType string) string {
	if mimeType == "" {
		return "application/octet-stream"
	}
	return mimeType
}

// imageTypes are those that the APIs of models take.
var imageTypes = [...]string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// isTextual reports whether bytes of a type are text.
func isTextual(mimeType string) bool {
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil {
		return false
	}
	family, sub, _ := strings.Cut(kind, "/")
	if family == "text" {
		return true
	}
	_, suffix, _ := strings.Cut(sub, "+")
	switch suffix {
	case "json", "xml", "yaml":
		return true
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/yaml", "application/x-yaml", "application/toml",
		"application/csv", "application/sql", "application/graphql", "application/x-ndjson", "application/jsonl", "application/x-sh", "application/x-www-form-urlencoded":
		return true
	}
	return false
}
