package mcphttp

import (
	"net/http"
	"strings"
	"testing"
)

const regionSchema = `{"type":"object","properties":{` +
	`"region":{"type":"string","x-mcp-header":"Region"},` +
	`"count":{"type":"integer","x-mcp-header":"Count"},` +
	`"dry":{"type":"boolean","x-mcp-header":"Dry"},` +
	`"level":{"type":"integer"},` +
	`"odd":{"type":"string","x-mcp-header":7},` +
	`"any":true,` +
	`"place":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}}`

// Mcp-Param-* headers must represent their arguments. R-302 R-303 R-305.
func TestParamHeadersMirrorArguments(t *testing.T) {
	for _, test := range []struct {
		name      string
		arguments string
		lines     string // "Name: value", divided by |
		want      string // part of what is wrong; empty: nothing is
	}{
		{"no arguments, no headers", "", "", ""},
		{"equal", `{"region":"eu"}`, "Mcp-Param-Region: eu", ""},
		{"the name in another case", `{"region":"eu"}`, "mcp-param-REGION: eu", ""},
		{"white space around", `{"region":"eu"}`, "Mcp-Param-Region: \t eu  ", ""},
		{"the value in another case", `{"region":"eu"}`, "Mcp-Param-Region: EU", "does not equal"},
		{"another value", `{"region":"eu"}`, "Mcp-Param-Region: us", "does not equal"},
		{"missing", `{"region":"eu"}`, "", "is missing"},
		{"twice", `{"region":"eu"}`, "Mcp-Param-Region: eu|Mcp-Param-Region: eu", "not a valid header value"},
		{"without argument", `{}`, "Mcp-Param-Region: eu", "has no such argument"},
		{"without arguments", ``, "Mcp-Param-Region: eu", "has no such argument"},
		{"null counts as absent", `{"region":null}`, "", ""},
		{"null and a header", `{"region":null}`, "Mcp-Param-Region: null", "has no such argument"},
		{"empty text", `{"region":""}`, "Mcp-Param-Region:", ""},
		{"unknown ones are ignored", `{"level":1}`, "Mcp-Param-Level: 7|Mcp-Param-Acme: x|Mcp-Param-: y", ""},
		{"a mark that is no text", `{"odd":"x"}`, "", ""},
		{"Base64", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG8=?=", ""},
		{"Base64 of what needs it", `{"region":" é\n"}`, "Mcp-Param-Region: =?base64?IMOpCg==?=", ""},
		{"raw UTF-8", `{"region":"é"}`, "Mcp-Param-Region: é", ""},
		{"Base64 of something else", `{"region":"Hallo"}`, "Mcp-Param-Region: =?base64?SGVsbG8=?=", "does not equal"},
		{"without padding", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG8?=", "not a valid header value"},
		{"not of the alphabet", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVs!!!bG8=?=", "not a valid header value"},
		{"no UTF-8 in it", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?/w==?=", "not a valid header value"},
		{"the wrapper's text encoded itself", `{"region":"=?base64?x?="}`, "Mcp-Param-Region: =?base64?PT9iYXNlNjQ/eD89?=", ""},
		{"the wrapper's text raw", `{"region":"=?base64?SGVsbG8=?="}`, "Mcp-Param-Region: =?base64?SGVsbG8=?=", "does not equal"},
		{"without prefix it is meant as it is", `{"region":"SGVsbG8="}`, "Mcp-Param-Region: SGVsbG8=", ""},
		{"without suffix too", `{"region":"=?base64?SGVsbG8="}`, "Mcp-Param-Region: =?base64?SGVsbG8=", ""},
		{"a number", `{"count":42}`, "Mcp-Param-Count: 42", ""},
		{"a number in other words", `{"count":42}`, "Mcp-Param-Count: 4.2e1", ""},
		{"a large number", `{"count":9007199254740993}`, "Mcp-Param-Count: 9007199254740992", "does not equal"},
		{"a huge exponent", `{"count":1}`, "Mcp-Param-Count: 1e999999999", "does not equal"},
		{"a fraction in Go's words", `{"count":2}`, "Mcp-Param-Count: 4/2", "does not equal"},
		{"a text for a number", `{"count":"42"}`, "Mcp-Param-Count: 42", ""},
		{"a truth", `{"dry":false}`, "Mcp-Param-Dry: false", ""},
		{"a truth in another case", `{"dry":true}`, "Mcp-Param-Dry: True", "does not equal"},
		{"an object where text belongs", `{"region":{"a":1}}`, "", ""},
		{"an object, and a header", `{"region":{"a":1}}`, `Mcp-Param-Region: {"a":1}`, ""},
		{"deeper", `{"place":{"zone":"z"}}`, "Mcp-Param-Zone: z", ""},
		{"deeper and missing", `{"place":{"zone":"z"}}`, "", "Zone is missing"},
		{"deeper without argument", `{"place":{}}`, "Mcp-Param-Zone: z", "has no such argument"},
		{"deeper without object", `{}`, "Mcp-Param-Zone: z", "has no such argument"},
	} {
		h := http.Header{}
		for line := range strings.SplitSeq(test.lines, "|") {
			if name, value, ok := strings.Cut(line, ":"); ok {
				h.Add(name, value)
			}
		}
		var arguments []byte
		if test.arguments != "" {
			arguments = []byte(test.arguments)
		}
		wrong := checkArguments(h, []byte(regionSchema), arguments)
		switch {
		case wrong == nil && test.want != "":
			t.Errorf("%s: nothing is wrong, want %q", test.name, test.want)
		case wrong != nil && (test.want == "" || !strings.Contains(wrong.Message, test.want) || wrong.Code != -32020):
			t.Errorf("%s: %v, want %q", test.name, wrong, test.want)
		}
	}
}
