package remote_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/server/internal/remote/remotetest"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A mirroredHop is a page that publishes all its resources, behind the engine of a gateway that
// keeps them.
type mirroredHop struct {
	*hop
	publisher *remotetest.Publisher
	remote    *remote.Remote
	gateway   *engine.Engine
	tabs      []*remote.Remote // further tabs of the app
	slowly    bool             // see slowMirror
}

func newMirroredHop(t *testing.T, share *remote.MirrorShare) *mirroredHop {
	return newMirroredHopOf(newHop(t), share)
}

func newMirroredHopOf(page *hop, share *remote.MirrorShare) *mirroredHop {
	t := page.T
	h := &mirroredHop{hop: page, remote: remote.New()}
	options := enginetest.Offering
	h.gateway = engine.New(engine.Info{Name: "gateway", Version: "1"}, &options)
	h.gateway.Mount("notes+", h.remote)
	if share != nil {
		h.remote.MirrorIn(share)
	}
	h.remote.OnOthers(func() []*remote.Remote { return h.tabs })
	t.Cleanup(h.remote.Close)
	h.join()
	return h
}

// join connects the page.
func (h *mirroredHop) join() {
	h.Helper()
	near, far := jsonrpc.Pipe()
	h.ports = append(h.ports, near)
	h.publisher = &remotetest.Publisher{Port: tapped{far, h.wire}, Publishes: func(string) bool { return true }}
	serving := engine.WithSpeakForOthers(context.Background())
	publisher := h.publisher
	go h.page.Serve(serving, publisher) // ends with the port
	port := jsonrpc.Port(near)
	if h.slowly {
		port = slowMirror{near}
	}
	if err := h.remote.Reattach(h.Context(), port); err != nil {
		h.Fatal(err)
	}
	synctest.Wait()
}

// anotherTab joins a further tab of the app, with grants or, by "", open. It returns its engine.
func (h *mirroredHop) anotherTab(grants string) *engine.Engine {
	h.Helper()
	options := enginetest.Offering
	page, r := engine.New(engine.Info{Name: "page", Version: "1"}, &options), remote.New()
	setGrants(h.T, page, grants)
	near, far := jsonrpc.Pipe()
	go page.Serve(engine.WithSpeakForOthers(context.Background()), far) // ends with near
	h.Cleanup(r.Close)
	if err := r.Reattach(h.Context(), near); err != nil {
		h.Fatal(err)
	}
	h.tabs = append(h.tabs, r)
	return page
}

// setGrants replaces the grants of a page; "": it is open.
func setGrants(t *testing.T, page *engine.Engine, text string) {
	t.Helper()
	if text == "" {
		page.SetGrants(nil)
		return
	}
	table, err := engine.ParseGrants([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	page.SetGrants(table)
}

// value is the result of a read as the page sends it with a change.
func value(uri, text string) string {
	return string(remotetest.Published([]byte(`{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"page","version":"1"}},"contents":[{"uri":"` + uri + `","text":"` + text + `","_meta":{"com.example/n":1}}],"ttlMs":0,"cacheScope":"private"}`)))
}

// reads is how many reads have reached the page since it joined.
func (h *mirroredHop) reads() int { return h.publisher.Reads() }

func newShare() *remote.MirrorShare { return remote.NewMirror().Share() }

const readCart = `,"uri":"notes+notes://cart"`

// speaksClassic begins a session.
func speaksClassic(d enginetest.Speaker, revision string) {
	d.Say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	d.Wants(`"protocolVersion":"` + revision + `"`)
	d.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// What a gateway answers by itself is what the page answered, byte by byte, in every revision.
func TestMirroredReadsEqualThoseOfThePage(t *testing.T) {
	kinds := map[string][]engine.Contents{
		"text":    {{Text: "2 äpfel \"\\\u2028 😀", MIMEType: "text/plain"}},
		"untyped": {{Text: ""}},
		"blob":    {{Blob: []byte{0, 1, 255}, MIMEType: "image/png"}},
		"several": {{Text: "a"}, {URI: "notes://b", Blob: []byte("b"), Meta: []byte(`{"x/y":[1.0,{"z":null}]}`)}},
		"meta":    {{Text: "{}", MIMEType: "application/json", Meta: []byte(`{"com.example/n":1,"io.github.pagemcp/lossy":[""]}`)}},
		"cached":  {{Text: "c", Cache: engine.Cache{TTL: 1500 * time.Millisecond, Public: true}}},
	}
	for name, contents := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
					h := newMirroredHop(t, newShare())
					own := append([]engine.Contents(nil), contents...)
					own[0].URI = "notes://cart"
					h.table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://cart", "name", "Cart"), Read: func(context.Context, string) ([]engine.Contents, error) { return own, nil }})
					d := enginetest.Speak(t, h.gateway, "claude")
					ask := func() string {
						if revision == engine.LatestModern {
							d.Ask("1", "resources/read", "", readCart)
						} else {
							d.Say(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes+notes://cart"}}`)
						}
						return d.Next()
					}
					if revision != engine.LatestModern {
						speaksClassic(d, revision)
					}
					first, second := ask(), ask()
					if first != second || !strings.Contains(first, `"contents"`) {
						t.Errorf("%s: the page answers\n%s\nthe gateway\n%s", revision, first, second)
					}
					if strings.Contains(first, "pagemcp/published") {
						t.Errorf("%s: a client sees a member of the hop: %s", revision, first)
					}
					if got := h.reads(); got != 1 {
						t.Errorf("%s: the page answered %d reads", revision, got)
					}
					d.Port.Close()
					h.remote.Close()
				}
			})
		})
	}
}

