package remote_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/yosida95/uritemplate/v3"
)

var (
	identityCases = flag.Int("identity.cases", 4_000, "how many cases TestSpellings runs; with -short, a tenth")
	identitySeed  = flag.Uint64("identity.seed", 1, "the seed of TestSpellings")
)

// Whatever spelling of a URI a client uses, at a gateway: it reads the right record or gets an error, and never
// another record; what it subscribes to, or polls for, is announced in its spelling, whatever spelling
// the app announces; and what is withheld is withheld under all of them, also as an item of another read.
func TestSpellings(t *testing.T) {
	random := rand.New(rand.NewPCG(*identitySeed, 0))
	s := newSpellings(t)
	cases := *identityCases
	if testing.Short() {
		cases /= 10
	}
	for i := range cases {
		key, template := randomText(random), spelledTemplates[random.IntN(len(spelledTemplates))]
		isOurs := strings.HasPrefix(template, "ours:") // by the rules of our sources, whose keys survive a client that decodes
		value := key
		if isOurs {
			value = escapedKey(key)
		}
		c := spelledCase{spellings: s, key: key, uri: expanded(template, value)}
		how := random.IntN(len(spellers))
		c.spelled, c.isExact = spellers[how](random, c.uri, template, value), how < exactSpellers
		if !c.isExact && !isOurs {
			c.spelled, c.isExact = c.uri, true
		}
		c.announced = spellers[random.IntN(exactSpellers)](random, c.uri, template, value)
		operation := random.IntN(5)
		c.what = fmt.Sprintf("case %d, operation %d, key %q of %s, spelled %q, announced %q", i, operation, key, template, c.spelled, c.announced)
		switch operation {
		case 0:
			c.read(s.gateway, "")
		case 1:
			c.subscribe()
		case 2:
			c.listen()
		case 3:
		case 4:
			c.withhold(random)
		}
		if t.Failed() { // the first violation says it all
			t.Fatalf("seed %d, %s", *identitySeed, c.what)
		}
	}
}

var spelledTemplates = []string{
	"ours:///db/store/{key}", "ours:///db/store/range{?key,limit}", "note:///{key}", "note:///O'Brien/é/{key}", "note:///{key}/text!",
	"find:///{?lang,key}", "find:///x?a=1{&lang,key}", "file:///{+key}", "tree://{/key}", "dot://x{.key}", "semi://x{;key}", "frag:x{#key}",
}

// spellings are a page behind a gateway, and clients of it.
type spellings struct {
	*testing.T
	page            *engine.Engine
	table           *engine.Table
	gateway, mallet *enginetest.Dialogue
	classic         *enginetest.Dialogue
	several         []string // what several:///all returns
}

