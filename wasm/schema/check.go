// Package schema checks values of MCP 2026-07-28 as its schema has them.
//
// What sources answer is checked before a client gets it: strict clients refuse a whole
// result for one wrong member. It is checked in the page's engine, which
// reports it to the developer, and again in the gateway's, which trusts no page. Errors
// name the member, as in "content[0].resource.uri is missing"; the engine reports them, and
// the client gets "Internal error". Members that the schema does not know do no harm.
package schema

import (
	"bytes"
	"errors"
	"strconv"
	"unsafe"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// MaxValues of a completion; MCP 2026-07-28, CompleteResult.
const MaxValues = 100

// Wrong returns the error about a member.
//
//go:noinline
func Wrong(member, problem string) error { return errors.New(member + " " + problem) }

// Within returns an error about a member of what path is.
//
//go:noinline
func Within(path string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(path + "." + err.Error())
}

// Element returns the path of an element of an array.
func Element(array string, i int) string { return array + "[" + strconv.Itoa(i) + "]" }

// CheckBlock checks a block of content. MCP 2026-07-28, ContentBlock.
func CheckBlock(block []byte) error {
	kind, err := need(block, "type")
	if err != nil {
		return err
	}
	switch kind {
	case "text":
		_, err = need(block, "text")
	case "image", "audio":
		if err = checkBase64("data", jsonrpc.Member(block, "data")); err == nil {
			_, err = need(block, "mimeType")
		}
	case "resource_link":
		if err = checkMemberURI(jsonrpc.Member(block, "uri")); err == nil {
			_, err = need(block, "name")
		}
	case "resource":
		resource := jsonrpc.Member(block, "resource")
		if len(resource) == 0 || resource[0] != '{' {
			return Wrong("resource", MissingOr(resource, "is not an object"))
		}
		s := jsonrpc.Scan(resource)
		_, err = ReadContents(&s)
		err = Within("resource", err)
	default:
		return Wrong("type", "is none of text, image, audio, resource_link and resource")
	}
	if err != nil {
		return err
	}
	return checkCommon(block)
}

// Contents are the members of the contents of a resource that engines know, as JSON text; nil: it is not there.
type Contents struct {
	URI, MIMEType, Text, Blob, Meta []byte
}

// ReadContents reads and checks the contents of a resource, text or blob, in one pass: they may have megabytes. MCP
// 2026-07-28, TextResourceContents and BlobResourceContents.
func ReadContents(s *jsonrpc.Scanner) (c Contents, err error) {
	for s.Next() {
		switch string(s.Name) {
		case "uri":
			c.URI = s.Value
		case "text":
			c.Text = s.Value
		case "blob":
			c.Blob = s.Value
		case "mimeType":
			c.MIMEType = s.Value
		case "_meta":
			c.Meta = s.Value
		}
		if err := checkMember(s.Name, s.Value); err != nil {
			return c, err
		}
	}
	if err := checkMemberURI(c.URI); err != nil {
		return c, err
	}
	switch {
	case c.Text == nil && c.Blob == nil:
		return c, Wrong("text", "is missing, and so is blob")
	case c.Text != nil && c.Blob != nil:
		return c, Wrong("text", "is there, and so is blob")
	case c.Text != nil && c.Text[0] != '"':
		return c, Wrong("text", "is not a string")
	case c.Blob != nil:
		return c, checkBase64("blob", c.Blob)
	}
	return c, nil
}

// checkMemberURI checks the uri of a link or of contents.
func checkMemberURI(value []byte) error {
	uri, err := text("uri", value)
	if err != nil {
		return err
	}
	if err := CheckURI(uri); err != nil {
		return Wrong("uri", err.Error())
	}
	return nil
}

// checkCommon checks optional members that several kinds have.
func checkCommon(object []byte) error {
	s := jsonrpc.Scan(object)
	for s.Next() {
		if err := checkMember(s.Name, s.Value); err != nil {
			return err
		}
	}
	return nil
}

// checkMember checks an optional member that several kinds have.
func checkMember(name, value []byte) error {
	switch string(name) {
	case "mimeType":
		if text, ok := TextOf(value); !ok {
			return Wrong("mimeType", "is not a string")
		} else if text != "" && !ValidMediaType(text) {
			return Wrong("mimeType", MediaTypeRule)
		}
	case "title", "description":
		if value[0] != '"' {
			return Wrong(string(name), "is not a string")
		}
	case "_meta":
		if value[0] != '{' {
			return Wrong("_meta", "is not an object")
		}
	case "annotations":
		if value[0] != '{' || !ValidAnnotations(value) {
			return errors.New(AnnotationsRule)
		}
	case "icons":
		if !ValidIcons(value) {
			return errors.New(IconsRule)
		}
	case "size":
		if n, ok := Number(value); !ok || n < 0 {
			return Wrong("size", "is not a number of bytes")
		}
	}
	return nil
}

// need returns a member that has to be a string.
//
//go:noinline
func need(object []byte, name string) (string, error) {
	return text(name, jsonrpc.Member(object, name))
}

// text returns the value of a member that has to be a string.
func text(name string, value []byte) (string, error) {
	text, ok := TextOf(value)
	if !ok {
		return "", Wrong(name, MissingOr(value, "is not a string"))
	}
	return text, nil
}

// TextOf returns the value of a JSON string, without copying it if nothing in it
// is escaped.
func TextOf(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if len(inner) == 0 || bytes.IndexByte(inner, '\\') >= 0 {
		return jsonrpc.Text(value)
	}
	return unsafe.String(&inner[0], len(inner)), true
}

func MissingOr(value []byte, problem string) string {
	if value == nil {
		return "is missing"
	}
	return problem
}

// checkBase64 checks a member that has to be Base64 with padding: RFC 4648, section 4.
func checkBase64(name string, value []byte) error {
	if len(value) < 2 || value[0] != '"' {
		return Wrong(name, MissingOr(value, "is not a string"))
	}
	text := value[1 : len(value)-1]
	if bytes.IndexByte(text, '\\') >= 0 { // an escaped slash
		unescaped, _ := jsonrpc.Text(value)
		text = []byte(unescaped)
	}
	digits := bytes.TrimRight(text, "=")
	for _, c := range digits {
		if !IsLetter(c) && !IsDigit(c) && c != '+' && c != '/' {
			return Wrong(name, "is not Base64")
		}
	}
	if len(text)%4 != 0 || len(text)-len(digits) > 2 {
		return Wrong(name, "is not Base64")
	}
	return nil
}

// CheckResult checks the members of a result of tools/call or prompts/get beside
// its blocks.
func CheckResult(answer []byte, isTool bool) error {
	s := jsonrpc.Scan(answer)
	for s.Next() {
		switch name := string(s.Name); {
		case name == "_meta" && s.Value[0] != '{':
			return Wrong(name, "is not an object")
		case name == "isError" && isTool && s.Value[0] != 't' && s.Value[0] != 'f':
			return Wrong(name, "is not a boolean")
		case name == "description" && !isTool && s.Value[0] != '"':
			return Wrong(name, "is not a string")
		}
	}
	if s.Err() != nil {
		return errors.New("the result is not an object")
	}
	return nil
}
