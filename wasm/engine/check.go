package engine

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What sources answer is checked against the schema of 2026-07-28 before a client
// gets it: strict clients refuse a whole result for one wrong member (R-201,
// It is checked in the page's engine, which reports it to the developer, and
// again in the gateway's, which trusts no page. Errors name the member, as in
// "content[0].resource.uri is missing", and go to Options.Report; the client gets
// "Internal error". Members that the schema does not know do no harm.

// wrong returns the error about a member.
//
//go:noinline
func wrong(member, problem string) error { return errors.New(member + " " + problem) }

// within returns an error about a member of what path is.
//
//go:noinline
func within(path string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(path + "." + err.Error())
}

// element returns the path of an element of an array.
func element(array string, i int) string { return array + "[" + strconv.Itoa(i) + "]" }

// checkBlock checks a block of content. MCP 2026-07-28, ContentBlock.
func checkBlock(block []byte) error {
	kind, err := need(block, "type")
	if err != nil {
		return err
	}
	switch kind {
	case "text":
		_, err = need(block, "text")
	case "image", "audio":
		if err = checkBase64(block, "data"); err == nil {
			_, err = need(block, "mimeType")
		}
	case "resource_link":
		if err = checkLink(block); err == nil {
			_, err = need(block, "name")
		}
	case "resource":
		resource := jsonrpc.Member(block, "resource")
		if len(resource) == 0 || resource[0] != '{' {
			return wrong("resource", missingOr(resource, "is not an object"))
		}
		err = within("resource", checkContents(resource))
	default:
		return wrong("type", "is none of text, image, audio, resource_link and resource")
	}
	if err != nil {
		return err
	}
	return checkCommon(block)
}

// checkContents checks the contents of a resource: text or blob. MCP 2026-07-28,
// TextResourceContents and BlobResourceContents.
func checkContents(object []byte) error {
	if err := checkLink(object); err != nil {
		return err
	}
	text, blob := jsonrpc.Member(object, "text"), jsonrpc.Member(object, "blob")
	switch {
	case text == nil && blob == nil:
		return wrong("text", "is missing, and so is blob")
	case text != nil && blob != nil:
		return wrong("text", "is there, and so is blob")
	case text != nil && text[0] != '"':
		return wrong("text", "is not a string")
	case blob != nil:
		if err := checkBase64(object, "blob"); err != nil {
			return err
		}
	}
	return checkCommon(object)
}

// checkLink checks the uri of a link or of contents.
func checkLink(object []byte) error {
	uri, err := need(object, "uri")
	if err != nil {
		return err
	}
	if err := checkURI(uri); err != nil {
		return wrong("uri", err.Error())
	}
	return nil
}

// checkCommon checks optional members that several kinds have.
func checkCommon(object []byte) error {
	s := jsonrpc.Scan(object)
	for s.Next() {
		switch string(s.Name) {
		case "mimeType":
			if text, ok := jsonrpc.Text(s.Value); !ok {
				return wrong("mimeType", "is not a string")
			} else if text != "" && !validMediaType(text) {
				return wrong("mimeType", mediaTypeRule)
			}
		case "title", "description":
			if s.Value[0] != '"' {
				return wrong(string(s.Name), "is not a string")
			}
		case "_meta":
			if s.Value[0] != '{' {
				return wrong("_meta", "is not an object")
			}
		case "annotations":
			if s.Value[0] != '{' || !validAnnotations(s.Value) {
				return errors.New(annotationsRule)
			}
		case "icons":
			if !validIcons(s.Value) {
				return errors.New(iconsRule)
			}
		case "size":
			if n, ok := number(s.Value); !ok || n < 0 {
				return wrong("size", "is not a number of bytes")
			}
		}
	}
	return nil
}

// need returns a member that has to be a string.
//
//go:noinline
func need(object []byte, name string) (string, error) {
	value := jsonrpc.Member(object, name)
	text, ok := textOf(value)
	if !ok {
		return "", wrong(name, missingOr(value, "is not a string"))
	}
	return text, nil
}

func missingOr(value []byte, problem string) string {
	if value == nil {
		return "is missing"
	}
	return problem
}

// checkBase64 checks a member that has to be Base64 with padding: RFC 4648, section 4.
func checkBase64(object []byte, name string) error {
	value := jsonrpc.Member(object, name)
	if len(value) < 2 || value[0] != '"' {
		return wrong(name, missingOr(value, "is not a string"))
	}
	text := value[1 : len(value)-1]
	if bytes.IndexByte(text, '\\') >= 0 { // an escaped slash
		unescaped, _ := jsonrpc.Text(value)
		text = []byte(unescaped)
	}
	digits := bytes.TrimRight(text, "=")
	for _, c := range digits {
		if !isLetter(c) && !isDigit(c) && c != '+' && c != '/' {
			return wrong(name, "is not Base64")
		}
	}
	if len(text)%4 != 0 || len(text)-len(digits) > 2 {
		return wrong(name, "is not Base64")
	}
	return nil
}

// checkResult checks the members of a result of tools/call or prompts/get beside
// its blocks.
func checkResult(answer []byte, isTool bool) error {
	s := jsonrpc.Scan(answer)
	for s.Next() {
		switch name := string(s.Name); {
		case name == "_meta" && s.Value[0] != '{':
			return wrong(name, "is not an object")
		case name == "isError" && isTool && s.Value[0] != 't' && s.Value[0] != 'f':
			return wrong(name, "is not a boolean")
		case name == "description" && !isTool && s.Value[0] != '"':
			return wrong(name, "is not a string")
		}
	}
	if s.Err() != nil {
		return errors.New("the result is not an object")
	}
	return nil
}
