package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A world is what a transcript plays in.
type world struct {
	*testing.T
	ctx    context.Context
	engine *engine.Engine // the one that clients talk to
	inner  *engine.Engine // the one with the sources; the same unless two deep
	table  *engine.Table
	slow   *slowSource
	ports  map[string]jsonrpc.Port
	names  map[string]string // of the recorded conversations, by client

	conversations int
	mu            sync.Mutex
	received      []sentMessage
	values        map[string]thing
	memory        map[string]string // $name -> what it stood for
	update        bool              // what the engine sends is written, and not compared
	group         sync.WaitGroup
}

// sentMessage is a message that came from an engine.
type sentMessage struct{ client, message string }

// A thing is a resource of a transcript's world.
type thing struct {
	Name, Title, Description, MIMEType string
	Text                               string
	Blob                               []byte
	Size                               int64
	Annotations, Icons                 json.RawMessage
	Meta                               json.RawMessage `json:"_meta"`
	Delay                              string
	Panic                              bool
	Complete                           map[string][]string // of a template
	Contents                           []part              // several items, instead of Text
	Cache                              *struct {
		TTLMs int
		Scope string
	}
}

// A part is one item of a resource's contents.
type part struct {
	URI, MIMEType, Text string
	Blob                []byte
	Meta                json.RawMessage `json:"_meta"`
}

func newWorld(t *testing.T, ctx context.Context, archive *archive, above Above) *world {
	w := &world{
		T: t, ctx: ctx, table: engine.NewTable(), slow: &slowSource{},
		ports: map[string]jsonrpc.Port{}, names: map[string]string{}, values: map[string]thing{}, memory: map[string]string{},
	}
	w.slow.world = w
	options := engine.Options{Report: func(err error) { t.Logf("reported: %v", err) }}
	decode(t, archive, "options.json", &options)
	options.Extensions = Extensions()
	info := engine.Info{Name: "transcript", Version: "1.0.0"}
	decode(t, archive, "info.json", &info)
	w.inner = engine.New(info, &options)
	w.engine = w.inner
	things := map[string]thing{}
	decode(t, archive, "resources.json", &things)
	for _, uri := range order(archive.section("resources.json")) {
		w.put(uri, things[uri])
	}
	templates := map[string]thing{}
	decode(t, archive, "templates.json", &templates)
	for _, uri := range order(archive.section("templates.json")) {
		w.putTemplate(uri, templates[uri])
	}
	for what, put := range map[string]func(string, behaviour){"prompts.json": w.putPrompt, "tools.json": w.putTool} {
		for _, name := range order(archive.section(what)) {
			put(name, decodeBehaviour(t, jsonrpc.Member(archive.section(what), name)))
		}
	}
	for _, uri := range order(archive.section("skills.json")) {
		w.putSkill(uri, jsonrpc.Member(archive.section("skills.json"), uri))
	}
	w.inner.Mount("", w.table)
	later := laterSource{}
	decode(t, archive, "later.json", &later)
	if len(later) > 0 {
		w.inner.Mount("", brokenSource{})
		w.inner.Mount("", later)
	}
	if len(w.slow.uris) > 0 {
		w.inner.Mount("", w.slow)
	}
	if above != nil {
		near, far := jsonrpc.Pipe()
		w.serve(w.inner, far)
		w.engine = above(t, near, info, options)
	}
	return w
}

