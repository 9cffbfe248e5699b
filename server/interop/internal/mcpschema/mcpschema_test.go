package mcpschema

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// each runs a test with the derived schemas, and with the official ones where
// these are beside the project: both must give the same verdicts.
func each(t *testing.T, test func(*testing.T, *Schemas)) {
	t.Helper()
	dir, err := derived()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("derived", func(t *testing.T) { test(t, &Schemas{dir: dir}) })
	root, err := projectRoot()
	if err != nil {
		t.Fatal(err)
	}
	if dir := officialDir(root); dir != "" {
		t.Run("official", func(t *testing.T) { test(t, &Schemas{dir: dir}) })
	}
}

// Our examples of 2026-07-28: each fits its type, and fails without any member
// that the type requires, and with a member that the type does not have.
func TestExamplesFit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "testdata", "examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Type     string
		Value    map[string]any
		Required []string // members of Value
	}
	if err := json.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 30 {
		t.Fatalf("%d examples, want at least 30", len(examples))
	}
	each(t, func(t *testing.T, s *Schemas) {
		for i, example := range examples {
			if strings.HasSuffix(example.Type, "Notification") && !s.framed(R20260728, example.Type) {
				example.Value = maps.Clone(example.Value)
				delete(example.Value, "jsonrpc")
			}
			if err := s.Validate(R20260728, example.Type, example.Value); err != nil {
				t.Errorf("example %d: %v", i, err)
			}
			for _, name := range example.Required {
				without := maps.Clone(example.Value)
				delete(without, name)
				if s.Validate(R20260728, example.Type, without) == nil {
					t.Errorf("example %d: a %s without %s fits", i, example.Type, name)
				}
			}
			more := maps.Clone(example.Value)
			more["unheardOf"] = 1.0
			if s.Validate(R20260728, example.Type, more) == nil {
				t.Errorf("example %d: a %s with an unknown member fits", i, example.Type)
			}
		}
	})
}

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// R-007 R-049 R-051 R-062 R-224 R-249.
func TestWhatAnEngineSays(t *testing.T) {
	each(t, whatAnEngineSays)
}

func whatAnEngineSays(t *testing.T, s *Schemas) {
	greet := func(revision string) []string {
		return []string{
			`->{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`<-{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"` + revision + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
		}
	}
	list := `->{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`
	modernList := `->{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{` + envelope + `}}`
	listen := `->{"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{` + envelope + `,"notifications":{"resourcesListChanged":true}}}`
	ack := `<-{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"},"notifications":{"resourcesListChanged":true}}}`
	call := `->{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + envelope + `,"name":"t"}}`
	for _, test := range []struct {
		name string
		ok   bool
		said []string // the last line is what is right or wrong
	}{
		{"a plain list", true, append(greet(R20241105), list, `<-{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b","name":"n"}]}}`)},
		{"a title for 2024-11-05", false, append(greet(R20241105), list, `<-{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b","name":"n","title":"N"}]}}`)},
		{"a title for 2025-06-18", true, append(greet(R20250618), list, `<-{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b","name":"n","title":"N"}]}}`)},
		{"icons for 2025-06-18", false, append(greet(R20250618), list, `<-{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b","name":"n","icons":[]}]}}`)},
		{"cache hints in a session", false, append(greet(R20251125), list, `<-{"jsonrpc":"2.0","id":1,"result":{"resources":[],"ttlMs":0,"cacheScope":"private"}}`)},
		{"a list without hints", false, []string{modernList, `<-{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resources":[]}}`}},
		{"a list with hints", true, []string{modernList, `<-{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resources":[],"ttlMs":0,"cacheScope":"private"}}`}},
		{"a null cursor", false, []string{modernList, `<-{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resources":[],"nextCursor":null,"ttlMs":0,"cacheScope":"private"}}`}},
		{"a call that asks", true, []string{call, `<-{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}}`}},
		{"a modern code in a session", false, append(greet(R20251125), list, `<-{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{}}}}`)},
		{"a classic code in the new era", false, []string{modernList, `<-{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"m"}}`}},
		{"names instead of an object", false, []string{modernList, `<-{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":["sampling"]}}}`}},
		{"an error without id", true, []string{`<-{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`}},
		{"an error whose id is null", false, []string{`<-{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`}},
		{"an answer twice", false, []string{modernList, `<-{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}}`, `<-{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}}`}},
		{"an id of another type", false, []string{modernList, `<-{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"m"}}`}},
		{"an ack", true, []string{listen, ack}},
		{"a change after it", true, []string{listen, ack, `<-{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}`}},
		{"a question in the new era", false, []string{call, `<-{"jsonrpc":"2.0","id":"q","method":"roots/list"}`}},
		{"a question in a session", true, append(greet(R20250618), `<-{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"_meta":{"io.github.pagemcp/request":1},"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)},
		{"elicitation before there was one", false, append(greet(R20241105), `<-{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)},
		{"a batch", true, append(greet(R20250326), list, `<-[{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}]`)},
	} {
		c := s.Conversation()
		for i, line := range test.said {
			if line[:2] == "->" {
				c.FromClient([]byte(line[2:]))
				continue
			}
			err := c.Check([]byte(line[2:]))
			if want := i < len(test.said)-1 || test.ok; (err == nil) != want {
				t.Errorf("%s: %s\n  %v", test.name, line, err)
			}
		}
	}
}
