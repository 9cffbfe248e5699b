package engine

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What a Remote reads of the other engine's results. Members that it does not
// know are dropped, except in _meta, which is kept as it came.

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

// field puts a member's string into its place.
func field(place *string, value []byte) *jsonrpc.Error {
	text, ok := jsonrpc.Text(value)
	if !ok {
		return badAnswer()
	}
	*place = text
	return nil
}

func decodeResource(object []byte) (r Resource, err *jsonrpc.Error) {
	err = jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "uri":
			return field(&r.URI, value)
		case "name":
			return field(&r.Name, value)
		case "title":
			return field(&r.Title, value)
		case "description":
			return field(&r.Description, value)
		case "mimeType":
			return field(&r.MIMEType, value)
		case "size":
			r.Size, _ = jsonrpc.Int(value)
		case "annotations":
			r.Annotations = value
		case "icons":
			r.Icons = value
		case "_meta":
			r.Meta = value
		}
		return nil
	})
	if err == nil && CheckURI(r.URI) != nil {
		err = badAnswer()
	}
	return r, err
}

func decodeTemplate(object []byte) (t Template, err *jsonrpc.Error) {
	err = jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "uriTemplate":
			return field(&t.URITemplate, value)
		case "name":
			return field(&t.Name, value)
		case "title":
			return field(&t.Title, value)
		case "description":
			return field(&t.Description, value)
		case "mimeType":
			return field(&t.MIMEType, value)
		case "annotations":
			t.Annotations = value
		case "icons":
			t.Icons = value
		case "_meta":
			t.Meta = value
		}
		return nil
	})
	if err == nil && scheme(t.URITemplate) == 0 {
		err = badAnswer()
	}
	return t, err
}

// decodeContents keeps text and blob as the JSON text they came in: they may be
// large, and go out again just so.
func decodeContents(object []byte) (c Contents, err *jsonrpc.Error) {
	err = jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "uri":
			return field(&c.URI, value)
		case "mimeType":
			return field(&c.MIMEType, value)
		case "text", "blob":
			if c.body != nil || value[0] != '"' {
				return badAnswer()
			}
			c.body = append([]byte(`"`+name+`":`), value...)
		case "_meta":
			c.Meta = value
		}
		return nil
	})
	if err == nil && c.body == nil {
		err = badAnswer()
	}
	return c, err
}

func sameListing(a, b Listing) bool {
	return a.Next == b.Next && slices.EqualFunc(a.Resources, b.Resources, func(a, b Resource) bool {
		return a.URI == b.URI && a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
			a.MIMEType == b.MIMEType && a.Size == b.Size && bytes.Equal(a.Annotations, b.Annotations) &&
			bytes.Equal(a.Icons, b.Icons) && bytes.Equal(a.Meta, b.Meta)
	})
}

func sameTemplate(a, b Template) bool {
	return a.URITemplate == b.URITemplate && a.Name == b.Name && a.Title == b.Title &&
		a.Description == b.Description && a.MIMEType == b.MIMEType
}