// A client that has heard of a change never gets an older value, whether the page sends the new one or not.
func TestAChangeReplacesWhatIsMirrored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		d := enginetest.Speak(t, h.gateway, "claude")
		d.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes+notes://cart"]}`)
		d.Wants("acknowledged")
		d.Ask("2", "resources/read", "", readCart)
		d.Wants("2 apples")
		h.put("notes://cart", "3 apples")
		h.publisher.Change("notes://cart", "")
		h.table.Changed("notes://cart")
		d.Wants("updated")
		d.Ask("3", "resources/read", "", readCart)
		d.Wants("3 apples")
		before := h.reads()
		h.put("notes://cart", "4 apples")
		h.publisher.Change("notes://cart", value("notes://cart", "4 apples"))
		h.table.Changed("notes://cart")
		d.Wants("updated")
		d.Ask("4", "resources/read", "", readCart)
		d.Wants("4 apples")
		if h.reads() != before {
			t.Error("a value that the page has sent is requested again")
		}
		h.publisher.Change("", "") // everything is withdrawn
		h.table.Remove(engine.Resources, "notes://cart")
		synctest.Wait()
		d.Ask("5", "resources/read", "", readCart)
		for msg := d.Next(); !strings.Contains(msg, "not found"); msg = d.Next() {
			if strings.Contains(msg, "apples") {
				t.Fatalf("withdrawn: %s", msg)
			}
		}
		d.Port.Close()
	})
}

// What is kept is answered without a goroutine; for what is not, no context of a request is made.
func TestEarlyReadsAreOfWhatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		early := func(uri string) (text string, begun bool) {
			for _, c := range h.remote.ReadEarly(func() context.Context { begun = true; return t.Context() }, uri) {
				text += string(c.Relayed.Body)
			}
			return text, begun
		}
		if text, begun := early("notes://cart"); text != "" || begun {
			t.Errorf("before a read: %q, %v", text, begun)
		}
		if _, err := h.remote.Read(t.Context(), "notes://cart"); err != nil {
			t.Fatal(err)
		}
		if text, begun := early("notes://cart"); text != `"2 apples"` || !begun {
			t.Errorf("after a read: %q, %v", text, begun)
		}
		h.publisher.Change("notes://cart", "")
		synctest.Wait()
		if text, _ := early("notes://cart"); text != "" {
			t.Errorf("after a change: %q", text)
		}
		if h.reads() != 1 {
			t.Errorf("%d reads have reached the page", h.reads())
		}
	})
}

// A change that arrives behind a response is newer than it, however late the reader is.
func TestAResponseIsNotKeptOnceAChangeHasCome(t *testing.T) {
	for change, has := range map[string]bool{`{"uri":"notes://cart"}`: false, `{"uri":"notes://other"}`: false, `{}`: false, "": true} {
		r := remote.New()
		r.MirrorIn(newShare())
		remote.KeepValueAfter(r, "notes://cart", value("notes://cart", "2 apples"), change)
		if remote.HasValue(r, "notes://cart") != has {
			t.Errorf("after %q the value is kept: %v", change, !has)
		}
		r.Close()
	}
}

// Two pages with the same URIs share a mirror.
func TestPagesDoNotGetEachOthersValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		share := newShare()
		one, other := newMirroredHop(t, share), newMirroredHop(t, share)
		other.put("notes://cart", "a pear")
		for range 2 {
			for page, want := range map[*mirroredHop]string{one: `"2 apples"`, other: `"a pear"`} {
				contents, err := page.remote.Read(t.Context(), "notes://cart")
				if err != nil || string(contents[0].Relayed.Body) != want {
					t.Fatalf("%v %s, want %s", err, contents[0].Relayed.Body, want)
				}
			}
		}
		if one.reads() != 1 || other.reads() != 1 {
			t.Errorf("the pages answered %d and %d reads", one.reads(), other.reads())
		}
	})
}

