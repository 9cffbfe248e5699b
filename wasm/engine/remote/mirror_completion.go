package remote

import (
	"bytes"
	"context"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The page marks the result of a completion if it is from a list, which changes with the registrations
// alone. The result is kept by what is completed and the text typed so far; the arguments that have values do not matter
// to a list. The gateway ranks nothing by itself: it could differ from the page.

// maxCompletionKey keeps long texts from taking the room of values.
const maxCompletionKey = 2 << 10 // bytes

// Complete requests suggestions, unless they are kept.
func (r *Remote) Complete(ctx context.Context, c engine.CompletionRequest) (engine.Completion, error) {
	key := completionKey(c)
	served := servedRead{uri: c.Prompt + c.URI, method: engine.MethodComplete}
	if kept := r.answerMirrored(ctx, string(key), c.URI, served); kept != nil {
		found, err := parseCompletion(kept[0].Relayed.Body)
		found.Meta = kept[0].Relayed.Result
		return found, err
	}
	params := key
	if c.Arguments != nil {
		params.Text(`,"context":{"arguments":`)
		params.Raw(c.Arguments)
		params.Text("}")
	}
	var at mirrorMark
	var answered func(*link)
	if r.mirror != nil {
		answered = func(l *link) { at = r.mirror.mark(l) }
	}
	result, err := unlessUnknown(r.requestMarked(ctx, engine.MethodComplete, params, false, answered))
	if err != nil {
		return engine.Completion{}, err
	}
	found, err := parseCompletion(jsonrpc.Member(result, "completion"))
	if err != nil {
		return found, err
	}
	meta := jsonrpc.Member(result, "_meta")
	if age := jsonrpc.Member(meta, hop.KeyAge); age != nil { // of another node
		own := emit.JSON("{")
		own.Member(hop.KeyAge, age)
		own.Text("}")
		found.Meta = own
	}
	if isTrue(jsonrpc.Member(meta, hop.KeyPublished)) && at.link != nil && r.mirrors(at.link) && isFirstRound(ctx) {
		if e := completionEntry(string(key), result); e != nil {
			r.mirror.storeEntry(at, "", e)
		}
	}
	return found, nil
}

// completionKey returns the members of the params that decide what a list suggests. It is no URI: it begins with a quotation mark.
func completionKey(c engine.CompletionRequest) emit.JSON {
	var key emit.JSON
	if c.Prompt != "" {
		key.Text(`"ref":{"type":"ref/prompt","name":`)
	} else {
		key.Text(`"ref":{"type":"ref/resource","uri":`)
	}
	key.Quote(c.Prompt + c.URI)
	key.Text(`},"argument":{"name":`)
	key.Quote(c.Argument)
	key.Text(`,"value":`)
	key.Quote(c.Value)
	key.Text("}")
	return key
}

// completionEntry makes an entry of a valid result; nil: it is too large.
func completionEntry(key string, result []byte) *mirrored {
	if len(result) > MaxMirroredValue || len(key) > maxCompletionKey {
		return nil
	}
	kept := engine.Contents{Relayed: hop.Relayed{Body: bytes.Clone(jsonrpc.Member(result, "completion"))}}
	size := len(result) + 2*len(key) + mirroredOverhead
	return &mirrored{uri: key, contents: []engine.Contents{kept}, size: size, units: unitsOf(string(result)), isFixed: true}
}

// parseCompletion reads what completion/complete answers: values, total, hasMore.
func parseCompletion(object []byte) (c engine.Completion, err error) {
	values, ok := jsonrpc.Elements(jsonrpc.Member(object, "values"))
	if !ok {
		return c, schema.Wrong("completion.values", "is not an array")
	}
	for i, value := range values[:min(len(values), schema.MaxValues+1)] { // one more than the limit shows that there are more
		text, isText := jsonrpc.Text(value)
		if !isText {
			return c, schema.Wrong(schema.Element("completion.values", i), "is not a string")
		}
		c.Values = append(c.Values, text)
	}
	total, _ := jsonrpc.Int(jsonrpc.Member(object, "total"))
	c.Total = int(max(0, total))
	if len(values) > schema.MaxValues {
		c.Total = max(c.Total, len(values))
	}
	c.HasMore = string(jsonrpc.Member(object, "hasMore")) == "true"
	return c, nil
}
