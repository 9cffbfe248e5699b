package mcphttp

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

var testHolder = Holder{Issuer: "https://auth.example", Owner: "aaaaaaaaaaaaaaaaaaaaaaaaaa", Principal: "client:c", Path: "/mcp"}

func recordOf(h Holder) Record {
	return Record{Holder: h, Version: "2025-11-25", Client: "Client", Capabilities: jsontext.Value(`{"elicitation":{"form":{}}}`)}
}

func testSessions(t testing.TB, keys ...string) *Sessions {
	ss := &Sessions{Changes: &MemoryChanges{}, Lifetime: 7 * 24 * time.Hour}
	ss.Open(RingOf(t, keys...))
	return ss
}

// RingOf returns the ring of these lines of a file of keys.
func RingOf(t testing.TB, lines ...string) keys.Ring {
	t.Helper()
	ring, err := keys.Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// newID returns the id of a new session.
func (ss *Sessions) newID(t testing.TB, h Holder) string {
	t.Helper()
	r := recordOf(h)
	id := ss.assign(&r)
	if id == "" || len(id) > maxSessionID {
		t.Fatalf("an id of %d characters", len(id))
	}
	return id
}

func TestIDContainsTheFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := keys.New()
		begun := recordOf(testHolder)
		id := testSessions(t, key).assign(&begun)
		time.Sleep(time.Hour)
		got, found := testSessions(t, keys.New(), key).open(t.Context(), id, testHolder) // another node, after a rotation
		if !found || got.Version != "2025-11-25" || got.Client != "Client" || string(got.Capabilities) != `{"elicitation":{"form":{}}}` || got.Holder != testHolder {
			t.Errorf("%t %+v", found, got)
		}
		if want := time.Now().Add(7*24*time.Hour - time.Hour); !got.Expires.Equal(want) || !begun.Expires.Equal(want) {
			t.Errorf("expires %v and %v, want %v", got.Expires, begun.Expires, want)
		}
		for _, fact := range []string{"Client", "2025", "elicitation", "auth.example"} {
			if raw, _ := base64.RawURLEncoding.DecodeString(id); strings.Contains(string(raw), fact) {
				t.Errorf("%s can be read", fact)
			}
		}
	})
}

// badIDs returns ids that are not valid for testHolder at s, by what is wrong with them.
func badIDs(t testing.TB, s *Sessions) map[string]string {
	t.Helper()
	id := s.newID(t, testHolder)
	bad := map[string]string{
		"empty": "", "random": base64.RawURLEncoding.EncodeToString(make([]byte, 32)), "long": strings.Repeat("A", 10<<10), "no base64": "!" + id[1:], "standard base64": id[:len(id)-2] + "+/",
		"padded": id + "=", "twice": id + id, "longer": id + "AAAA", "line break": id[:8] + "\n" + id[8:], "blank": " " + id,
		"foreign key": testSessions(t, keys.New()).newID(t, testHolder), "bytes": "\xff\x00",
	}
	for what, change := range map[string]func(*Holder){
		"owner": func(h *Holder) { h.Owner = "bbbbbbbbbbbbbbbbbbbbbbbbbb" }, "client": func(h *Holder) { h.Principal = "client:d" },
		"issuer": func(h *Holder) { h.Issuer = "https://auth.example/" }, "path": func(h *Holder) { h.Path = "/mcp/notes" },
		"split elsewhere": func(h *Holder) { h.Issuer, h.Owner = h.Issuer+string(h.Owner[:1]), h.Owner[1:] },
	} {
		other := testHolder
		change(&other)
		bad["of another "+what] = s.newID(t, other)
	}
	for size := range len(id) {
		bad[fmt.Sprintf("cut after %d", size)] = id[:size]
	}
	return bad
}

// BadIDs returns ids that no other sessions accept.
func BadIDs(t testing.TB) map[string]string { return badIDs(t, testSessions(t, keys.New())) }

func TestOtherIDsOpenNothing(t *testing.T) {
	s := testSessions(t, keys.New())
	for what, id := range badIDs(t, s) {
		if r, found := s.open(t.Context(), id, testHolder); found {
			t.Errorf("%s: %+v", what, r)
		}
	}
}

