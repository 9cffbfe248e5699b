package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// paramsOf are valid members of params for each method.
var paramsOf = map[string]string{
	"initialize":            `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}`,
	"resources/read":        `"uri":"notes://cart"`,
	"resources/subscribe":   `"uri":"notes://cart"`,
	"resources/unsubscribe": `"uri":"notes://cart"`,
	"subscriptions/listen":  `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["notes://cart"]}`,
	"tools/call":            `"name":"t"`,
	"prompts/get":           `"name":"p"`,
	"completion/complete":   `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`,
	"logging/setLevel":      `"level":"debug"`,
}

// Each method under each option, with and without a session and envelope, is
// answered once, and the engine answers what comes next.
func TestEveryMethodUnderEveryOptionLeavesTheEngineAlive(t *testing.T) {
	for name, options := range map[string]engine.Options{
		"default":       {},
		"lenient":       {Lenient: true},
		"all":           {Tools: true, Prompts: true, Completions: true, Logging: true},
		"lenient all":   {Lenient: true, Tools: true, Prompts: true, Completions: true, Logging: true},
		"no subscribe":  {Lenient: true, NoSubscribe: true, NoListChanged: true},
		"with policy":   {Lenient: true, Tools: true, Allow: func(engine.Principal, engine.Verb, string) bool { return false }},
		"one in flight": {Lenient: true, Tools: true, Prompts: true, MaxInFlight: 1, PageSize: 1},
	} {
		for _, before := range []string{"nothing", "session", "session and initialized"} {
			for _, method := range append(engine.New(engine.Info{}, nil).Methods(), "no/such", "") {
				for _, envelope := range []string{"", enginetest.ModernMeta} {
					t.Run(strings.Join([]string{name, before, method, envelope[:min(len(envelope), 5)]}, ","), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							e := fuzzEngineWith(t, options)
							d := enginetest.NewDialogue(t, e)
							if before != "nothing" {
								d.Request("initialize", paramsOf["initialize"])
							}
							if before == "session and initialized" {
								d.Port.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
							}
							members := strings.Trim(envelope+","+paramsOf[method], ",")
							if method == "subscriptions/listen" {
								d.Send(method, members)
								d.Next(method)
							} else if answer := d.Request(method, members); !json.Valid([]byte(answer)) {
								t.Errorf("answered by %s", answer)
							}
							d.Alive(method)
							other := enginetest.NewDialogue(t, e)
							other.Alive(method + " of another client")
							d.Port.Close()
							other.Port.Close()
							synctest.Wait()
						})
					})
				}
			}
		}
	}
}

// Subscriptions belong to a session: without one there is nothing to deliver to.
func TestLenientSubscribeAsksForInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := enginetest.NewDialogue(t, fuzzEngineWith(t, engine.Options{Lenient: true}))
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			if got := d.Request(method, paramsOf[method]); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "initialize first") {
				t.Errorf("%s without a session: %s", method, got)
			}
		}
		d.Request("initialize", paramsOf["initialize"])
		if got := d.Request("resources/subscribe", paramsOf["resources/subscribe"]); !strings.Contains(got, `"result":{}`) {
			t.Errorf("subscribe in a session: %s", got)
		}
		d.Port.Close()
		synctest.Wait()
	})
}

// A breaking source panics in the part that is named; else it answers.
type breaking struct {
	part    atomic.Value                        // string
	changed atomic.Pointer[func(engine.Change)] // of the present watch
}

func (b *breaking) may(part string) {
	if b.part.Load() == part {
		panic(part + " is broken")
	}
}

func (b *breaking) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	b.may(map[engine.Kind]string{engine.Resources: "List", engine.Templates: "Templates", engine.Prompts: "Prompts", engine.Tools: "Tools"}[k])
	if k == engine.Resources {
		listing.Items = []engine.Item{{Key: "broken:a", JSON: engine.Describe("uri", "broken:a", "name", "a")}}
	}
	return listing, nil
}

func (b *breaking) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	b.may("Read")
	return []engine.Contents{{URI: uri, Text: "x"}}, nil
}

func (b *breaking) GetPrompt(context.Context, string, []byte) ([]byte, error) {
	b.may("GetPrompt")
	return []byte(`{"messages":[]}`), nil
}

func (b *breaking) CallTool(context.Context, string, []byte) ([]byte, error) {
	b.may("CallTool")
	return []byte(`{"content":[]}`), nil
}

func (b *breaking) Complete(context.Context, engine.CompletionRequest) (engine.Completion, error) {
	b.may("Complete")
	return engine.Completion{}, nil
}

func (b *breaking) Has(context.Context, string) (bool, error) {
	b.may("Has")
	return true, nil
}

type breakingFollower struct{ *breaking }

func (b breakingFollower) Follow(_ context.Context, changed func(engine.Change)) engine.Following {
	b.may("Follow")
	b.changed.Store(&changed)
	return b
}

func (b breakingFollower) Want(add, drop []engine.Topic) <-chan struct{} {
	b.may("Want")
	return nil
}

type breakingImmediate struct{ *breaking }

func (b breakingImmediate) Generation() uint64 { return 1 }

type breakingReferrer struct{ *breaking }

func (b breakingReferrer) Refer(string) engine.Reference {
	b.may("Refer")
	return engine.Reference{}
}

type breakingEarly struct{ *breaking }

func (b breakingEarly) ReadEarly(begin func() context.Context, _ string) []engine.Contents {
	begin()
	b.may("ReadEarly")
	return nil
}

