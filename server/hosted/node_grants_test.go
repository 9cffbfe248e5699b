package hosted

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// The user of a page decides by client_id which of the assistants of the tenant may use it: each
// method of three clients agrees with that. On the twin without grants all requests succeed.
func TestPagesDecideByTheClientID(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	for _, guarded := range []bool{true, false} {
		user := fmt.Sprintf("user-%v", guarded)
		p := n.page(user, "p").note("note:a", "secret")
		if err := p.table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"act","inputSchema":{"type":"object"}}`),
			Call: func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"content":[{"type":"text","text":"done"}]}`), nil
			},
		}); err != nil {
			t.Fatal(err)
		}
		p.join()
		if guarded {
			grants, err := engine.ParseGrants([]byte(`{"default":"ask","grants":[
				{"assistant":"client:reader","right":"read","allow":true},
				{"assistant":"client:actor","right":"read","allow":true},{"assistant":"client:actor","right":"act","allow":true}]}`))
			if err != nil {
				t.Fatal(err)
			}
			p.engine.SetGrants(grants)
		}
		name := p.joined.Joined
		for client, rights := range map[string]string{"reader": "read", "actor": "read act", "stranger": ""} {
			token := n.token(user, map[string]any{"client_id": client})
			for _, x := range []struct{ method, name, params, want, right string }{
				{"resources/list", "", "", "note:a", "read"},
				{"resources/read", name + "+note:a", `"uri":"` + name + `+note:a"`, "secret", "read"},
				{"tools/list", "", "", `"` + name + `__act"`, "read"},
				{"tools/call", name + "__act", `"name":"` + name + `__act","arguments":{}`, "done", "act"},
			} {
				may := !guarded || strings.Contains(rights, x.right)
				if got := n.ask(token, "/mcp", x.method, x.name, x.params).body; strings.Contains(got, x.want) != may {
					t.Errorf("guarded %v, %s: %s is answered %s", guarded, client, x.method, got)
				}
			}
		}
	}
}
