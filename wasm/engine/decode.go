package engine

import (
	"bytes"
	"errors"

	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

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
		if name == "mimeType" && *text != "" && !schema.ValidMediaType(*text) {
			return malformed(name + " " + schema.MediaTypeRule)
		}
	case raw != nil && value[0] != begins:
		return malformed(name + " has the wrong type")
	case raw != nil && name == "icons" && !schema.ValidIcons(value):
		return malformed(schema.IconsRule)
	case raw != nil && name == "annotations" && !schema.ValidAnnotations(value):
		return malformed(schema.AnnotationsRule)
	case raw != nil && name == "_meta":
		*raw = bytes.Clone(value)
	case raw != nil:
		clean, ok := plain.JSON(name, value)
		if !ok {
			return malformed(name + plain.HiddenRule)
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
	if problem := schema.CheckURI(r.URI); problem != nil {
		return r, schema.Wrong("uri", problem.Error())
	}
	if r.Name == "" {
		return r, errors.New("name is missing")
	}
	plain.Members(r.URI, &r.Name, &r.Title, &r.Description, &r.MIMEType)
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
	case schema.SchemeLength(t.URITemplate) == 0:
		return t, errors.New("uriTemplate must begin with a scheme, as notes://tag/{tag} does")
	case len(t.URITemplate) > schema.MaxURI || plain.Text(t.URITemplate, schema.MaxURI) != t.URITemplate:
		return t, errors.New("uriTemplate is longer than 8 KiB, or has hidden or control characters")
	case t.Name == "":
		return t, errors.New("name is missing")
	}
	plain.Members(t.URITemplate, &t.Name, &t.Title, &t.Description, &t.MIMEType)
	return t, nil
}
