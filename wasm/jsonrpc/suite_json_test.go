package jsonrpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"golang.org/x/tools/txtar"
)

// jsonSuite returns texts by name: those that begin with y_ are JSON, those with
// n_ are not. It is our own table, and the open suite where that is there.
func jsonSuite(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	own, err := txtar.ParseFile("../../testdata/json.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range own.Files {
		texts["own/"+file.Name] = []byte(strings.TrimSuffix(string(file.Data), "\n"))
	}
	const folder = "../../../shared/data/json"
	files, _ := filepath.Glob(folder + "/*.json")
	if len(files) == 0 {
		t.Logf("JSONTestSuite is not at %s: only our own %d texts are tried", folder, len(texts))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = text
	}
	return texts
}

// doubled are valid by the grammar and refused on purpose: whoever checked the
// message before us might have read the other one.
var doubled = map[string]bool{
	"y_object_duplicated_key.json": true, "y_object_duplicated_key_and_value.json": true,
}

// Every text of the suite as the value of params, in an object of them, deep in
// one, as a result, and alone: accepted if it is JSON, refused if it is not. R-001
//
func TestParseTakesJSONAlone(t *testing.T) {
	accepted, refused := 0, 0 // of the open suite
	for name, text := range jsonSuite(t) {
		isJSON := strings.HasPrefix(filepath.Base(name), "y_") && !doubled[name]
		switch {
		case strings.HasPrefix(name, "own/"):
		case isJSON:
			accepted++
		default:
			refused++
		}
		for place, around := range map[string][2]string{
			"a value":      {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":`, `}}`},
			"a value deep": {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[{"b":`, `}]}}`},
			"a result":     {`{"jsonrpc":"2.0","id":1,"result":`, `}`},
			"error data":   {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":`, `}}`},
		} {
			message := []byte(around[0] + string(text) + around[1])
			_, err := jsonrpc.Parse(message)
			if isJSON != (err == nil) {
				t.Errorf("%s as %s: %v", name, place, err)
			}
		}
		m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + string(text) + `}`))
		isObject := len(text) > 0 && strings.HasPrefix(strings.TrimLeft(string(text), " \t\r\n"), "{")
		if accepted := err == nil; accepted != (isJSON && isObject) {
			t.Errorf("%s as params: %v", name, err)
		}
		if err == nil && len(m.Params) == 0 {
			t.Errorf("%s as params: they got lost", name)
		}
		if _, err := jsonrpc.Parse(text); err == nil {
			t.Errorf("%s alone was taken for a message", name)
		} else if isJSON && err.Code == jsonrpc.CodeParse {
			t.Errorf("%s alone is JSON: %v", name, err)
		}
	}
	if accepted+refused > 0 && (accepted != 93 || refused != 188+2) {
		t.Errorf("%d accepted and %d refused of the open suite, want 93 and 190", accepted, refused)
	}
}