// No change of one character opens: also none of the bits that the last one does not use.
// One session has one id, so that an ended one cannot be named in another way.
func TestEachSessionHasOneID(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	s := testSessions(t, keys.New())
	for _, client := range []string{"", "C", "CC"} { // all remainders of the length by 3
		r := recordOf(testHolder)
		r.Client = client
		id := s.assign(&r)
		for i := range len(id) {
			for _, char := range alphabet {
				changed := id[:i] + string(char) + id[i+1:]
				if _, found := s.open(t.Context(), changed, testHolder); found != (changed == id) {
					t.Fatalf("%q at %d: %t", char, i, found)
				}
			}
		}
	}
}

func TestSessionsExpireAfterAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testSessions(t, keys.New())
		id := s.newID(t, testHolder)
		opens := func() bool {
			_, found := s.open(t.Context(), id, testHolder)
			return found
		}
		time.Sleep(7*24*time.Hour - time.Millisecond)
		if !opens() {
			t.Error("expired too early")
		}
		time.Sleep(time.Millisecond)
		if opens() {
			t.Error("does not expire")
		}
	})
}

func TestSessionsOfTheFutureAreRefused(t *testing.T) {
	s := testSessions(t, keys.New())
	for ahead, want := range map[time.Duration]bool{0: true, sessionClockSkew - time.Second: true, sessionClockSkew + time.Second: false, 24 * 365 * time.Hour: false, 1 << 62: false} {
		r := Record{Created: time.Now().Add(ahead), Version: "2025-11-25", Capabilities: jsontext.Value("{}")}
		if _, found := s.open(t.Context(), s.sealed(r.append(nil)), testHolder); found != want {
			t.Errorf("%v ahead: %t", ahead, found)
		}
	}
}

// sealed returns the id of a session of testHolder that contains text.
func (s *Sessions) sealed(text []byte) string {
	return base64.RawURLEncoding.EncodeToString(s.sealer.Load().Seal(text, sealContext(testHolder)...))
}

