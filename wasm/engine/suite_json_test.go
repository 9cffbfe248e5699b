package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"golang.org/x/tools/txtar"
)

// Every text of JSONTestSuite, and of our own table, on the engine's lanes: as a
// whole message, as a member of params that nobody knows, and as _meta. What is no
// JSON is answered -32700 and nothing else; what is, never. R-001 R-002.
func TestEngineTakesJSONAlone(t *testing.T) {
	own, err := txtar.ParseFile("../../testdata/json.txtar")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range own.Files {
		texts[file.Name] = strings.TrimSuffix(string(file.Data), "\n")
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
		texts[filepath.Base(file)] = string(text)
	}
	e := fuzzEngine(t)
	for name, text := range texts {
		for _, around := range [][2]string{
			{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"acme":`, `}}`},
			{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"com.acme/x":`, `}}}`},
			{`{"acme":`, `,"jsonrpc":"2.0","id":1,"method":"ping"}`},
			{``, ``},
		} {
			message := []byte(around[0] + text + around[1])
			h := newHearing(t)
			c := e.Connect(h, "suite")
			x := e.Examine(message)
			c.Message(message)
			c.Close()
			_, answer, settled := h.answers()
			isWrong := strings.HasPrefix(name, "n_")
			switch {
			case strings.Contains(name, "object_duplicated_key"): // -32600: see jsonrpc.Parse
				if settled && answer == nil {
					t.Errorf("%s in %s: a name that stands twice was taken", name, around[0])
				}
			case isWrong && (len(h.refused) != 1 || h.refused[0].Code != jsonrpc.CodeParse && h.refused[0].Code != jsonrpc.CodeInvalidRequest):
				t.Errorf("%s in %s: refused with %v", name, around[0], h.refused)
			case isWrong && (x.Malformed == nil || x.Malformed.Code != h.refused[0].Code):
				t.Errorf("%s in %s: examined as %v, refused with %v", name, around[0], x.Malformed, h.refused[0])
			case !isWrong && around[0] != "" && (!settled || answer != nil):
				t.Errorf("%s in %s: %v, refused with %v", name, around[0], answer, h.refused)
			}
		}
	}
}
