package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A dialogue is a client of an engine in a test, by a pipe.
type dialogue struct {
	t    *testing.T
	port jsonrpc.Port
	last int
}

func newDialogue(t *testing.T, e *engine.Engine) *dialogue {
	near, far := jsonrpc.Pipe()
	go e.Serve(t.Context(), far) // ends with near
	t.Cleanup(func() { near.Close() })
	return &dialogue{t: t, port: near}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// send sends a request and returns its id. members are those of params.
func (d *dialogue) send(method, members string) string {
	d.t.Helper()
	d.last++
	id := fmt.Sprint(d.last)
	text := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members + `}}`
	if err := d.port.Write(d.t.Context(), []byte(text)); err != nil {
		d.t.Fatalf("send %s: %v", method, err)
	}
	return id
}

// request sends a request and returns the answer, without notifications in between.
func (d *dialogue) request(method, members string) string {
	d.t.Helper()
	id := d.send(method, members)
	for {
		message := d.next(method)
		if string(jsonrpc.Member([]byte(message), "id")) == id {
			return message
		}
	}
}

func (d *dialogue) modern(method, members string) string {
	d.t.Helper()
	if members != "" {
		members = "," + members
	}
	return d.request(method, modernMeta+members)
}

// next returns the next message of the engine; why is what the test waits for.
func (d *dialogue) next(why string) string {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute) // of the bubble's clock
	defer cancel()
	message, err := d.port.Read(ctx)
	if err != nil {
		d.t.Fatalf("waited for %s: %v", why, err)
	}
	return string(message)
}

// listen opens a listen and returns its acknowledgement.
func (d *dialogue) listen(filter string) string {
	d.t.Helper()
	d.send("subscriptions/listen", modernMeta+`,"notifications":{`+filter+`}`)
	return d.next("the acknowledgement")
}

// alive fails the test unless the engine answers ping and a list.
func (d *dialogue) alive(after string) {
	d.t.Helper()
	if got := d.request("ping", ""); !strings.Contains(got, `"result":{}`) {
		d.t.Errorf("after %s ping is answered by %s", after, got)
	}
	if got := d.modern("resources/list", ""); !strings.Contains(got, `"resources":[`) {
		d.t.Errorf("after %s resources/list is answered by %s", after, got)
	}
}

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
				for _, envelope := range []string{"", modernMeta} {
					t.Run(strings.Join([]string{name, before, method, envelope[:min(len(envelope), 5)]}, ","), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							e := fuzzEngineWith(t, options)
							d := newDialogue(t, e)
							if before != "nothing" {
								d.request("initialize", paramsOf["initialize"])
							}
							if before == "session and initialized" {
								d.port.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
							}
							members := strings.Trim(envelope+","+paramsOf[method], ",")
							if method == "subscriptions/listen" {
								d.send(method, members)
								d.next(method)
							} else if answer := d.request(method, members); !json.Valid([]byte(answer)) {
								t.Errorf("answered by %s", answer)
							}
							d.alive(method)
							other := newDialogue(t, e)
							other.alive(method + " of another client")
							d.port.Close()
							other.port.Close()
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
		d := newDialogue(t, fuzzEngineWith(t, engine.Options{Lenient: true}))
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			if got := d.request(method, paramsOf[method]); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "initialize first") {
				t.Errorf("%s without a session: %s", method, got)
			}
		}
		d.request("initialize", paramsOf["initialize"])
		if got := d.request("resources/subscribe", paramsOf["resources/subscribe"]); !strings.Contains(got, `"result":{}`) {
			t.Errorf("subscribe in a session: %s", got)
		}
		d.port.Close()
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

func (b *breaking) List(context.Context, string) (engine.Listing, error) {
	b.may("List")
	return engine.Listing{Resources: []engine.Resource{{URI: "broken:a", Name: "a"}}}, nil
}

func (b *breaking) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	b.may("Read")
	return []engine.Contents{{URI: uri, Text: "x"}}, nil
}

func (b *breaking) Templates(context.Context) ([]engine.Template, error) {
	b.may("Templates")
	return nil, nil
}

func (b *breaking) Prompts(context.Context) ([]engine.Prompt, error) {
	b.may("Prompts")
	return nil, nil
}

