package enginetest

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A WrongAnswer is a result that violates the schema, and what the report says of it; "": it
// does not, and is served.
type WrongAnswer struct{ Text, Problem string }

// WrongAnswers are results by method. R-201 R-202.
var WrongAnswers = map[string][]WrongAnswer{
	"tools/call": {
		{`{"content":[{"type":"resource","resource":{}}]}`, "content[0].resource.uri is missing"},
		{`{"content":[{"type":"resource"}]}`, "content[0].resource is missing"},
		{`{"content":[{"type":"resource","resource":7}]}`, "content[0].resource is not an object"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}`, "content[0].resource.text is missing, and so is blob"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x","blob":"eA=="}}]}`, "content[0].resource.text is there, and so is blob"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"***"}}]}`, "content[0].resource.blob is not Base64"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"eA="}}]}`, "content[0].resource.blob is not Base64"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","text":7}}]}`, "content[0].resource.text is not a string"},
		{`{"content":[{"type":"resource","resource":{"uri":"not a uri","text":"x"}}]}`, "content[0].resource.uri must begin with a scheme"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x","mimeType":7}}]}`, "content[0].resource.mimeType is not a string"},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x","mimeType":"not a mime type"}}]}`, "content[0].resource.mimeType is not a media type"},
		{`{"content":[{"type":"image","data":"eA==","mimeType":"image"}]}`, "content[0].mimeType is not a media type"},
		{`{"content":[{"type":"resource_link","uri":"a:b","name":"n","mimeType":"text/plain\u202e"}]}`, "content[0].mimeType is not a media type"},
		{`{"content":[{"type":"resource_link","name":"b","uri":"a:b","icons":[{"src":"https://a.example/i","mimeType":"not a type"}]}]}`, "content[0].icons"},
		{`{"content":[{"type":"text","text":"x"},{"type":"text"}]}`, "content[1].text is missing"},
		{`{"content":[{"type":"text","text":null}]}`, "content[0].text is not a string"},
		{`{"content":[{"type":"text","text":"x","_meta":[]}]}`, "content[0]._meta is not an object"},
		{`{"content":[{"type":"text","text":"x","annotations":{"priority":2}}]}`, "content[0].annotations must have"},
		{`{"content":[{"type":"image","data":"eA=="}]}`, "content[0].mimeType is missing"},
		{`{"content":[{"type":"image","mimeType":"image/png"}]}`, "content[0].data is missing"},
		{`{"content":[{"type":"audio","data":"eA==","mimeType":7}]}`, "content[0].mimeType is not a string"},
		{`{"content":[{"type":"audio","data":"e A==","mimeType":"audio/wav"}]}`, "content[0].data is not Base64"},
		{`{"content":[{"type":"resource_link","uri":"not a uri","name":"x"}]}`, "content[0].uri must begin with a scheme"},
		{`{"content":[{"type":"resource_link","uri":"a:b"}]}`, "content[0].name is missing"},
		{`{"content":[{"type":"resource_link","uri":"a:b","name":"x","size":"7"}]}`, "content[0].size is not a number"},
		{`{"content":[{"type":"resource_link","uri":"a:b","name":"x","icons":[{}]}]}`, "content[0].icons must be"},
		{`{"content":[{"type":"video"}]}`, "content[0].type is none of"},
		{`{"content":[{"text":"x"}]}`, "content[0].type is missing"},
		{`{"content":["x"]}`, "content[0].type is missing"},
		{`{"content":{}}`, "content is not an array"},
		{`{"content":[],"isError":"yes"}`, "isError is not a boolean"},
		{`{"content":[],"_meta":7}`, "_meta is not an object"},
		{`{"content":[]}`, ""},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":""}},{"type":"image","data":"eA\/=","mimeType":"image/png"}]}`, ""},
		{`{"content":[{"type":"resource_link","uri":"a:b","name":"x","size":7,"unknown":1}],"isError":true,"unknown":1}`, ""},
		{`{"structuredContent":[1]}`, ""},
	},
	"prompts/get": {
		{`{"messages":[{"role":"system","content":{"type":"text","text":"x"}}]}`, "messages[0].role is neither"},
		{`{"messages":[{"role":"user","content":{"type":"text"}}]}`, "messages[0].content.text is missing"},
		{`{"messages":[{"role":"user"}]}`, "messages[0].content.type is missing"},
		{`{"messages":[{"role":"user","content":[]}]}`, "messages[0].content.type is missing"},
		{`{}`, "messages is missing"},
		{`{"messages":[],"description":7}`, "description is not a string"},
		{`{"messages":[{"role":"assistant","content":{"type":"text","text":"x"}}],"description":"d"}`, ""},
	},
}

