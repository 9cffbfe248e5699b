package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// served is one of everything that a policy may allow or not, by number.
type served struct{ uri, template, prompt, tool string }

func servedBy(i int) served {
	n := fmt.Sprint(i)
	return served{"notes://" + n, "t" + n + "://x/{v}", "p" + n, "t" + n}
}

// mayUse is the policy of the test, about things by their number.
func mayUse(principal, thing int) bool { return (principal*3+thing*7)%5 < 3 }

// S6: every method agrees with the one policy, for each principal and each thing that
// is served, and what is not allowed looks like what is not there.
func TestEveryMethodAgreesWithThePolicy(t *testing.T) {
	synctest.Test(t, everyMethodAgrees)
}

func everyMethodAgrees(t *testing.T) {
	const principals, things = 5, 50
	numbers := map[string]int{}
	table := engine.NewTable()
	read := func(_ context.Context, uri string) ([]engine.Contents, error) {
		return []engine.Contents{{URI: uri, Text: "content"}}, nil
	}
	complete := func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
		return engine.Completion{Values: []string{"value"}}, nil
	}
	for i := range things {
		s := servedBy(i)
		numbers[s.uri], numbers[s.template], numbers["prompt:"+s.prompt], numbers["tool:"+s.tool] = i, i, i, i
		prompt, err := engine.Prompts.Parse([]byte(`{"name":"` + s.prompt + `","arguments":[{"name":"a"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		tool, err := engine.Tools.Parse([]byte(`{"name":"` + s.tool + `","inputSchema":{"type":"object"}}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			table.Put(engine.Entry{JSON: engine.Describe("uri", s.uri, "name", "n"), Read: read}),
			table.Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", s.template, "name", "n"), Complete: complete}),
			table.Put(engine.Entry{Kind: engine.Prompts, JSON: prompt.JSON, Complete: complete, Call: func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"messages":[]}`), nil
			}}),
			table.Put(engine.Entry{Kind: engine.Tools, JSON: tool.JSON, Call: func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"content":[]}`), nil
			}}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	e := engine.New(engine.Info{Name: "test", Version: "1"}, &engine.Options{
		Prompts: true, Tools: true, Completions: true, PageSize: 1000,
		Allow: func(who engine.Principal, _ engine.Verb, uri string) bool {
			number, known := numbers[uri]
			return !known || mayUse(int(who[0]-'0'), number)
		},
	})
	e.Mount("", table)
	for p := range principals {
		d := enginetest.DialogueOf(t, e, engine.Principal(fmt.Sprint(p)))
		lists := map[string]string{}
		for _, method := range enginetest.ListMethods {
			lists[method] = d.Modern(method, "")
		}
		for i := range things {
			time.Sleep(time.Second) // for the allowances of completions and calls
			s, may := servedBy(i), mayUse(p, i)
			for method, entry := range map[string]string{
				"resources/list": `"uri":"` + s.uri + `"`, "resources/templates/list": `"uriTemplate":"` + s.template + `"`,
				"prompts/list": `"name":"` + s.prompt + `"`, "tools/list": `"name":"` + s.tool + `"`,
			} {
				if strings.Contains(lists[method], entry) != may {
					t.Errorf("%s of %d has %s: %v", method, p, entry, !may)
				}
			}
			if _, err := e.ToolDescription(engine.WithPrincipal(t.Context(), engine.Principal(fmt.Sprint(p))), s.tool); (err == nil) != may {
				t.Errorf("%d gets the description of %s: %v", p, s.tool, err)
			}
			other := servedBy(things + i) // which is not there
			for _, ask := range [][3]string{
				{"resources/read", `"uri":"` + s.uri + `"`, `"uri":"` + other.uri + `"`},
				{"prompts/get", `"name":"` + s.prompt + `"`, `"name":"` + other.prompt + `"`},
				{"tools/call", `"name":"` + s.tool + `"`, `"name":"` + other.tool + `"`},
				{
					"completion/complete", `"ref":{"type":"ref/prompt","name":"` + s.prompt + `"},"argument":{"name":"a","value":""}`,
					`"ref":{"type":"ref/prompt","name":"` + other.prompt + `"},"argument":{"name":"a","value":""}`,
				},
				{
					"completion/complete", `"ref":{"type":"ref/resource","uri":"` + s.template + `"},"argument":{"name":"v","value":""}`,
					`"ref":{"type":"ref/resource","uri":"` + other.template + `"},"argument":{"name":"v","value":""}`,
				},
			} {
				got := d.Modern(ask[0], ask[1])
				if strings.Contains(got, `"result"`) != may {
					t.Errorf("%s of %d: %s is answered %s", ask[0], p, ask[1], got)
				}
				if may {
					continue
				}
				absent := strings.ReplaceAll(d.Modern(ask[0], ask[2]), other.uri, s.uri)
				if errorOf(t, got) != errorOf(t, absent) {
					t.Errorf("%s of %d: what is not allowed is answered %s, what is not there %s", ask[0], p, got, absent)
				}
			}
		}
		// With the allowance used up, too.
		denied, absent := "", ""
		for range 200 {
			denied = d.Modern("completion/complete", `"ref":{"type":"ref/prompt","name":"`+servedBy(firstDenied(p)).prompt+`"},"argument":{"name":"a","value":""}`)
			absent = d.Modern("completion/complete", `"ref":{"type":"ref/prompt","name":"absent"},"argument":{"name":"a","value":""}`)
		}
		if errorOf(t, denied) != errorOf(t, absent) {
			t.Errorf("completions too often: what is not allowed is answered %s, what is not there %s", denied, absent)
		}
	}
}