func newSpellings(t *testing.T) *spellings {
	options := enginetest.Offering
	options.UpdateInterval = 1
	s := &spellings{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), table: engine.NewTable()}
	s.page.Mount("", s.table)
	for _, template := range spelledTemplates {
		err := s.table.Put(engine.Entry{
			Kind: engine.Templates, JSON: engine.Describe("uriTemplate", template, "name", "t"),
			Expand: func(_ context.Context, uri string, variables []byte) ([]engine.Contents, error) {
				return []engine.Contents{{URI: uri, Text: keyIn(template, variables)}}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.table.Put(engine.Entry{
		JSON: engine.Describe("uri", "several:///all", "name", "all"),
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			all := []engine.Contents{{URI: uri, Text: "index"}}
			for _, uri := range s.several {
				all = append(all, engine.Contents{URI: uri, Text: uri})
			}
			return all, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	near, far := jsonrpc.Pipe()
	go s.page.Serve(engine.WithSpeakForOthers(context.Background()), far) // ends with near
	r := remote.New()
	t.Cleanup(r.Close)
	if err := r.Reattach(t.Context(), near); err != nil {
		t.Fatal(err)
	}
	gateway := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{UpdateInterval: 1})
	gateway.Mount("p+", r)
	s.gateway, s.mallet, s.classic = enginetest.DialogueOf(t, gateway, "claude"), enginetest.DialogueOf(t, gateway, "mallet"), enginetest.DialogueOf(t, gateway, "claude")
	s.classic.Request("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
	s.classic.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// keyIn returns the variable key as the app knows it.
func keyIn(template string, variables []byte) string {
	key, _ := jsonrpc.Text(jsonrpc.Member(variables, "key"))
	if strings.HasPrefix(template, "ours:") {
		return strings.NewReplacer("~0", "~", "~1", "/", "~2", "%", "~3", "&", "~4", "\t", "~5", "\n", "~6", "\r", "~7", "\\", "~8", "?", "~9", "#").Replace(key)
	}
	return key
}

// escapedKey is what idb-keys.ts writes.
func escapedKey(key string) string {
	return "s." + strings.NewReplacer("~", "~0", "/", "~1", "%", "~2", "&", "~3", "\t", "~4", "\n", "~5", "\r", "~6", "\\", "~7", "?", "~8", "#", "~9").Replace(key)
}

type spelledCase struct {
	*spellings
	key, uri, spelled, announced, what string
	isExact                            bool
}

// want is the content of the record.
func (c *spelledCase) want() string {
	if strings.HasPrefix(c.uri, "ours:") {
		return "s." + c.key
	}
	return c.key
}

// read reads the record, and reports whether it is there.
func (c *spelledCase) read(s *enginetest.Dialogue, isWithheld string) (found bool) {
	answer := s.Modern("resources/read", `"uri":`+quoted("p+"+c.spelled))
	uri, text := contentsOf(answer)
	switch {
	case isWithheld != "":
		if !strings.Contains(answer, `"error"`) {
			c.Errorf("%s is withheld, and read: %s", isWithheld, answer)
		}
	case strings.Contains(answer, `"error"`):
		if c.isExact {
			c.Errorf("it is not found: %s", answer)
		}
		return false
	case text != c.want():
		c.Errorf("another record: %s", answer)
	case uri != "p+"+c.spelled:
		c.Errorf("the answer has the spelling %q", uri)
	}
	return true
}

func (c *spelledCase) subscribe() {
	answer := c.classic.Request("resources/subscribe", `"uri":`+quoted("p+"+c.spelled))
	if strings.Contains(answer, `"error"`) {
		if c.isExact {
			c.Errorf("subscribe: %s", answer)
		}
		return
	}
	c.table.Changed(c.announced)
	wants(c.classic, "the update", `"uri":`+quoted("p+"+c.spelled)+`}`)
	if c.isExact { // its other spelling ends it, too
		c.classic.Request("resources/unsubscribe", `"uri":`+quoted("p+"+c.announced))
	} else {
		c.classic.Request("resources/unsubscribe", `"uri":`+quoted("p+"+c.spelled))
	}
	c.table.Changed(c.uri)
	if more := c.classic.Request("ping", ""); strings.Contains(more, `"updated"`) {
		c.Errorf("after it has unsubscribed: %s", more)
	}
}

func (c *spelledCase) listen() {
	id := c.gateway.Send("subscriptions/listen", enginetest.ModernMeta+`,"notifications":{"resourceSubscriptions":[`+quoted("p+"+c.spelled)+`]}`)
	acknowledged := c.gateway.Next("the acknowledgement")
	if !strings.Contains(acknowledged, quoted("p+"+c.spelled)) {
		if c.isExact {
			c.Errorf("it is not acknowledged: %s", acknowledged)
		}
	} else {
		c.table.Changed(c.announced)
		wants(c.gateway, "the update", `"uri":`+quoted("p+"+c.spelled)+`}`)
	}
	c.gateway.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	c.gateway.Request("ping", "")
}

func (c *spelledCase) withhold(random *rand.Rand) {
	grants, err := engine.ParseGrants([]byte(`{"default":"open","grants":[{"assistant":"mallet","right":"read","allow":false,"uri":` + quoted(c.announced) + `}]}`))
	if err != nil {
		c.Fatal(err)
	}
	c.page.SetGrants(grants)
	defer c.page.SetGrants(nil)
	c.read(c.mallet, c.announced)
	c.read(c.gateway, "")
	for _, below := range []string{"?a", ";b", "#c", "/d"} {
		c := *c
		c.spelled += below
		c.read(c.mallet, c.announced+below)
	}
	other := expanded("note:///other/{key}", randomText(random))
	c.several = []string{c.uri, other, c.uri + "/below"}
	if answer := c.mallet.Modern("resources/read", `"uri":"p+several:///all"`); strings.Count(answer, `"text"`) != 2 || !strings.Contains(answer, quoted("p+"+other)) {
		c.Errorf("%s is withheld, and read with others: %s", c.announced, answer)
	}
	if answer := c.gateway.Modern("resources/read", `"uri":"p+several:///all"`); strings.Count(answer, `"text"`) != 4 {
		c.Errorf("withheld from another one: %s", answer)
	}
}

// spellers spell a URI, which is canonical, in other ways: first those that RFC 3986 calls equivalent.
var spellers = [...]func(random *rand.Rand, uri, template, value string) string{
	func(_ *rand.Rand, uri, _, _ string) string { return uri },
	func(_ *rand.Rand, uri, _, _ string) string { return lowerHex(uri) },
	func(_ *rand.Rand, uri, template, value string) string { return bySDK(template, value, uri) },
	func(_ *rand.Rand, uri, template, value string) string {
		t, err := uritemplate.New(strings.ReplaceAll(template, "'", "%27")) // it takes no apostrophes
		if err != nil {
			return uri
		}
		made, err := t.Expand(uritemplate.Values{"key": uritemplate.String(value)})
		if err != nil || strings.ContainsFunc(template+value, func(r rune) bool { return r > '~' }) || strings.ContainsAny(template, "+#") && strings.Contains(value, "%") {
			return uri // it can be trusted with ASCII
		}
		return made
	},
	func(random *rand.Rand, uri, _, _ string) string { return respelled(random, uri) },
	func(_ *rand.Rand, uri, _, _ string) string { return byVSCode(uri) },
	func(_ *rand.Rand, uri, _, _ string) string { return decoded(uri) },
}

const exactSpellers = 5

func lowerHex(uri string) string {
	return mapEscapes(uri, func(escape string) string { return strings.ToLower(escape) })
}

// mapEscapes replaces what is percent-encoded.
func mapEscapes(uri string, by func(escape string) string) string {
	var out strings.Builder
	for i := 0; i < len(uri); i++ {
		if uri[i] == '%' && i+2 < len(uri) {
			out.WriteString(by(uri[i : i+3]))
			i += 2
		} else {
			out.WriteByte(uri[i])
		}
	}
	return out.String()
}

// bySDK expands as the official TypeScript SDKs do, by encodeURIComponent, and literals as they are. What
// they expand in another way than RFC 6570 is left to the tests with the SDKs.
func bySDK(template, value, uri string) string {
	if strings.Contains(template, "{+") || strings.Contains(template, "{#") || strings.Contains(template, "{;") || strings.Contains(template, "limit") {
		return uri
	}
	component := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
	for _, operator := range [...][2]string{{"{?lang,key}", "?key="}, {"{&lang,key}", "&key="}, {"{/key}", "/"}, {"{.key}", "."}, {"{key}", ""}} {
		template = strings.Replace(template, operator[0], operator[1]+component, 1)
	}
	return template
}

// respelled encodes and decodes characters at random, where the URI stays equivalent.
func respelled(random *rand.Rand, uri string) string {
	scheme := strings.IndexByte(uri, ':') + 1
	rest := mapEscapes(uri[scheme:], func(escape string) string {
		if random.IntN(2) == 0 {
			escape = strings.ToLower(escape)
		}
		switch text := decoded(escape); {
		case strings.ContainsAny(text, "!*'()") && random.IntN(2) == 0:
			return text
		default:
			return escape
		}
	})
	var out strings.Builder
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		isEscape := i > 0 && rest[i-1] == '%' || i > 1 && rest[i-2] == '%'
		if !isEscape && (c == '~' || c == '.' || '0' <= c && c <= 'z' && (c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c)) && random.IntN(8) == 0 {
			fmt.Fprintf(&out, "%%%02x", c)
		} else {
			out.WriteByte(c)
		}
	}
	return uri[:scheme] + out.String()
}

// decoded decodes what is UTF-8.
func decoded(uri string) string {
	text, err := url.PathUnescape(uri)
	if err != nil {
		return uri
	}
	return text
}

// byVSCode is how VS Code passes on the URI of a resource: its URI class decodes path, query and fragment, and
// the setters of the browser's URL class encode some characters of them again, and drop tabs and line ends.
func byVSCode(uri string) string {
	rest, fragment, hasFragment := strings.Cut(uri, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	authority := strings.Index(rest, "://")
	if authority < 0 || !strings.Contains(rest[authority+3:], "/") {
		return uri
	}
	at := authority + 3 + strings.IndexByte(rest[authority+3:], '/')
	encode := func(text, characters string) string {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(decoded(text))
		var out strings.Builder
		for _, c := range []byte(text) {
			if c <= ' ' || c > '~' || strings.IndexByte(characters, c) >= 0 {
				fmt.Fprintf(&out, "%%%02X", c)
			} else {
				out.WriteByte(c)
			}
		}
		return out.String()
	}
	made := rest[:at] + encode(rest[at:], "\"#<>?^`{}")
	if hasQuery {
		made += "?" + encode(query, "\"#<>")
	}
	if hasFragment {
		made += "#" + encode(fragment, "\"<>`")
	}
	return made
}

// expanded returns the URI of a template, whose variables besides key have no value, by RFC 6570. In {+key} and
// {#key} a percent sign is encoded, as clients do.
func expanded(template, value string) string {
	encode := func(reserved string) string {
		var out strings.Builder
		for _, c := range []byte(value) {
			if c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte(reserved, c) >= 0 {
				out.WriteByte(c)
			} else {
				fmt.Fprintf(&out, "%%%02X", c)
			}
		}
		return out.String()
	}
	const reserved = ":/?#[]@!$&'()*+,;="
	return engine.CanonicalURI(strings.NewReplacer("{?lang,key}", "?key="+encode(""), "{&lang,key}", "&key="+encode(""), "{?key,limit}", "?key="+encode(""),
		"{/key}", "/"+encode(""), "{.key}", "."+encode(""), "{;key}", ";key="+encode(""), "{#key}", "#"+encode(reserved), "{+key}", encode(reserved), "{key}", encode("")).Replace(template))
}

func randomText(random *rand.Rand) string {
	parts := [...]string{"a", "b", "Z", "0", "1", "2", "~", "/", "//", "%", "%2F", "%25", "%41", "&", "&key=x", "!", "*", "'", "(", ")", "+", ",", ";", "=", ":", "@", "#", "?", "[", "]", "|", "\\", "^", "\"", "<", "{", " ", "\t", "\n", "é", "e\u0301", "日", "😀", "..", ".", "-", "_", "~1", "~0"}
	var text strings.Builder
	for range 1 + random.IntN(6) {
		text.WriteString(parts[random.IntN(len(parts))])
	}
	return text.String()
}

func quoted(text string) string { return string(jsonrpc.AppendString(nil, text)) }

func contentsOf(answer string) (uri, text string) {
	all, _ := jsonrpc.Elements(jsonrpc.Member(jsonrpc.Member([]byte(answer), "result"), "contents"))
	if len(all) == 1 {
		uri, _ = jsonrpc.Text(jsonrpc.Member(all[0], "uri"))
		text, _ = jsonrpc.Text(jsonrpc.Member(all[0], "text"))
	}
	return uri, text
}

// wants passes over messages until one has a part.
func wants(d *enginetest.Dialogue, why, part string) {
	for !strings.Contains(d.Next(why+" with "+part), part) {
	}
}
