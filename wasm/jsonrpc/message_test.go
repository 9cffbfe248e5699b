package jsonrpc_test

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Whole messages and what is wrong with them. R-001 R-002 R-004 R-008 R-247 R-248.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		kind jsonrpc.Kind
		id   jsonrpc.ID
		code int64 // 0: valid
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, jsonrpc.Request, "1", 0},
		{` {"method":"ping","id":"a","jsonrpc":"2.0"} ` + "\n", jsonrpc.Request, `"a"`, 0},
		{`{"jsonrpc":"2.0","method":"x"}`, jsonrpc.Notification, "", 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, jsonrpc.Response, "1", 0},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}`, jsonrpc.Response, "1", 0},
		{`{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}`, jsonrpc.Response, "", 0},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, jsonrpc.Response, "1", jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"error":5}`, jsonrpc.Response, "1", jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`, jsonrpc.Response, "1", jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"x","params":[]}`, jsonrpc.Request, "1", jsonrpc.CodeInvalidParams},
		{`{"jsonrpc":"2.0","id":1,"method":"x","params":null}`, jsonrpc.Request, "1", 0},
		{`{"jsonrpc":"2.0","id":-0,"method":"x"}`, jsonrpc.Request, "", jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":null,"method":"x"}`, jsonrpc.Request, "", jsonrpc.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"METHOD":"x"}`, jsonrpc.Request, "1", jsonrpc.CodeInvalidRequest},
		{`[]`, 0, "", jsonrpc.CodeInvalidRequest},
		{`1 2`, 0, "", jsonrpc.CodeParse},
		{`{"id":1`, 0, "", jsonrpc.CodeParse},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"x\"}", 0, "", jsonrpc.CodeParse},
	} {
		msg, err := jsonrpc.Parse([]byte(test.text))
		var code int64
		if err != nil {
			code = err.Code
		}
		if code != test.code || msg.ID != test.id || (err == nil || err.Code != jsonrpc.CodeParse) && msg.Kind != test.kind && test.kind != 0 {
			t.Errorf("Parse(%s) is kind %d, id %s, code %d; want %d, %s, %d", test.text, msg.Kind, msg.ID, code, test.kind, test.id, test.code)
		}
	}
}

// An id comes back byte for byte, and is the same id in another spelling. R-003.
func TestIDKeepsItsSpelling(t *testing.T) {
	for _, token := range []string{`0`, `-1`, `""`, `"1"`, `9007199254740993`, `18446744073709551616`, `"\u0061"`, `"\/"`, `"ü"`} {
		msg, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":` + token + `,"method":"ping"}`))
		if err != nil {
			t.Fatal(token, err)
		}
		got := string(jsonrpc.AppendResult(nil, msg.ID, []byte(`{}`)))
		if want := `{"jsonrpc":"2.0","id":` + token + `,"result":{}}`; got != want {
			t.Errorf("answer is %s, want %s", got, want)
		}
	}
	if jsonrpc.ID(`"a"`).Key() != jsonrpc.ID(`"\u0061"`).Key() {
		t.Error(`"a" and "\u0061" are one id`)
	}
	if jsonrpc.ID(`7`).Key() == jsonrpc.ID(`"7"`).Key() {
		t.Error(`7 and "7" are two ids`)
	}
}

// Nesting is bounded at 128, whatever the brackets.
func TestDepth(t *testing.T) {
	for _, test := range []struct {
		depth int
		deep  bool
	}{{127, false}, {128, false}, {129, true}, {10_000, true}, {1_000_000, true}} {
		arrays := test.depth - 2 // the message and its params are two levels
		for _, bracket := range []string{"[]", "{}"} {
			opening, inner, closing := "[", "", "]"
			if bracket == "{}" {
				opening, inner, closing = `{"a":`, "1", "}"
			}
			text := `{"jsonrpc":"2.0","id":1,"method":"x","params":{"deep":` +
				strings.Repeat(opening, arrays) + inner + strings.Repeat(closing, arrays) + `}}`
			_, err := jsonrpc.Parse([]byte(text))
			if deep := err != nil && err.Code == jsonrpc.CodeParse; deep != test.deep {
				t.Errorf("%d levels of %s: %v", test.depth, bracket, err)
			}
		}
	}
	if _, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("[{", 500) + `"}`)); err != nil {
		t.Errorf("brackets in a string count for nothing: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"\u0061","result":{}}`, `[1]`, `{`, "\xff",
		`{"jsonrpc":"2.0","error":{"code":1,"message":"m","data":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		msg, err := jsonrpc.Parse(data)
		if err != nil || msg.Kind != jsonrpc.Request {
			return
		}
		again, err := jsonrpc.Parse(jsonrpc.AppendRequest(nil, msg.ID, msg.Method, msg.Params))
		if err != nil || again.ID != msg.ID || again.Method != msg.Method || string(again.Params) != string(msg.Params) {
			t.Errorf("%q is %+v, and written again %+v, %v", data, msg, again, err)
		}
	})
}