func decode(t *testing.T, archive *archive, name string, into any) {
	if data := archive.section(name); data != nil {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// order returns the names of a JSON object in the order they are written.
func order(object []byte) (names []string) {
	if object != nil {
		jsonrpc.Members(object, func(name string, _ []byte) *jsonrpc.Error {
			names = append(names, name)
			return nil
		})
	}
	return names
}

func (w *world) serve(e *engine.Engine, p jsonrpc.Port) {
	w.group.Go(func() { e.Serve(w.ctx, p) })
}

func (w *world) put(uri string, th thing) {
	w.mu.Lock()
	w.values[uri] = th
	w.mu.Unlock()
	if th.Delay != "" || th.Panic {
		w.slow.uris = append(w.slow.uris, uri)
		return
	}
	err := w.table.Put(engine.Entry{JSON: th.described("uri", uri), Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
		return w.contents(uri)
	}})
	if err != nil {
		w.Fatal(err)
	}
}

// described returns the description of a resource or template.
func (th thing) described(key, value string) []byte {
	text := engine.Describe(key, value, "name", th.Name, "title", th.Title, "description", th.Description, "mimeType", th.MIMEType)
	o := emit.JSON(text[:len(text)-1])
	if th.Size > 0 {
		o.Member("size", []byte(strconv.FormatInt(th.Size, 10)))
	}
	for _, raw := range []struct {
		name  string
		value json.RawMessage
	}{{"annotations", th.Annotations}, {"icons", th.Icons}, {"_meta", th.Meta}} {
		if raw.value != nil {
			compact := jsontext.Value(bytes.Clone(raw.value))
			compact.Compact()
			o.Member(raw.name, compact)
		}
	}
	return append(o, '}')
}

func (w *world) contents(uri string) ([]engine.Contents, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	th, ok := w.values[uri]
	if !ok {
		return nil, engine.ErrNotFound
	}
	var cache engine.Cache
	if th.Cache != nil {
		cache = engine.Cache{TTL: time.Duration(th.Cache.TTLMs) * time.Millisecond, Public: th.Cache.Scope == "public"}
	}
	if th.Contents == nil {
		return []engine.Contents{{URI: uri, MIMEType: th.MIMEType, Text: th.Text, Blob: th.Blob, Cache: cache}}, nil
	}
	var all []engine.Contents
	for _, p := range th.Contents {
		all = append(all, engine.Contents{
			URI: p.URI, MIMEType: p.MIMEType, Text: p.Text, Blob: p.Blob, Meta: compacted(p.Meta), Cache: cache,
		})
	}
	return all, nil
}

// putSkill registers the entry of a skill, which lacks its URI.
func (w *world) putSkill(uri string, entry []byte) {
	compact := jsontext.Value(bytes.Clone(entry))
	compact.Compact()
	entry = append(jsonrpc.AppendString([]byte(`{"uri":`), uri), ","+string(compact[1:])...)
	if err := w.table.Put(engine.Entry{Kind: skill.Kind, JSON: entry}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) putTemplate(template string, th thing) {
	err := w.table.Put(engine.Entry{
		Kind: engine.Templates, JSON: th.described("uriTemplate", template),
		Complete: suggest(th.Complete),
		Expand: func(_ context.Context, uri string, variables []byte) ([]engine.Contents, error) {
			text := th.Text
			jsonrpc.Members(variables, func(name string, value []byte) *jsonrpc.Error {
				v, ok := jsonrpc.Text(value)
				if !ok {
					v = string(value)
				}
				text = strings.ReplaceAll(text, "{"+name+"}", v)
				return nil
			})
			return []engine.Contents{{URI: uri, MIMEType: th.MIMEType, Text: text}}, nil
		},
	})
	if err != nil {
		w.Fatal(err)
	}
}

// port returns the port of a client, new for one that has not sentMessage yet.
func (w *world) port(client string) jsonrpc.Port {
	if p := w.ports[client]; p != nil {
		return p
	}
	near, far := jsonrpc.Pipe()
	w.ports[client] = near
	w.conversations++
	conversation := w.Name() + " " + client + " #" + strconv.Itoa(w.conversations)
	w.names[client] = conversation
	w.serve(w.engine, far)
	w.group.Go(func() {
		for {
			message, err := near.Read(w.ctx)
			if err != nil {
				return
			}
			record(w.T, conversation, "server", message)
			w.receive(client, message)
		}
	})
	return near
}

// receive keeps a message of an engine. The responses of a batch are one array here, and
// one by one where messages are objects, in a browser: transcripts have the latter.
func (w *world) receive(client string, message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all, isArray := jsonrpc.Elements(message)
	if !isArray {
		all = [][]byte{message}
	}
	for _, one := range all {
		w.received = append(w.received, sentMessage{client, string(one)})
	}
}

func (w *world) send(client, message string) {
	port := w.port(client)
	record(w.T, w.names[client], "client", []byte(message))
	if err := port.Write(w.ctx, []byte(message)); err != nil {
		w.Fatalf("send %s: %v", message, err)
	}
	synctest.Wait()
}

// expect takes the next message of an engine, and returns the line that shows it.
func (w *world) expect(client, want string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.received, func(s sentMessage) bool { return s.client == client })
	if at < 0 {
		if !w.update {
			w.Errorf("silence\n  instead of <-%s %s", client, want)
		}
		return "", false
	}
	got := w.received[at]
	w.received = slices.Delete(w.received, at, at+1)
	if w.update && !strings.Contains(want, `"$`) {
		return "<-" + got.client + " " + got.message, true
	}
	if !w.matches(parse(w.T, want), parse(w.T, got.message)) {
		w.Errorf("<-%s %s\n  instead of <-%s %s", got.client, got.message, client, want)
	}
	return "<-" + client + " " + want, true
}

// rest returns the messages that were not expected.
func (w *world) rest() (lines []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.received, func(a, b sentMessage) int { return strings.Compare(a.client, b.client) })
	for _, got := range w.received {
		if !w.update {
			w.Errorf("<-%s %s\n  instead of silence", got.client, got.message)
		}
		lines = append(lines, "<-"+got.client+" "+got.message)
	}
	w.received = nil
	return lines
}

