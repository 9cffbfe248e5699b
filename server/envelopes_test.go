package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A hostileMessage is an entry of testdata/envelopes.json, whose "about" describes the
// format. Package engine tests the exact responses; these tests check that the endpoint
// keeps working.
type hostileMessage struct {
	Class, Name, Session string
	Send                 []json.RawMessage
}

func (one hostileMessage) messages(t *testing.T) (all [][]byte) {
	t.Helper()
	for _, element := range one.Send {
		var text string
		var made struct {
			Base64                []byte
			Before, Repeat, After string
			Times                 int
		}
		switch {
		case json.Unmarshal(element, &text) == nil:
			all = append(all, []byte(text))
		case json.Unmarshal(element, &made) != nil:
			t.Fatalf("%s: %s", one.Name, element)
		case made.Base64 != nil:
			all = append(all, made.Base64)
		default:
			all = append(all, []byte(made.Before+strings.Repeat(made.Repeat, made.Times)+made.After))
		}
	}
	return all
}

func hostileMessages(t *testing.T) []hostileMessage {
	t.Helper()
	text, err := os.ReadFile("../testdata/envelopes.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Envelopes []hostileMessage }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Envelopes) < 60 {
		t.Fatalf("%d envelopes, %v", len(file.Envelopes), err)
	}
	return file.Envelopes
}

// hostilePage has tools that work, hang, panic and answer nonsense.
func hostilePage(t *testing.T) *engine.Table {
	t.Helper()
	table := tableA(t)
	for name, call := range map[string]func(context.Context) ([]byte, error){
		"works":    func(context.Context) ([]byte, error) { return []byte(`{"content":[]}`), nil },
		"hangs":    func(ctx context.Context) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
		"panics":   func(context.Context) ([]byte, error) { panic("it is broken") },
		"nonsense": func(context.Context) ([]byte, error) { return []byte(`{"content":[{"type":7}`), nil },
	} {
		err := table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
			Call: func(ctx context.Context, _ []byte) ([]byte, error) { return call(ctx) },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// Every hostile envelope gets a response over HTTP, in both eras and in lenient mode,
// with and without a session, and the next requests are served.
func TestHostileEnvelopesOverHTTP(t *testing.T) {
	t.Parallel()
	for _, lenient := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g, client, kill := startInMemory(t, newMemDisk(), func(o *Options) {
				o.Lenient, o.Logging, o.Logger = lenient, true, nil
			})
			defer kill()
			tabInMemory(t, g, client, "tab", hostilePage(t))
			post := func(session string, body []byte, header http.Header) (int, string) {
				return answerInMemory(t, g, client, "/mcp/notes", session, string(body), header)
			}
			begin := func(version string) string {
				answer, err := client.Do(caller(t, g).Request(t.Context(), "POST", "/mcp/notes", strings.Replace(gatewaytest.Initialize, "2025-11-25", version, 1)))
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				return answer.Header.Get(mcphttp.SessionHeader)
			}
			at, _ := g.core.Acquire("", "/mcp/notes")
			defer at.Release()
			for _, one := range hostileMessages(t) {
				session := begin(cmp.Or(one.Session, "2025-11-25"))
				for _, body := range one.messages(t) {
					header := http.Header{}
					if x := at.Engine.Examine(body); x.Modern {
						header.Set(mcphttp.VersionHeader, x.Version)
						header.Set(mcphttp.MethodHeader, x.Method)
						header.Set(mcphttp.NameHeader, "=?base64?"+base64.StdEncoding.EncodeToString([]byte(x.Name))+"?=")
						for name, values := range header {
							if strings.ContainsFunc(values[0], func(r rune) bool { return r < ' ' || r > '~' }) {
								header.Del(name)
							}
						}
					}
					for _, in := range []string{"", session} {
						if status, text := post(in, body, header); status < 200 || status >= 500 {
							t.Errorf("lenient %v, session %v, %s, %s: %d %.200s", lenient, in != "", one.Class, one.Name, status, text)
						}
					}
				}
				if status, text := post(session, []byte(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`), http.Header{}); status != 200 || !strings.Contains(text, `"id":"alive","result":{}`) {
					t.Fatalf("lenient %v, after %s, %s: %d %.200s", lenient, one.Class, one.Name, status, text)
				}
				status, text := post("", []byte(gatewaytest.Modern(`"alive"`, "tools/call", `"name":"works","arguments":{}`)),
					http.Header{mcphttp.VersionHeader: {"2026-07-28"}, mcphttp.MethodHeader: {"tools/call"}, mcphttp.NameHeader: {"works"}})
				if status != 200 || !strings.Contains(text, `"content":[]`) {
					t.Fatalf("lenient %v, the page after %s, %s: %d %.200s", lenient, one.Class, one.Name, status, text)
				}
			}
		})
	}
}