func (b *breaking) GetPrompt(context.Context, string, []byte) ([]byte, error) {
	b.may("GetPrompt")
	return []byte(`{"messages":[]}`), nil
}

func (b *breaking) Tools(context.Context) ([]engine.Tool, error) {
	b.may("Tools")
	return nil, nil
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

type breakingWatcher struct{ *breaking }

func (b breakingWatcher) Watch(ctx context.Context, changed func(engine.Change)) error {
	b.may("Watch")
	b.changed.Store(&changed)
	<-ctx.Done()
	return nil
}

type breakingFollower struct{ *breaking }

func (b breakingFollower) Follow(_ context.Context, changed func(engine.Change)) engine.Following {
	b.may("Follow")
	b.changed.Store(&changed)
	return b
}

func (b breakingFollower) Want([]string) <-chan struct{} {
	b.may("Want")
	return nil
}

type breakingImmediate struct{ *breaking }

func (b breakingImmediate) Generation() uint64 {
	b.may("Generation")
	return 1
}

type breakingReferrer struct{ *breaking }

func (b breakingReferrer) Refer(string) engine.Reference {
	b.may("Refer")
	return engine.Reference{}
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
		"watcher":   {func(b *breaking) engine.Source { return breakingWatcher{b} }, append(methods, "Watch")},
		"follower":  {func(b *breaking) engine.Source { return breakingFollower{b} }, append(methods, "Follow", "Want")},
		"immediate": {func(b *breaking) engine.Source { return breakingImmediate{b} }, append(methods, "Generation")},
		"referrer":  {func(b *breaking) engine.Source { return breakingReferrer{b} }, []string{"Refer"}},
		"options":   {func(b *breaking) engine.Source { return b }, []string{"Allow", "Extend", "Forget", "Report"}},
	}
	for kind, k := range kinds {
		for _, part := range k.parts {
			t.Run(kind+" "+part, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &breaking{}
					b.part.Store(part)
					var reports atomic.Int32
					options := engine.Options{
						Tools: true, Prompts: true, Completions: true, Logging: true, Extensions: []byte(`{"x":{}}`),
						Extend: func(context.Context, string, []byte) ([]byte, error) {
							b.may("Extend")
							return []byte(`{}`), nil
						},
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
					e.OnForget(func(*sink.Document) { b.may("Forget") })
					source := k.wrap(b)
					unmount := e.Mount("", source)
					listener, other := newDialogue(t, e), newDialogue(t, e)
					other.request("initialize", paramsOf["initialize"])
					other.port.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
					for _, members := range []string{
						`"resourcesListChanged":true,"resourceSubscriptions":["notes://cart"]`, `"resourceSubscriptions":["broken:a","notes://cart"]`,
					} {
						listener.send("subscriptions/listen", modernMeta+`,"notifications":{`+members+`}`)
					}
					for _, request := range []struct{ method, members string }{
						{"resources/list", ""}, {"resources/templates/list", ""}, {"prompts/list", ""}, {"tools/list", ""},
						{"resources/read", `"uri":"broken:a"`}, {"prompts/get", `"name":"b"`}, {"tools/call", `"name":"b"`},
						{"completion/complete", `"ref":{"type":"ref/prompt","name":"b"},"argument":{"name":"a","value":""}`},
						{"x/y", ""}, {"resources/read", `"uri":"notes://cart"`}, {"tools/call", `"name":"t"`},
					} {
						other.modern(request.method, request.members)
					}
					other.request("resources/subscribe", `"uri":"broken:a"`)
					other.request("resources/unsubscribe", `"uri":"broken:a"`)
					if changed := b.changed.Load(); changed != nil {
						(*changed)(engine.Change{URI: "broken:a", List: true})
					}
					e.SetExtensions([]byte(`{"y":{}}`))
					time.Sleep(time.Minute) // failed watches are begun again meanwhile
					other.alive("a panic of " + part)
					newDialogue(t, e).alive("a panic of " + part)
					if reports.Load() == 0 && part != "nothing" && part != "Report" {
						t.Errorf("the panic of %s was not reported", part)
					}
					b.part.Store("")
					unmount()
					other.alive("unmounting")
					e.Close()
					listener.port.Close()
					other.port.Close()
					synctest.Wait()
				})
			})
		}
	}
}