// The grants of the page decide as they do there: who has none is the page's to ask, and a revoked
// one ends at once.
func TestGrantsDecideAboutMirroredReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		grant := func(text string) {
			table, err := engine.ParseGrants([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			h.page.SetGrants(table)
		}
		grant(onlyClaude)
		time.Sleep(time.Second) // the gateway has them
		claude, codex := enginetest.Speak(t, h.gateway, "claude"), enginetest.Speak(t, h.gateway, "codex")
		for id := range 3 {
			claude.Ask(fmt.Sprint(id), "resources/read", "", readCart)
			claude.Wants("2 apples")
			codex.Ask(fmt.Sprint(id), "resources/read", "", readCart)
			codex.Wants(`"reason":"declined"`)
		}
		if got := h.reads(); got != 1+3 {
			t.Errorf("the page answered %d reads", got)
		}
		grant(nobody)
		synctest.Wait()
		claude.Ask("9", "resources/read", "", readCart)
		claude.Wants(`"reason":"declined"`)
		synctest.Wait()
		grant(`{"default":"open","grants":[{"assistant":"claude","right":"read","uri":"notes://cart"}]}`)
		time.Sleep(time.Second)
		claude.Ask("10", "resources/read", "", readCart)
		claude.Wants(`"reason":"declined"`) // withheld
		codex.Ask("10", "resources/read", "", readCart)
		codex.Wants("2 apples")
		grant(`{"default":"open","policy":true,"grants":[]}`)
		claude.Ask("11", "resources/read", "", readCart)
		claude.Wants(`"reason":"declined"`) // by the function of the app, which the page asks
		claude.Port.Close()
		codex.Port.Close()
		time.Sleep(time.Second) // the requests for the grants end
	})
}

// The page gets a report of what was read, for its audit and its indicator.
func TestThePageIsToldOfMirroredReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		table, _ := engine.ParseGrants([]byte(onlyClaude))
		h.page.SetGrants(table)
		time.Sleep(time.Second) // the gateway has them
		d := enginetest.Speak(t, h.gateway, "claude")
		const named = `,"io.modelcontextprotocol/clientInfo":{"name":"Desktop","version":"1"}`
		for id := range 4 {
			d.Ask(fmt.Sprint(id), "resources/read", named, readCart)
			d.Wants("2 apples")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		const want = `{"reads":[{"assistant":"claude","callsItself":"Desktop","uri":"notes://cart","reason":"grant","count":3,"bytes":8}]}`
		if got := h.publisher.Served(); len(got) != 1 || got[0] != want {
			t.Errorf("told %q\nwant %s", got, want)
		}
		d.Port.Close()
	})
}

// What another document of the page has published is not what the new one has.
func TestAReloadDropsWhatIsMirrored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.remote.Read(t.Context(), "notes://cart")
		h.put("notes://cart", "3 apples")
		h.cut()
		h.join()
		contents, err := h.remote.Read(t.Context(), "notes://cart")
		if err != nil || string(contents[0].Relayed.Body) != `"3 apples"` {
			t.Errorf("%v %s", err, contents[0].Relayed.Body)
		}
	})
}

// From the announcement of other decisions on, reads of those that may not read everything go to the page.
func TestTheNewestReadersCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := jsonrpc.Pipe()
		r := remote.New()
		r.MirrorIn(newShare())
		defer r.Close()
		var reads atomic.Int32
		go func() { // ends with the port
			for {
				data, err := far.Read(context.Background())
				if err != nil {
					return
				}
				switch msg, _ := jsonrpc.Parse(data); msg.Method {
				case engine.MethodDiscover:
					far.Write(context.Background(), jsonrpc.AppendResult(nil, msg.ID, []byte(`{"resultType":"complete","_meta":{},"capabilities":{}}`)))
				case engine.MethodReadResource:
					reads.Add(1)
					far.Write(context.Background(), jsonrpc.AppendResult(nil, msg.ID, []byte(value("notes://cart", "2 apples"))))
				}
			}
		}()
		if err := r.Reattach(t.Context(), near); err != nil {
			t.Fatal(err)
		}
		for want, announce := range []bool{false, false, true} {
			if announce {
				far.Write(context.Background(), []byte(`{"jsonrpc":"2.0","method":"notifications/io.github.pagemcp/declared","params":{"capabilities":{},"io.github.pagemcp/readers":{"all":false,"others":{}}}}`))
				synctest.Wait()
			}
			if _, err := r.Read(t.Context(), "notes://cart"); err != nil {
				t.Fatal(err)
			}
			if got := int(reads.Load()); got != max(1, want) {
				t.Errorf("after read %d, the page has answered %d", want+1, got)
			}
		}
	})
}

// A page that leaves takes its values along.
func TestNothingIsKeptOfAPageThatHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.anotherTab("")
		h.remote.Read(t.Context(), "notes://cart")
		if page, _, _ := remote.Mirrored(h.remote); page == 0 {
			t.Error("nothing is kept while the page is there")
		}
		h.cut()
		if page, owner, all := remote.Mirrored(h.remote); page+owner+all != 0 {
			t.Errorf("%d bytes are kept of a page that has left", page)
		}
		h.remote.Forget()
		if _, err := h.remote.Read(t.Context(), "notes://cart"); err == nil {
			t.Error("it is read")
		}
	})
}
