package engine

import (
	"bytes"
	"errors"
	"slices"

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

// A descriptor takes the members that resources and templates have in common.
type descriptor struct {
	uri                                *string
	uriName                            string // uri or uriTemplate
	name, title, description, mimeType *string
	size                               *int64
	annotations, icons, meta           *[]byte
}

// take puts a member into its place. Members that are not known are left out;
// what has the wrong type is refused by name. Nothing shares memory with value.
func (d descriptor) take(name string, value []byte) *jsonrpc.Error {
	var text *string
	var raw *[]byte
	begins := byte('{')
	switch name {
	case d.uriName:
		text = d.uri
	case "name":
		text = d.name
	case "title":
		text = d.title
	case "description":
		text = d.description
	case "mimeType":
		text = d.mimeType
	case "annotations":
		raw = d.annotations
	case "icons":
		raw, begins = d.icons, '['
	case "_meta":
		raw = d.meta
	case "size":
		size, ok := jsonrpc.Int(value)
		if d.size != nil && (!ok || size < 0) {
			return malformed("size must be a number of bytes")
		}
		if d.size != nil {
			*d.size = size
		}
	}
	switch {
	case text != nil:
		var ok bool
		if *text, ok = jsonrpc.Text(value); !ok {
			return malformed(name + " must be a string")
		}
		if name == "mimeType" && *text != "" && !validMediaType(*text) {
			return malformed(name + " " + mediaTypeRule)
		}
	case raw != nil && value[0] != begins:
		return malformed(name + " has the wrong type")
	case raw != nil && name == "icons" && !validIcons(value):
		return malformed(iconsRule)
	case raw != nil && name == "annotations" && !validAnnotations(value):
		return malformed(annotationsRule)
	case raw != nil && name == "_meta":
		*raw = bytes.Clone(value)
	case raw != nil:
		clean, ok := plainJSON(name, value)
		if !ok {
			return malformed(name + hiddenRule)
		}
		*raw = clean
	}
	return nil
}

//go:noinline
func malformed(message string) *jsonrpc.Error { return &jsonrpc.Error{Message: message} }

// ParseResource reads a description as resources/list has it. Its texts are cleaned
// and cut: see [PlainText]. The error names the member that is missing or wrong.
func ParseResource(object []byte) (r Resource, err error) {
	d := descriptor{
		&r.URI, "uri", &r.Name, &r.Title, &r.Description, &r.MIMEType, &r.Size, &r.Annotations, &r.Icons, &r.Meta,
	}
	if refusal := jsonrpc.Members(object, d.take); refusal != nil {
		return r, refusal
	}
	if problem := checkURI(r.URI); problem != nil {
		return r, wrong("uri", problem.Error())
	}
	if r.Name == "" {
		return r, errors.New("name is missing")
	}
	plainMembers(r.URI, &r.Name, &r.Title, &r.Description, &r.MIMEType)
	return r, nil
}

// ParseTemplate reads a description as resources/templates/list has it, and cleans it
// likewise.
func ParseTemplate(object []byte) (t Template, err error) {
	d := descriptor{
		&t.URITemplate, "uriTemplate", &t.Name, &t.Title, &t.Description, &t.MIMEType, nil, &t.Annotations, &t.Icons, &t.Meta,
	}
	if refusal := jsonrpc.Members(object, d.take); refusal != nil {
		return t, refusal
	}
	switch {
	case scheme(t.URITemplate) == 0:
		return t, errors.New("uriTemplate must begin with a scheme, as notes://tag/{tag} does")
	case len(t.URITemplate) > maxURI || PlainText(t.URITemplate, maxURI) != t.URITemplate:
		return t, errors.New("uriTemplate is longer than 8 KiB, or has hidden or control characters")
	case t.Name == "":
		return t, errors.New("name is missing")
	}
	plainMembers(t.URITemplate, &t.Name, &t.Title, &t.Description, &t.MIMEType)
	return t, nil
}

// decodeContents reads contents that have been checked. It keeps text and blob as
// the JSON text they came in: they may be large, and go out again just so.
func decodeContents(object []byte) (c Contents) {
	s := jsonrpc.Scan(object)
	for s.Next() {
		switch name := string(s.Name); name {
		case "uri":
			c.URI, _ = jsonrpc.Text(s.Value)
		case "mimeType":
			c.MIMEType, _ = jsonrpc.Text(s.Value)
		case "text", "blob":
			c.body, c.isBlob = s.Value, name == "blob"
		case "_meta":
			c.Meta = s.Value
		}
	}
	return c
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
