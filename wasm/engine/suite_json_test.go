package engine_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Every text of testdata/json.tsv on the engine's lanes: as a
// whole message, as a member of params that nobody knows, and as _meta. What is no
// JSON is answered -32700 and nothing else; what is, never. R-001 R-002.
func TestEngineTakesJSONAlone(t *testing.T) {
	table, err := os.ReadFile("../../testdata/json.tsv")
	if err != nil {
		t.Fatal(err)
	}
	e := fuzzEngine(t)
	for line := range strings.Lines(string(table)) {
		name, quoted, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue // a comment
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("json.tsv: %s: %v", name, err)
		}
		for _, around := range [][2]string{
			{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"acme":`, `}}`},
			{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"com.acme/x":`, `}}}`},
			{`{"acme":`, `,"jsonrpc":"2.0","id":1,"method":"ping"}`},
			{``, ``},
		} {
			message := []byte(around[0] + text + around[1])
			h := newRecordingSink(t)
			c := e.Connect(h, "suite")
			x := e.Examine(message)
			c.Message(message)
			c.Close()
			_, answer, settled := h.answers()
			isWrong := strings.HasPrefix(name, "n_")
			switch {
			case strings.HasPrefix(name, "n_doubled"): // -32600: see jsonrpc.Parse
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
