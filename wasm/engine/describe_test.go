package engine_test

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// What a description may say, and that a wrong one is refused by name. R-108
// R-128 R-137 R-196 R-197 R-233 R-234 R-235 R-237 R-238 R-363.
func TestDescriptions(t *testing.T) {
	resource := func(text string) error { _, err := engine.Resources.Parse([]byte(text)); return err }
	template := func(text string) error { _, err := engine.Templates.Parse([]byte(text)); return err }
	prompt := func(text string) error { _, err := engine.Prompts.Parse([]byte(text)); return err }
	tool := func(text string) error { _, err := engine.Tools.Parse([]byte(text)); return err }
	for _, test := range []struct {
		parse   func(string) error
		text    string
		problem string // part of the error; "": none
	}{
		{resource, `{"uri":"a:b","name":"n","annotations":{"audience":["user","assistant"],"priority":1,"lastModified":"2025-01-12T15:00:58Z"}}`, ""},
		{resource, `{"uri":"a:b","name":"n","annotations":{"priority":0.0,"com.example/x":1},"size":3,"_meta":{}}`, ""},
		{resource, `{"uri":"a:b","name":"n","annotations":{"priority":1.01}}`, "priority"},
		{resource, `{"uri":"a:b","name":"n","annotations":{"priority":-1}}`, "priority"},
		{resource, `{"uri":"a:b","name":"n","annotations":{"priority":"1"}}`, "priority"},
		{resource, `{"uri":"a:b","name":"n","annotations":{"audience":["robots"]}}`, "audience"},
		{resource, `{"uri":"a:b","name":"n","annotations":{"audience":"user"}}`, "audience"},
		{resource, `{"uri":"a:b","name":"n","annotations":{"lastModified":"yesterday"}}`, "lastModified"},
		{resource, `{"uri":"a:b","name":"n","annotations":[]}`, "annotations"},
		{resource, `{"uri":"a:b","name":"n","icons":[{"src":"https://example.com/i.png","sizes":["48x48"],"theme":"dark"}]}`, ""},
		{resource, `{"uri":"a:b","name":"n","icons":[{"src":"data:image/png;base64,AA=="}]}`, ""},
		{resource, `{"uri":"a:b","name":"n","icons":[{"src":"http://example.com/i.png"}]}`, "icons"},
		{resource, `{"uri":"a:b","name":"n","icons":[{"src":"blob:x"}]}`, "icons"},
		{resource, `{"uri":"a:b","name":"n","icons":[{}]}`, "icons"},
		{resource, `{"uri":"a:b","name":"n","icons":{}}`, "icons"},
		{resource, `{"uri":"a b","name":"n"}`, "uri"},
		{resource, `{"uri":"a:b"}`, "name"},
		{resource, `{"uri":"a:b","name":"n","size":-1}`, "size"},
		{template, `{"uriTemplate":"a:{b}","name":"n","annotations":{"priority":2}}`, "priority"},
		{template, `{"uriTemplate":"{b}","name":"n"}`, "uriTemplate"},
		{prompt, `{"name":"p","title":"P","description":"d","arguments":[{"name":"a","required":true},{"name":"b"}],"icons":[{"src":"https://a.example/"}]}`, ""},
		{prompt, `{"title":"P"}`, "name"},
		{prompt, `{"name":""}`, "name"},
		{prompt, `{"name":7}`, "name"},
		{prompt, `{"name":"p","arguments":{}}`, "arguments"},
		{prompt, `{"name":"p","arguments":[{}]}`, "arguments"},
		{prompt, `{"name":"p","arguments":["a"]}`, "arguments"},
		{prompt, `{"name":"p","arguments":[{"name":"a"},{"name":"a"}]}`, "arguments"},
		{prompt, `{"name":"p","description":1}`, "description"},
		{prompt, `{"name":"p","icons":[{"src":"file:///x"}]}`, "icons"},
		{prompt, `[]`, "JSON"},
		{tool, `{"name":"t","inputSchema":{"type":"object","properties":{}},"outputSchema":{"type":"array"},"annotations":{"readOnlyHint":true}}`, ""},
		{tool, `{"name":"t"}`, "inputSchema"},
		{tool, `{"name":"t","inputSchema":{}}`, "inputSchema"},
		{tool, `{"name":"t","inputSchema":{"type":"string"}}`, "inputSchema"},
		{tool, `{"name":"t","inputSchema":"object"}`, "inputSchema"},
		{tool, `{"name":"t","inputSchema":{"type":"object"},"outputSchema":[]}`, "outputSchema"},
		{tool, `{"name":"t","inputSchema":{"type":"object"},"_meta":1}`, "_meta"},
	} {
		switch err := test.parse(test.text); {
		case test.problem == "" && err != nil:
			t.Errorf("%s is refused: %v", test.text, err)
		case test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
			t.Errorf("%s: the error is %v, want one about %s", test.text, err, test.problem)
		}
	}
}
