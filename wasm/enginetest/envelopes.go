package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An envelope is an entry of testdata/envelopes.json, whose "about" tells the
// format.
type envelope struct {
	Class, Name, Session string
	Send                 []json.RawMessage
	Want                 []struct {
		ID, Method string
		Code       int64
		Any        bool
	}
}

func envelopes(t *testing.T, name string) []envelope {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Envelopes []envelope }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Envelopes
}

// messageOf returns the bytes of an element of send.
func messageOf(t *testing.T, element json.RawMessage) []byte {
	var text string
	if json.Unmarshal(element, &text) == nil {
		return []byte(text)
	}
	var made struct {
		Base64                []byte
		Before, Repeat, After string
		Times                 int
	}
	if err := json.Unmarshal(element, &made); err != nil {
		t.Fatal(err)
	}
	if made.Base64 != nil {
		return made.Base64
	}
	return []byte(made.Before + strings.Repeat(made.Repeat, made.Times) + made.After)
}

// hostileWorld is the engine that envelopes are for.
func hostileWorld(t *testing.T) *engine.Engine {
	table := engine.NewTable()
	for name, call := range map[string]func(context.Context) ([]byte, error){
		"works":    func(context.Context) ([]byte, error) { return []byte(`{"content":[]}`), nil },
		"hangs":    func(ctx context.Context) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
		"panics":   func(context.Context) ([]byte, error) { panic("it is broken") },
		"nonsense": func(context.Context) ([]byte, error) { return []byte(`{"content":[{"type":7}`), nil },
	} {
		ToolOf(t, table, name, func(ctx context.Context, _ []byte) ([]byte, error) { return call(ctx) })
	}
	for _, name := range []string{"cart", "panics"} {
		err := table.Put(engine.Entry{
			JSON: engine.Describe("uri", "notes://"+name, "name", name),
			Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
				if name == "panics" {
					panic("it is broken")
				}
				return []engine.Contents{{URI: uri, Text: "2 apples"}}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	options := hostileOptions()
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &options)
	e.Mount("", table)
	return e
}

func hostileOptions() engine.Options {
	return engine.Options{Tools: true, Prompts: true, Completions: true, Logging: true, MaxMessage: 1 << 20}
}

// PlayEnvelopes fails the test unless every hostile envelope of a file is answered or refused as documented, nothing
// else comes, and the next requests are served; if above is not nil, by an engine above that of the sources.
func PlayEnvelopes(t *testing.T, file string, above Above) {
	all := envelopes(t, file)
	if len(all) < 60 {
		t.Fatalf("only %d envelopes", len(all))
	}
	for _, one := range all {
		t.Run(one.Class+": "+one.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := hostileWorld(t)
				if above != nil {
					near, far := jsonrpc.Pipe()
					go e.Serve(t.Context(), far)
					defer near.Close()
					e = above(t, near, engine.Info{Name: "e", Version: "1"}, hostileOptions())
				}
				d := NewDialogue(t, e)
				defer d.Port.Close()
				one.play(t, d)
				d.Alive(one.Name)
				NewDialogue(t, e).Alive(one.Name)
			})
		})
	}
}

func (one envelope) play(t *testing.T, d *Dialogue) {
	d.Last = 1_000_000 // ids of its own
	if one.Session != "" {
		d.Request("initialize", `"protocolVersion":"`+one.Session+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
	}
	for _, element := range one.Send {
		d.Say(string(messageOf(t, element)))
		synctest.Wait()
	}
	var got [][]byte
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // of the bubble's clock
		message, err := d.Port.Read(ctx)
		cancel()
		if err != nil {
			break
		}
		if elements, isArray := jsonrpc.Elements(message); isArray {
			got = append(got, elements...)
		} else {
			got = append(got, message)
		}
	}
	for i, want := range one.Want {
		if i >= len(got) {
			t.Errorf("silence instead of %+v", want)
			continue
		}
		m, refusal := jsonrpc.Parse(got[i])
		if refusal != nil {
			t.Errorf("%.300s is no message: %v", got[i], refusal)
			continue
		}
		var code int64
		if m.Error != nil {
			code = m.Error.Code
		}
		if !want.Any && (string(m.ID) != want.ID || code != want.Code || m.Method != want.Method) {
			t.Errorf("got %.300s, want %+v", got[i], want)
		}
	}
	if len(got) > len(one.Want) {
		t.Errorf("got also %.300s", bytes.Join(got[len(one.Want):], []byte("\n")))
	}
}