func firstDenied(principal int) int {
	for i := 0; ; i++ {
		if !mayUse(principal, i) {
			return i
		}
	}
}

func errorOf(t *testing.T, answer string) string {
	t.Helper()
	text := jsonrpc.Member([]byte(answer), "error")
	if text == nil {
		t.Errorf("no error: %s", answer)
	}
	return string(text)
}

// S6: several clients use the same ids at the same time, 10,000 requests in all, and each
// answer has the nonce of its own request.
func TestAnswersGoToWhoAsked(t *testing.T) {
	const clients, requests = 5, 2_000
	table := engine.NewTable()
	err := table.Put(engine.Entry{
		Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "nonce:{client}/{id}", "name", "n"),
		Expand: func(_ context.Context, uri string, _ []byte) ([]engine.Contents, error) {
			runtime.Gosched()
			return []engine.Contents{{URI: uri, Text: "of " + uri}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "test", Version: "1"}, &engine.Options{MaxInFlight: requests})
	e.Mount("", table)
	var all sync.WaitGroup
	for c := range clients {
		near, far := jsonrpc.Pipe()
		go e.Serve(t.Context(), far) // ends with near
		defer near.Close()
		all.Go(func() {
			for id := range requests {
				request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{%s,"uri":"nonce:%d/%d"}}`, id, enginetest.ModernMeta, c, id)
				if err := near.Write(t.Context(), []byte(request)); err != nil {
					t.Error(err)
					return
				}
			}
		})
		all.Go(func() {
			seen := map[int]bool{}
			for range requests {
				message, err := near.Read(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				var answer struct {
					ID     int
					Result struct{ Contents []struct{ Text string } }
				}
				if err := json.Unmarshal(message, &answer); err != nil {
					t.Errorf("%v: %s", err, message)
					return
				}
				want := fmt.Sprintf("of nonce:%d/%d", c, answer.ID)
				if seen[answer.ID] || len(answer.Result.Contents) != 1 || answer.Result.Contents[0].Text != want {
					t.Errorf("client %d got %.300s, want %s once", c, message, want)
					return
				}
				seen[answer.ID] = true
			}
		})
	}
	all.Wait()
}

// Where a policy decides who gets what, no answer is for everyone.
func TestAnswersThatAPolicyDecidesArePrivate(t *testing.T) {
	for name, options := range map[string]engine.Options{
		"who may see it": {Allow: func(engine.Principal, engine.Verb, string) bool { return true }},
		"who only reads": {ReadOnly: func(engine.Principal) bool { return false }},
		"nobody decides": {},
	} {
		options.Tools, options.Cache = true, engine.Cache{TTL: time.Minute, Public: true}
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &options)
		table := engine.NewTable()
		read := func(context.Context, string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: "notes://a", Text: "a", Cache: engine.Cache{TTL: time.Minute, Public: true}}}, nil
		}
		if err := table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://a", "name", "a"), Read: read}); err != nil {
			t.Fatal(err)
		}
		e.Mount("", table)
		scope := `"cacheScope":"private"`
		if name == "nobody decides" {
			scope = `"cacheScope":"public"`
		}
		d := enginetest.NewDialogue(t, e)
		for method, members := range map[string]string{"resources/list": "", "tools/list": "", "resources/read": `"uri":"notes://a"`} {
			if got := d.Modern(method, members); !strings.Contains(got, scope) {
				t.Errorf("%s, %s: %s", name, method, got)
			}
		}
	}
}
