package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A guarded is an engine with a resource and tools, whose user answers by answer.
type guarded struct {
	*testing.T
	engine *engine.Engine
	table  *engine.Table
	answer chan engine.AccessAnswer

	mu        sync.Mutex
	questions []*engine.AccessQuestion
	decisions []string
	last      sink.Call // of the decisions
}

func newGuarded(t *testing.T, grants string) *guarded {
	a := &guarded{T: t, table: engine.NewTable(), answer: make(chan engine.AccessAnswer)}
	options := enginetest.Offering
	options.Extensions = enginetest.Extensions()
	options.Ask = func(ctx context.Context, q *engine.AccessQuestion) engine.AccessAnswer {
		a.mu.Lock()
		a.questions = append(a.questions, q)
		a.mu.Unlock()
		select {
		case answer := <-a.answer:
			return answer
		case <-ctx.Done():
			return engine.AccessAnswer{Reason: "unanswered"}
		}
	}
	options.Decided = func(call sink.Call, q *engine.AccessQuestion, allow bool, reason string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if call == a.last && call != 0 { // that of a task has no call
			a.decisions = a.decisions[:len(a.decisions)-1]
		}
		a.last = call
		of := ""
		if call == 0 {
			of = " of " + q.Task
		}
		a.decisions = append(a.decisions, fmt.Sprintf("%s %s %s %s %v %s%s\n", q.Assistant, q.Right, q.Method, q.What(), allow, reason, of))
	}
	a.engine = engine.New(engine.Info{Name: "notes", Title: "Notes", Version: "1"}, &options)
	a.engine.Mount("", a.table)
	a.set(grants)
	a.engine.Mount("", slowNote{})
	for name, hints := range map[string]string{"look": `{"readOnlyHint":true}`, "act": `{}`, "burn": `{"destructiveHint":true}`} {
		err := a.table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"},"annotations":` + hints + `}`),
			Call: func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"content":[{"type":"text","text":"done by ` + name + `"}]}`), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// A slowNote is a source of one resource, which takes a second to read.
type slowNote struct{}

func (slowNote) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	if k == engine.Resources {
		listing.Items = []engine.Item{{Key: "note:a", JSON: engine.Describe("uri", "note:a", "name", "a")}}
	}
	return listing, nil
}

func (slowNote) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	if uri != "note:a" {
		return nil, engine.ErrNotFound
	}
	select {
	case <-time.After(time.Second):
		return []engine.Contents{{URI: uri, Text: "secret"}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *guarded) set(grants string) {
	a.Helper()
	g, err := engine.ParseGrants([]byte(grants))
	if err != nil {
		a.Fatal(err)
	}
	a.engine.SetGrants(g)
}

func (a *guarded) log() (all string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.decisions, "")
}

const (
	asks      = `{"default":"ask","grants":[]}`
	mayRead   = `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true}]}`
	deniesAll = `{"default":"ask","grants":[{"assistant":"claude","right":"read"},{"assistant":"claude","right":"act"}]}`
)

// An assistant without a grant sees one entry, whose read asks. It waits longer than a request
// may take, since progress restarts the timeouts. After the decision it sees the whole list.
func TestTheFirstUseAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, asks)
		s := enginetest.Speak(t, a.engine, "claude")
		s.Ask("1", "resources/list", "", "")
		s.Wants(`"uri":"access:///read"`, `"name":"Notes: not shared with you yet"`, `"cacheScope":"private"`)
		s.Ask("2", "tools/list", "", "")
		s.Wants(`"tools":[]`)
		s.Ask("3", "resources/read", `,"progressToken":"p","io.modelcontextprotocol/clientInfo":{"name":"Claude\u202e","version":"1"}`, `,"uri":"access:///read"`)
		for range 4 {
			s.Wants("notifications/progress", "waiting for the user") // every 10 s
		}
		a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		a.set(mayRead)
		s.Wants(`"id":3`, "The user has shared this page with you")
		s.Ask("4", "resources/list", "", "")
		s.Wants(`"uri":"note:a"`)
		if a.questions[0].CallsItself != "Claude" || a.questions[0].Assistant != "claude" || a.questions[0].Right != "read" {
			t.Errorf("the question is %+v", a.questions[0])
		}
		want := "claude read resources/list  false declined\nclaude read tools/list  false declined\n" +
			"claude read resources/read access:///read true asked\nclaude read resources/list  true grant\n"
		if got := a.log(); got != want {
			t.Errorf("the audit has\n%swant\n%s", got, want)
		}
		s.Port.Close()
	})
}

// Each kind of tool needs its own right, and one that destroys is asked about each time.
func TestToolsAskForTheirRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, mayRead)
		s := enginetest.Speak(t, a.engine, "claude")
		s.Ask("1", "tools/call", "", `,"name":"look"`)
		s.Wants("done by look")
		for i, name := range []string{"act", "burn", "burn"} {
			s.Ask("2", "tools/call", "", `,"name":"`+name+`","arguments":{"a":1}`)
			a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
			s.Wants("done by " + name)
			if q := a.questions[i]; q.Right != "act" || !strings.Contains(string(q.Tool), `"`+name+`"`) || string(q.Arguments) != `{"a":1}` {
				t.Errorf("the question about %s is %+v", name, q)
			}
			if name == "act" {
				a.set(`{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true},{"assistant":"claude","right":"act","allow":true}]}`)
				s.Ask("3", "tools/call", "", `,"name":"act"`)
				s.Wants("done by act")
			}
		}
		s.Ask("4", "tools/call", "", `,"name":"burn"`)
		a.answer <- engine.AccessAnswer{Reason: "declined"}
		s.Wants("The user declined. Do not try again unless they ask.", `"reason":"declined"`)
		s.Port.Close()
	})
}

// What is revoked ends at once: reads and questions that wait, and notifications; what was
// subscribed to goes on when it is granted again, and says that it may have changed.
func TestRevokingEndsWhatIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, mayRead)
		s := enginetest.Speak(t, a.engine, "claude")
		other := enginetest.Speak(t, a.engine, "page") // the page itself needs no grant
		s.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["note:a"],"resourcesListChanged":true}`)
		s.Wants("acknowledged", "note:a")
		other.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["note:a"]}`)
		other.Wants("acknowledged", "note:a")
		s.Ask("2", "resources/read", "", `,"uri":"note:a"`)
		synctest.Wait()
		began := time.Now()
		a.set(deniesAll)
		both := s.Next() + s.Next() // in either order
		for _, part := range []string{"list_changed", `"id":2`, "The user has ended this access", `"reason":"revoked"`} {
			if !strings.Contains(both, part) {
				t.Errorf("%s\nhas no %s", both, part)
			}
		}
		if waited := time.Since(began); waited > 100*time.Millisecond {
			t.Errorf("the read ended after %v", waited)
		}
		a.table.Changed("note:a")
		other.Wants("updated", "note:a")
		s.Ask("3", "resources/read", "", `,"uri":"note:a"`)
		s.Wants(`"id":3`, "The user declined") // and no notification before
		time.Sleep(time.Second)
		a.set(mayRead)
		s.Wants("list_changed")
		s.Wants("updated", "note:a")
		a.set(`{"default":"ask","pausedUntil":` + fmt.Sprint(time.Now().Add(time.Hour).UnixMilli()) + `,"grants":[{"assistant":"claude","right":"read","allow":true}]}`)
		s.Wants("list_changed")
		s.Ask("4", "resources/read", "", `,"uri":"note:a"`)
		s.Wants(`"id":4`, "paused all assistants", `"reason":"paused"`)
		other.Ask("4", "resources/read", "", `,"uri":"note:a"`)
		other.Wants(`"id":4`, "secret")
		s.Port.Close()
		other.Port.Close()
	})
}

// A decision about one assistant ends nothing of another one.
func TestRevokingLeavesOthersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, mayRead)
		s := enginetest.Speak(t, a.engine, "claude")
		s.Ask("1", "resources/read", "", `,"uri":"note:a"`)
		synctest.Wait()
		a.set(`{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true},{"assistant":"codex","right":"read"}]}`)
		s.Wants(`"id":1`, "secret")
		s.Port.Close()
	})
}

// A resource may return others, such as the records of a range, but none that is withheld from the assistant.
func TestARangeLacksWhatIsWithheld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, `{"default":"open","grants":[{"assistant":"claude","right":"read","uri":"note:1"}]}`)
		a.engine.Mount("", ranges{})
		for who, want := range map[engine.Principal][2]string{
			"claude": {`[{"uri":"note:all","text":"2 notes"},{"uri":"note:2","text":"two"}]`, `"reason":"declined"`},
			"codex":  {`[{"uri":"note:all","text":"2 notes"},{"uri":"note:1","text":"one"},{"uri":"note:2","text":"two"}]`, `[{"uri":"note:1","text":"one"}]`},
		} {
			s := enginetest.Speak(t, a.engine, who)
			s.Ask("1", "resources/read", "", `,"uri":"note:all"`)
			s.Wants(want[0])
			s.Ask("2", "resources/read", "", `,"uri":"note:first"`)
			s.Wants(want[1])
			s.Port.Close()
		}
	})
}

// ranges is a source of two notes, and of ranges of them.
type ranges struct{}

func (ranges) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (ranges) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	one, two := engine.Contents{URI: "note:1", Text: "one"}, engine.Contents{URI: "note:2", Text: "two"}
	switch uri {
	case "note:all":
		return []engine.Contents{{URI: uri, Text: "2 notes"}, one, two}, nil
	case "note:first":
		return []engine.Contents{one}, nil
	}
	return nil, engine.ErrNotFound
}

// A denial that comes while a question waits is stronger than its answer.
func TestADenialIsStrongerThanAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, asks)
		s := enginetest.Speak(t, a.engine, "claude")
		s.Ask("1", "resources/read", "", `,"uri":"note:a"`)
		synctest.Wait()
		a.set(deniesAll)
		a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		s.Wants(`"id":1`, "The user declined")
		s.Port.Close()
	})
}

// A function of the app is asked about each request, and about lists before they are sent.
func TestAPolicyDecidesEachRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, `{"default":"ask","policy":true,"grants":[]}`)
		s := enginetest.Speak(t, a.engine, "claude")
		for i, request := range [][3]string{
			{"resources/list", "", `"uri":"note:a"`},
			{"tools/list", "", `"name":"act"`},
			{"resources/read", `,"uri":"note:a"`, "secret"},
			{"tools/call", `,"name":"act"`, "done by act"},
		} {
			for _, allow := range []bool{true, false} {
				s.Ask("1", request[0], "", request[1])
				a.answer <- engine.AccessAnswer{Allow: allow, Reason: "policy"}
				if request[0] == "tools/list" && !allow { // who may act sees tools, too
					a.answer <- engine.AccessAnswer{Reason: "policy"}
				}
				if got := s.Next(); strings.Contains(got, request[2]) != allow {
					t.Errorf("%d: allowed %v: %s", i, allow, got)
				}
			}
		}
		s.Port.Close()
	})
}

// Where the page knows who has consented, it is asked about the lists and reads of those without a grant, and about nothing of the
// others.
func TestAPageIsAskedAboutLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, `{"default":"ask","asksLists":true,"grants":[{"assistant":"codex","right":"read","allow":true}]}`)
		claude, codex := enginetest.Speak(t, a.engine, "claude"), enginetest.Speak(t, a.engine, "codex")
		for _, request := range [][3]string{{"resources/list", "", `"uri":"note:a"`}, {"resources/read", `,"uri":"note:a"`, "secret"}} {
			for _, allow := range []bool{true, false} {
				claude.Ask("1", request[0], "", request[1])
				a.answer <- engine.AccessAnswer{Allow: allow, Reason: "grant"}
				if got := claude.Next(); strings.Contains(got, request[2]) != allow {
					t.Errorf("allowed %v: %s", allow, got)
				}
			}
			codex.Ask("1", request[0], "", request[1])
			codex.Wants(request[2])
		}
		claude.Port.Close()
		codex.Port.Close()
	})
}

// Who may not read, but act, finds the tools by their names, also where a function of the app
// decides; nothing else.
func TestWhoMayOnlyActSeesTools(t *testing.T) {
	const noRead = `"grants":[{"assistant":"claude","right":"read"},{"assistant":"claude","right":"act","allow":true}]}`
	for name, c := range map[string]struct {
		grants    string
		answers   []bool // of the function
		audit     string
		resources int // how often the function is asked about the list of resources, which it denies
	}{
		"grants":                        {`{"default":"ask",` + noRead, nil, "claude act tools/list  true grant\n", 0},
		"a function, read denied":       {`{"default":"ask","policy":true,` + noRead, []bool{true}, "claude act tools/list  true policy\n", 0},
		"a function that denies reads":  {`{"default":"ask","policy":true,"grants":[]}`, []bool{false, true}, "claude act tools/list  true policy\n", 1},
		"a function that denies either": {`{"default":"ask","policy":true,"grants":[]}`, []bool{false, false}, "claude read tools/list  false policy\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newGuarded(t, c.grants)
				s := enginetest.Speak(t, a.engine, "claude")
				s.Ask("1", "tools/list", "", "")
				for _, allow := range c.answers {
					a.answer <- engine.AccessAnswer{Allow: allow, Reason: "policy"}
				}
				may := strings.HasSuffix(c.audit, "true grant\n") || strings.HasSuffix(c.audit, "true policy\n")
				if got := s.Next(); strings.Contains(got, `"name":"act"`) != may {
					t.Errorf("tools/list is answered %s", got)
				}
				if got := a.log(); got != c.audit {
					t.Errorf("the audit has %q, want %q", got, c.audit)
				}
				s.Ask("2", "resources/list", "", "")
				for range c.resources {
					a.answer <- engine.AccessAnswer{Reason: "policy"}
				}
				s.Wants(`"id":2`, `"resources":[{"uri":"access:///read"`)
				s.Port.Close()
			})
		})
	}
}

// Who may not read, but act, hears of other tools, of those that a decision shows or hides too, and
// of no other list.
func TestWhoMayOnlyActHearsOfTools(t *testing.T) {
	const noRead = `{"default":"ask","grants":[{"assistant":"claude","right":"read"}`
	const actOnly = noRead + `,{"assistant":"claude","right":"act","allow":true}]}`
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, noRead+"]}")
		s := enginetest.Speak(t, a.engine, "claude")
		s.Ask("1", "subscriptions/listen", "", `,"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true}`)
		s.Wants("acknowledged")
		quiet := func() {
			t.Helper()
			time.Sleep(time.Second)
			s.Ask("2", "ping", "", "")
			s.Wants(`"id":2`) // and nothing before
		}
		change := func(name string) {
			t.Helper()
			err := a.table.Put(engine.Entry{
				Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
				Call: func(context.Context, []byte) ([]byte, error) { return nil, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			a.table.Changed("note:b")
		}
		change("first")
		quiet()
		a.set(actOnly)
		s.Wants("notifications/tools/list_changed")
		quiet()
		change("second")
		s.Wants("notifications/tools/list_changed")
		quiet()
		a.set(noRead + "]}")
		s.Wants("notifications/tools/list_changed")
		quiet()
		s.Port.Close()
	})
}

// A tool that destroys something asks each time in an open page, too, and also in one without any grants; other tools do not,
// nor does the page itself.
func TestADestructiveToolAsksInAnOpenPage(t *testing.T) {
	for _, grants := range []string{"", `{"default":"open","grants":[]}`, `{"default":"open","grants":[{"assistant":"claude","right":"act","allow":true}]}`} {
		synctest.Test(t, func(t *testing.T) {
			a := newGuarded(t, asks)
			if a.engine.SetGrants(nil); grants != "" {
				a.set(grants)
			}
			s, own := enginetest.Speak(t, a.engine, "claude"), enginetest.Speak(t, a.engine, "page")
			call := func(s enginetest.Speaker, tool string) {
				s.Ask("1", "tools/call", "", `,"name":"`+tool+`","arguments":{}`)
			}
			for _, tool := range []string{"look", "act"} {
				call(s, tool)
				s.Wants("done by " + tool)
			}
			for _, answer := range []engine.AccessAnswer{{Reason: "declined"}, {Allow: true, Reason: "asked"}, {Reason: "declined"}} {
				call(s, "burn")
				a.answer <- answer
				if got := s.Next(); strings.Contains(got, "done by burn") != answer.Allow {
					t.Errorf("%s, answered %v: %s", grants, answer.Allow, got)
				}
			}
			call(own, "burn")
			own.Wants("done by burn")
			s.Port.Close()
			own.Port.Close()
		})
	}
}

// A gateway cannot give an assistant the name of the page, of the assistant of the browser, or of a window.
func TestAGatewayDoesNotGiveTheNamesOfPorts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, `{"default":"ask","grants":[{"assistant":"page","right":"read","allow":true},{"assistant":"webmcp","right":"read","allow":true},{"assistant":"https://a.example","right":"read","allow":true}]}`)
		near, far := jsonrpc.Pipe()
		go a.engine.Serve(engine.WithSpeakForOthers(context.Background()), far)
		s := enginetest.Speaker{T: t, Dialogue: &enginetest.Dialogue{T: t, Port: near}}
		for _, name := range []string{"page", "webmcp", "https://a.example"} {
			s.Ask("1", "resources/list", `,"io.github.pagemcp/principal":"`+name+`"`, "")
			s.Wants("access:///read")
			if log := a.log(); strings.Contains(log, name) || !strings.Contains(log, "unnamed read") {
				t.Errorf("%s: %s", name, log)
			}
		}
		near.Close()
	})
}

// Only the page itself needs no grants: an assistant of a gateway may have its name.
func TestAnAssistantNamedPageIsNotThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, deniesAll)
		near, far := jsonrpc.Pipe()
		go a.engine.Serve(engine.WithSpeakForOthers(engine.WithPrincipal(context.Background(), "page")), far)
		s := enginetest.Speaker{T: t, Dialogue: &enginetest.Dialogue{T: t, Port: near}}
		for id, meta := range map[string]string{"1": `,"io.github.pagemcp/principal":"page"`, "2": `,"io.github.pagemcp/principal":"claude"`, "3": ""} {
			s.Ask(id, "resources/list", meta, "")
			s.Wants("access:///read")
		}
		near.Close()
	})
}
