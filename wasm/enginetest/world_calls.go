package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A behaviour is a prompt or tool of a transcript's world: a description, and what a call
// of it does.
type behaviour struct {
	Description map[string]json.RawMessage // title, description, arguments, inputSchema, …

	Text     string                   // the answer, as one block of text
	Result   json.RawMessage          // or all of it
	Complete map[string][]string      // values of arguments: those that begin with the value are suggested
	Delay    string                   // before the answer
	Every    string                   // before each progress and log message
	Progress []json.RawMessage        // params of notifications
	Log      []json.RawMessage        // likewise
	Needs    []map[string]neededInput // input of the client, by rounds
	Panic    bool
	Task     string // mode: optional or required
}

type neededInput = json.RawMessage

// In Text and in the strings of Result, {name} stands for an argument, {answers}
// for what the client answered, as JSON, {meta} for the unknown members of _meta, {who} for the
// principal.

func decodeBehaviour(t interface{ Fatal(...any) }, text []byte) behaviour {
	d := behaviour{Description: map[string]json.RawMessage{}}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for name, value := range all {
		var into any
		switch name {
		case "text":
			into = &d.Text
		case "result":
			into = &d.Result
		case "complete":
			into = &d.Complete
		case "delay":
			into = &d.Delay
		case "every":
			into = &d.Every
		case "progress":
			into = &d.Progress
		case "log":
			into = &d.Log
		case "needs":
			into = &d.Needs
		case "panic":
			into = &d.Panic
		case "task":
			into = &d.Task
		default:
			d.Description[name] = value
			continue
		}
		if err := json.Unmarshal(value, into); err != nil {
			t.Fatal(name, err)
		}
	}
	return d
}

// object returns the description as a list has it.
func (d behaviour) object(name string, isTool bool) []byte {
	all := maps.Clone(d.Description)
	all["name"], _ = json.Marshal(name)
	if _, has := all["inputSchema"]; isTool && !has {
		all["inputSchema"] = json.RawMessage(`{"type":"object"}`)
	}
	text, _ := json.Marshal(all)
	return text
}

func (w *world) putPrompt(name string, d behaviour) {
	err := w.table.Put(engine.Entry{
		Kind: engine.Prompts, JSON: d.object(name, false),
		Call: func(ctx context.Context, arguments []byte) ([]byte, error) {
			return d.perform(ctx, arguments, `{"messages":[{"role":"user","content":{"type":"text","text":%s}}]}`)
		},
		Complete: suggest(d.Complete),
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) putTool(name string, d behaviour) {
	err := w.table.Put(engine.Entry{
		Kind: engine.Tools, JSON: d.object(name, true),
		Extra: task.Tool{Mode: map[string]task.Mode{"optional": task.Optional, "required": task.Required}[d.Task]},
		Call: func(ctx context.Context, arguments []byte) ([]byte, error) {
			return d.perform(ctx, arguments, `{"content":[{"type":"text","text":%s}]}`)
		},
	})
	if err != nil {
		w.Fatal(err)
	}
}

// perform answers a call as the transcript describes.
func (d behaviour) perform(ctx context.Context, arguments []byte, shape string) ([]byte, error) {
	i := engine.InvocationOf(ctx)
	if d.Panic {
		panic("it is broken")
	}
	var given map[string]json.RawMessage
	json.Unmarshal(arguments, &given)
	var answers []string // members
	for _, needs := range d.Needs {
		for missing := maps.Clone(needs); len(missing) > 0; {
			requests, _ := json.Marshal(missing)
			answered, err := i.Ask(ctx, requests)
			if err != nil {
				return nil, err
			}
			for s := jsonrpc.Scan(answered); s.Next(); {
				delete(missing, string(s.Name))
				answers = append(answers, fmt.Sprintf("%q:%s", s.Name, compacted(s.Value)))
			}
		}
	}
	pause := func(text string) error {
		delay, err := time.ParseDuration(text)
		if text == "" {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-time.After(delay):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for n := range max(len(d.Progress), len(d.Log)) {
		if err := pause(d.Every); err != nil {
			return nil, err
		}
		if n < len(d.Progress) {
			i.Progress(compacted(d.Progress[n]))
		}
		if n < len(d.Log) {
			i.Log(compacted(d.Log[n]))
		}
	}
	if err := pause(d.Delay); err != nil {
		return nil, err
	}
	fill := func(text string) string {
		for name, value := range given {
			var plain string
			if json.Unmarshal(value, &plain) != nil {
				plain = string(compacted(value))
			}
			text = strings.ReplaceAll(text, "{"+name+"}", plain)
		}
		if len(answers) > 0 {
			text = strings.ReplaceAll(text, "{answers}", "{"+strings.Join(answers, ",")+"}")
		}
		text = strings.ReplaceAll(text, "{meta}", string(i.Meta()))
		return strings.ReplaceAll(text, "{who}", string(engine.PrincipalOf(ctx)))
	}
	if d.Result == nil {
		text, _ := json.Marshal(fill(d.Text))
		return fmt.Appendf(nil, shape, text), nil
	}
	var result any
	if err := json.Unmarshal(d.Result, &result); err != nil {
		return nil, err
	}
	return json.Marshal(filled(result, fill))
}

// filled returns a JSON value with fill done to its strings.
func filled(value any, fill func(string) string) any {
	switch value := value.(type) {
	case string:
		return fill(value)
	case []any:
		for i := range value {
			value[i] = filled(value[i], fill)
		}
	case map[string]any:
		for name := range value {
			value[name] = filled(value[name], fill)
		}
	}
	return value
}

func compacted(value json.RawMessage) []byte {
	if value == nil {
		return nil
	}
	text := jsontext.Value(bytes.Clone(value))
	text.Compact()
	return text
}

// suggest returns a function that completes arguments with the values that have their
// prefix.
func suggest(values map[string][]string) func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
	if values == nil {
		return nil
	}
	return func(_ context.Context, c engine.CompletionRequest) (found engine.Completion, err error) {
		for _, value := range values[c.Argument] {
			// A value "a/b" is for those who have chosen a.
			if of, rest, nested := strings.Cut(value, "/"); nested {
				var chosen map[string]string
				json.Unmarshal(c.Arguments, &chosen)
				if !slices.Contains(slices.Collect(maps.Values(chosen)), of) {
					continue
				}
				value = rest
			}
			if strings.HasPrefix(value, c.Value) {
				found.Values = append(found.Values, value)
			}
		}
		return found, nil
	}
}