// Another release may seal other facts.
func TestUnknownFactsAreRefused(t *testing.T) {
	s := testSessions(t, keys.New())
	facts := func(version, rest string) []byte {
		return append(appendText(binary.AppendUvarint([]byte{sessionFormat}, uint64(time.Now().UnixMilli())), version), rest...)
	}
	for what, text := range map[string][]byte{
		"none": nil, "another format": append([]byte{2}, facts("2025-11-25", "\x01C{}")[1:]...), "no time": {1}, "an endless time": []byte("\x01" + strings.Repeat("\xff", 11)),
		"an unknown revision": facts("2030-01-01", "\x01C{}"), "2026-07-28": facts("2026-07-28", "\x01C{}"), "a name too long": facts("2025-11-25", "\x05C{}"),
		"a huge name": facts("2025-11-25", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01C"), "no capabilities": facts("2025-11-25", "\x01C"), "no JSON": facts("2025-11-25", "\x01C{"),
	} {
		if r, found := s.open(t.Context(), s.sealed(text), testHolder); found {
			t.Errorf("%s: %+v", what, r)
		}
	}
	if _, found := s.open(t.Context(), s.sealed(facts("2025-11-25", "\x01C{}")), testHolder); !found {
		t.Error("known facts are refused")
	}
}

func TestKeysOfSessionsAreReplaced(t *testing.T) {
	key, next := keys.New(), keys.New()
	s := testSessions(t, key)
	id := s.newID(t, testHolder)
	for _, step := range []struct {
		keys []string
		want bool
	}{{[]string{key, next}, true}, {[]string{next, key}, true}, {[]string{next}, false}} {
		s.SetKeys(RingOf(t, step.keys...))
		if _, found := s.open(t.Context(), id, testHolder); found != step.want {
			t.Errorf("with %d keys: %t", len(step.keys), found)
		}
	}
}

func TestChangesAreKeptBesideTheID(t *testing.T) {
	s := testSessions(t, keys.New())
	r := recordOf(testHolder)
	id := s.assign(&r)
	want := Changes{Subscriptions: subscribed("notes://a", "notes://b"), LogLevel: "error", Expires: r.Expires}
	s.Changes.Save(HashOf(id), want)
	got, found := s.open(t.Context(), id, testHolder)
	if !found || !slices.Equal(got.Subscriptions.URIs(), want.Subscriptions.URIs()) || got.LogLevel != "error" {
		t.Errorf("%t %+v", found, got)
	}
	s.Changes.Save(HashOf(id), Changes{Ended: true, Expires: r.Expires})
	if _, found := s.open(t.Context(), id, testHolder); found {
		t.Error("an ended session opens")
	}
	if _, found := s.open(t.Context(), s.newID(t, testHolder), testHolder); !found {
		t.Error("another session of the holder has ended")
	}
}

// The longest facts fit an id, and large capabilities shrink to those that matter.
func TestLongFactsAreShortened(t *testing.T) {
	large := `"experimental":{"x":"` + strings.Repeat("x", 64<<10) + `"}`
	for declared, want := range map[string]string{
		``:                `{}`,
		`null`:            `{}`,
		`[]`:              `{}`,
		`{ "a" : { } }`:   `{"a":{}}`,
		`{` + large + `}`: `{}`,
		`{"elicitation":{},"roots":{"listChanged":true},"sampling":{},` + large + `}`:                                        `{"elicitation":{},"roots":{},"sampling":{}}`,
		`{` + large + `,"sampling":{"tools":{},"context":{"a":1}},"elicitation":{"url":{},"form":{},"other":{}},"tasks":{}}`: `{"elicitation":{"form":{},"url":{}},"sampling":{"context":{},"tools":{}}}`,
		`{"elicitation":"` + strings.Repeat("x", 2<<10) + `"}`:                                                               `{"elicitation":{}}`,
	} {
		h := testHolder
		h.Principal = "client:" + strings.Repeat("c", 2<<10)
		r := recordOf(h)
		r.Client, r.Capabilities = strings.Repeat("\U0001F600", 128), jsontext.Value(declared)
		s := testSessions(t, keys.New())
		id := s.assign(&r)
		got, found := s.open(t.Context(), id, h)
		if !found || string(got.Capabilities) != want || string(r.Capabilities) != want || len(id) > maxSessionID || got.Client != strings.Repeat("\U0001F600", 64) || r.Client != got.Client {
			t.Errorf("%.80s: %t, %d characters, capabilities %s and %s, client %q", declared, found, len(id), got.Capabilities, r.Capabilities, got.Client)
		}
	}
	r := recordOf(testHolder)
	r.Client, r.Capabilities = strings.Repeat("\U0001F600", 128), jsontext.Value(`{"a":"`+strings.Repeat("x", engine.MaxCapabilities-len(`{"a":""}`))+`"}`)
	s := testSessions(t, keys.New())
	if id := s.assign(&r); len(r.Capabilities) != engine.MaxCapabilities || len(id) > maxSessionID {
		t.Errorf("the longest id has %d characters", len(id))
	}
}

func FuzzOpenSession(f *testing.F) {
	s := testSessions(f, strings.Repeat("A", 43))
	f.Add(s.newID(f, testHolder), "/mcp", []byte("\x01"))
	f.Add("", "/mcp", []byte(nil))
	f.Add(strings.Repeat("A", 100), "/mcp/x", []byte("\x01\x80\x80\x80\x80\x80\x40\x0a2025-11-25\x01C{}"))
	f.Fuzz(func(t *testing.T, id, path string, text []byte) {
		h := testHolder
		h.Path = path
		if r, found := s.open(t.Context(), id, h); found && (r.Path != path || path != testHolder.Path) {
			t.Errorf("%q opens %+v", id, r)
		}
		var r, again Record
		if !r.parse(text) {
			return
		}
		if !again.parse(r.append(nil)) || !again.Created.Equal(r.Created) || again.Version != r.Version || again.Client != r.Client || string(again.Capabilities) != string(r.Capabilities) {
			t.Errorf("%+v is read as %+v", r, again)
		}
		s.open(t.Context(), s.sealed(text), testHolder)
	})
}