// Whatever part of a source, or function of Options, panics: every request is
// answered, and requests to the other sources are answered as if nothing was
// wrong.
func TestPanicsLeaveNothingLocked(t *testing.T) {
	methods := []string{"List", "Read", "Templates", "Prompts", "GetPrompt", "Tools", "CallTool", "Complete", "Has", "nothing"}
	kinds := map[string]struct {
		wrap  func(*breaking) engine.Source
		parts []string
	}{
		"follower":  {func(b *breaking) engine.Source { return breakingFollower{b} }, append(methods, "Follow", "Want")},
		"immediate": {func(b *breaking) engine.Source { return breakingImmediate{b} }, methods},
		"early":     {func(b *breaking) engine.Source { return breakingEarly{b} }, []string{"Read", "ReadEarly"}},
		"referrer":  {func(b *breaking) engine.Source { return breakingReferrer{b} }, []string{"Refer"}},
		"options":   {func(b *breaking) engine.Source { return b }, []string{"Allow", "Report"}},
	}
	for kind, k := range kinds {
		for _, part := range k.parts {
			t.Run(kind+" "+part, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &breaking{}
					b.part.Store(part)
					var reports atomic.Int32
					options := engine.Options{
						Tools: true, Prompts: true, Completions: true, Logging: true,
						Report: func(error) { reports.Add(1); b.may("Report") },
					}
					if part == "Allow" {
						options.Allow = func(_ engine.Principal, _ engine.Verb, uri string) bool {
							if strings.HasPrefix(uri, "broken:") {
								b.may("Allow")
							}
							return true
						}
					}
					e := fuzzEngineWith(t, options)
					source := k.wrap(b)
					unmount := e.Mount("", source)
					listener, other := enginetest.NewDialogue(t, e), enginetest.NewDialogue(t, e)
					other.Request("initialize", paramsOf["initialize"])
					other.Port.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
					for _, members := range []string{
						`"resourcesListChanged":true,"resourceSubscriptions":["notes://cart"]`, `"resourceSubscriptions":["broken:a","notes://cart"]`,
					} {
						listener.Send("subscriptions/listen", enginetest.ModernMeta+`,"notifications":{`+members+`}`)
					}
					for _, request := range []struct{ method, members string }{
						{"resources/list", ""}, {"resources/templates/list", ""}, {"prompts/list", ""}, {"tools/list", ""},
						{"resources/read", `"uri":"broken:a"`}, {"prompts/get", `"name":"b"`}, {"tools/call", `"name":"b"`},
						{"completion/complete", `"ref":{"type":"ref/prompt","name":"b"},"argument":{"name":"a","value":""}`},
						{"resources/read", `"uri":"notes://cart"`}, {"tools/call", `"name":"t"`},
					} {
						other.Modern(request.method, request.members)
					}
					other.Request("resources/subscribe", `"uri":"broken:a"`)
					other.Request("resources/unsubscribe", `"uri":"broken:a"`)
					if changed := b.changed.Load(); changed != nil {
						(*changed)(engine.Change{URI: "broken:a", List: true})
					}
					time.Sleep(time.Minute) // all that waits is over
					other.Alive("a panic of " + part)
					enginetest.NewDialogue(t, e).Alive("a panic of " + part)
					if reports.Load() == 0 && part != "nothing" && part != "Report" {
						t.Errorf("the panic of %s was not reported", part)
					}
					b.part.Store("")
					unmount()
					other.Alive("unmounting")
					e.Close()
					listener.Port.Close()
					other.Port.Close()
					synctest.Wait()
				})
			})
		}
	}
}

// A source that fails or panics costs its own entries; alone it is an error.
func TestLocalSourceThatFailsCostsItsOwnEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := fuzzEngineWith(t, engine.Options{})
		b := &breaking{}
		b.part.Store("List")
		e.Mount("", b)
		d := enginetest.NewDialogue(t, e)
		if got := d.Modern("resources/list", ""); !strings.Contains(got, "notes://cart") {
			t.Errorf("with a source that panics the list is %s", got)
		}
		alone := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
		alone.Mount("", b)
		other := enginetest.NewDialogue(t, alone)
		if got := other.Modern("resources/list", ""); !strings.Contains(got, "-32603") || strings.Contains(got, "broken") {
			t.Errorf("a source that panics and is alone: %s", got)
		}
		d.Port.Close()
		other.Port.Close()
		synctest.Wait()
	})
}

// The goroutines of Serve, too, end their own client and no other.
func TestPanicEndsItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported enginetest.Reports
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Report: reported.Add})
		other := enginetest.NewDialogue(t, e)
		for name, p := range map[string]*brokenPort{"read": {reads: true}, "write": {}} {
			near, far := jsonrpc.Pipe()
			p.Port = far
			ended := make(chan error, 1)
			go func() { ended <- e.Serve(t.Context(), p) }()
			near.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if err := <-ended; err == nil {
				t.Errorf("%s: Serve returns no error", name)
			}
			if text := reported.Take(); !strings.Contains(text, "panic") {
				t.Errorf("%s: reported %q", name, text)
			}
			if near.Write(t.Context(), []byte(`{}`)) == nil {
				t.Errorf("%s: the port is open", name)
			}
		}
		if got := other.Request("ping", ""); !strings.Contains(got, `"result":{}`) {
			t.Errorf("another client: %s", got)
		}
		other.Port.Close()
		synctest.Wait()
	})
}

// A brokenPort panics when it is read, or else when it is written to.
type brokenPort struct {
	jsonrpc.Port
	reads bool
}

func (p *brokenPort) Read(ctx context.Context) ([]byte, error) {
	if p.reads {
		panic("read")
	}
	return p.Port.Read(ctx)
}

func (p *brokenPort) Write(context.Context, []byte) error { panic("write") }
