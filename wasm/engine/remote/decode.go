package remote

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Results of the other engine, as a Remote reads them. Unknown members are dropped,
// except in _meta, which is kept as it came.

var errAnswer = errors.New("the other engine's answer is not valid")

// decodeList calls each for the elements of an array member of a result, and
// notes nextCursor.
func decodeList(result []byte, member string, next *string, each func(object []byte) *jsonrpc.Error) error {
	found := false
	refusal := jsonrpc.Members(result, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "resultType":
			if kind, _ := jsonrpc.Text(value); kind != "complete" {
				return badAnswer()
			}
		case "nextCursor":
			cursor, ok := jsonrpc.Text(value)
			if !ok || next == nil {
				return badAnswer()
			}
			*next = cursor
		case member:
			elements, ok := jsonrpc.Elements(value)
			if !ok {
				return badAnswer()
			}
			found = true
			for _, element := range elements {
				if err := each(element); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if refusal != nil || !found {
		return errAnswer
	}
	return nil
}

func badAnswer() *jsonrpc.Error { return &jsonrpc.Error{Message: "not valid"} }

// relayed returns contents whose text or blob is the JSON text it came in: it may be large, and goes out again just so.
func relayed(read schema.Contents) (c engine.Contents) {
	c.URI, _ = jsonrpc.Text(read.URI)
	c.MIMEType, _ = jsonrpc.Text(read.MIMEType)
	c.Relayed.Body, c.Relayed.IsBlob = read.Text, read.Blob != nil
	if read.Blob != nil {
		c.Relayed.Body = read.Blob
	}
	c.Meta = read.Meta
	return c
}

// sameListing reports whether clients see no difference. Where it forgets a field, they are
// not told of a change that comes after a cached list: TestEachFieldOfAListCounts.
func sameListing(a, b engine.Listing) bool {
	return a.Next == b.Next && slices.EqualFunc(a.Resources, b.Resources, func(a, b engine.Resource) bool {
		return a.URI == b.URI && a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
			a.MIMEType == b.MIMEType && a.Size == b.Size && bytes.Equal(a.Annotations, b.Annotations) &&
			bytes.Equal(a.Icons, b.Icons) && bytes.Equal(a.Meta, b.Meta)
	})
}

func sameTemplate(a, b engine.Template) bool {
	return a.URITemplate == b.URITemplate && a.Name == b.Name && a.Title == b.Title &&
		a.Description == b.Description && a.MIMEType == b.MIMEType && bytes.Equal(a.Annotations, b.Annotations) &&
		bytes.Equal(a.Icons, b.Icons) && bytes.Equal(a.Meta, b.Meta)
}

func sameNamed(a, b engine.Named) bool { return a.Name == b.Name && bytes.Equal(a.Object, b.Object) }