// WrongAnswersOfPages are what only another engine can answer wrongly.
var WrongAnswersOfPages = map[string][]WrongAnswer{
	"resources/read": {
		{`{"contents":{}}`, "contents is not an array"},
		{`{"contents":[{}]}`, "contents[0].uri is missing"},
		{`{"contents":[{"uri":"a:b","text":"x","mimeType":"text/plain\r\nX: y"}]}`, "contents[0].mimeType is not a media type"},
		{`{"contents":[{"uri":"a:b"}]}`, "contents[0].text is missing, and so is blob"},
		{`{"contents":[{"uri":"a:b","text":"x"},{"uri":"a:b","text":"x","blob":"eA=="}]}`, "contents[1].text is there, and so is blob"},
		{`{"contents":[{"uri":"a:b","blob":"***"}]}`, "contents[0].blob is not Base64"},
		{`{"contents":[{"uri":"a b","text":"x"}]}`, "contents[0].uri must begin with a scheme"},
		{`{"contents":[{"uri":"a:b","text":7}]}`, "contents[0].text is not a string"},
		{`{"contents":[{"uri":"a:b","text":"x","_meta":7}]}`, "contents[0]._meta is not an object"},
		{`{"contents":[{"uri":"a:b","text":"x","mimeType":7}]}`, "contents[0].mimeType is not a string"},
		{`{"contents":[{"uri":"a:b","text":"x","mimeType":"text/plain\r\nX: y"}]}`, "contents[0].mimeType is not a media type"},
		{`{"contents":[{"uri":"a:b","text":"x","mimeType":"text/plain; charset=utf-8"}]}`, ""},
		{`{"contents":[{"uri":"a:b","text":"x","mimeType":""}]}`, ""},
		{`{"contents":[{"uri":"a:b","text":"x"}]}`, ""},
	},
	"completion/complete": {
		{`{"completion":{"values":[1]}}`, "completion.values[0] is not a string"},
		{`{"completion":{}}`, "completion.values is not an array"},
		{`{}`, "completion.values is not an array"},
		{`{"completion":{"values":["a"]}}`, ""},
		{`{"completion":{"values":["` + strings.Repeat(`x","`, 150) + `"]}}`, ""}, // the first 100 are passed on
	},
}

var asks = map[string]string{
	"tools/call": `"name":"NAMESt"`, "prompts/get": `"name":"NAMESp"`, "resources/read": `"uri":"URISa:b"`,
	"completion/complete": `"ref":{"type":"ref/prompt","name":"NAMESp"},"argument":{"name":"a","value":""}`,
}

// CheckAnswer requests what is answered wrongly, and checks what the client gets and what is
// reported. prefix and names are those of the mount.
func CheckAnswer(t *testing.T, d *Dialogue, reported *Reports, method, prefix, names, answer, problem string) {
	t.Helper()
	got := d.Modern(method, strings.NewReplacer("URIS", prefix, "NAMES", names).Replace(asks[method]))
	report := reported.Take()
	switch {
	case problem == "":
		if !strings.Contains(got, `"result"`) || report != "" {
			t.Errorf("%s of %.100s: %.200s, reported %q", method, answer, got, report)
		}
		if values, _ := jsonrpc.Elements(jsonrpc.Member(jsonrpc.Member(jsonrpc.Member([]byte(got), "result"), "completion"), "values")); len(values) > 100 {
			t.Errorf("%d values", len(values))
		}
	case !strings.Contains(got, `"error":{"code":-32603,"message":"Internal error"}`):
		t.Errorf("%s of %s: %s", method, answer, got)
	case !strings.Contains(report, problem):
		t.Errorf("%s of %s: reported %q, want %q", method, answer, report, problem)
	}
}
