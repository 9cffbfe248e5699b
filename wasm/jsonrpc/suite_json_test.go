package jsonrpc_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// jsonTexts returns the texts of testdata/json.tsv by name: those that begin with
// y_ are JSON, those with n_ are not. Names that stand twice in an object are
// valid by the grammar, and are among those with n_: whoever checked the message
// before us might have read the other one.
func jsonTexts(t *testing.T) map[string]string {
	t.Helper()
	table, err := os.ReadFile("../../testdata/json.tsv")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for line := range strings.Lines(string(table)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, quoted, _ := strings.Cut(line, "\t")
		text, err := strconv.Unquote(quoted)
		if err != nil || texts[name] != "" {
			t.Fatalf("json.tsv: %s: %v", name, err)
		}
		texts[name] = text
	}
	if len(texts) < 290 {
		t.Fatalf("json.tsv has %d texts", len(texts))
	}
	return texts
}

// Every text of the table as the value of params, in an object of them, deep in
// one, as a result, and alone: accepted if it is JSON, refused if it is not. R-001
//
func TestParseTakesJSONAlone(t *testing.T) {
	for name, text := range jsonTexts(t) {
		isJSON := strings.HasPrefix(name, "y_")
		for place, around := range map[string][2]string{
			"a value":      {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":`, `}}`},
			"a value deep": {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[{"b":`, `}]}}`},
			"a result":     {`{"jsonrpc":"2.0","id":1,"result":`, `}`},
			"error data":   {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":`, `}}`},
		} {
			message := []byte(around[0] + text + around[1])
			_, err := jsonrpc.Parse(message)
			if isJSON != (err == nil) {
				t.Errorf("%s as %s: %v", name, place, err)
			}
		}
		m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + text + `}`))
		isObject := len(text) > 0 && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
		isNull := strings.Trim(text, " \t\r\n") == "null" // as if there were none
		if accepted := err == nil; accepted != (isJSON && (isObject || isNull)) {
			t.Errorf("%s as params: %v", name, err)
		}
		if err == nil && len(m.Params) == 0 && !isNull {
			t.Errorf("%s as params: they got lost", name)
		}
		if _, err := jsonrpc.Parse([]byte(text)); err == nil {
			t.Errorf("%s alone was taken for a message", name)
		} else if isJSON && err.Code == jsonrpc.CodeParse {
			t.Errorf("%s alone is JSON: %v", name, err)
		}
	}
}