func parse(t *testing.T, text string) (value any) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // ids are compared as they are spelled
	if err := dec.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// matches compares JSON values; strings that begin with $ remember what they see.
func (w *world) matches(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(want) != len(got) {
			return false
		}
		for name, value := range want {
			if other, ok := got[name]; !ok || !w.matches(value, other) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		return ok && slices.EqualFunc(want, got, w.matches)
	case string:
		text, ok := got.(string)
		if !strings.HasPrefix(want, "$") || !ok {
			return want == got
		}
		if known, ok := w.memory[want]; ok {
			return known == text
		}
		w.memory[want] = text
		return true
	}
	return reflect.DeepEqual(want, got)
}

// recall puts what was remembered into a message.
func (w *world) recall(message string) string {
	for name, text := range w.memory {
		message = strings.ReplaceAll(message, `"`+name+`"`, string(jsonrpc.AppendString(nil, text)))
	}
	return message
}

// event changes the world.
func (w *world) event(text string) {
	verb, rest, _ := strings.Cut(text, " ")
	subject, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
	switch verb {
	case "write":
		w.mu.Lock()
		th := w.values[subject]
		th.Text = parse(w.T, value).(string)
		w.values[subject] = th
		w.mu.Unlock()
		w.touch(subject)
	case "touch":
		w.touch(subject)
	case "add":
		var th thing
		if err := json.Unmarshal([]byte(value), &th); err != nil {
			w.Fatal(err)
		}
		w.put(subject, th)
	case "addTool":
		w.putTool(subject, decodeBehaviour(w, []byte(value)))
	case "removeTool":
		w.table.Remove(engine.Tools, subject)
	case "addSkill":
		w.putSkill(subject, []byte(value))
	case "removeSkill":
		w.table.Remove(skill.Kind, subject)
	case "addPrompt":
		w.putPrompt(subject, decodeBehaviour(w, []byte(value)))
	case "removePrompt":
		w.table.Remove(engine.Prompts, subject)
	case "remove":
		w.mu.Lock()
		delete(w.values, subject)
		w.mu.Unlock()
		w.table.Remove(engine.Resources, subject)
	case "wait":
		d, err := time.ParseDuration(subject)
		if err != nil {
			w.Fatal(err)
		}
		time.Sleep(d) // of the bubble's clock
	case "close":
		w.port(subject).Close()
		delete(w.ports, subject)
	case "shutdown":
		w.engine.Close()
	default:
		w.Fatalf("no such event: %s", text)
	}
	synctest.Wait()
}

func (w *world) touch(uri string) {
	if slices.Contains(w.slow.uris, uri) {
		w.slow.touch(uri)
		return
	}
	w.table.Changed(uri)
}

func (w *world) shutDown() {
	for _, p := range w.ports {
		p.Close()
	}
	w.group.Wait()
	w.inner.Close() // tasks that go on
	synctest.Wait()
}
