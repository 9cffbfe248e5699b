package remote

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// HasSkills reports whether the other engine declares the extension.
func (r *Remote) HasSkills() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return jsonrpc.Member(r.extensions, engine.ExtensionSkills) != nil
}

// whole returns the entries of a whole list: of skills, without those in the directory of another one, which it
// reports. A client that stores both would mix their files.
func (w *pager) whole() []engine.Item {
	if w.key.kind != engine.Skills {
		return w.items
	}
	const file = "/skill.md"
	roots := map[string]bool{}
	for _, s := range w.items {
		roots[strings.TrimSuffix(strings.ToLower(s.Key), file)] = true
	}
	return slices.DeleteFunc(w.items, func(s engine.Item) bool {
		dir := strings.TrimSuffix(strings.ToLower(s.Key), file)
		for i := strings.LastIndexByte(dir, '/'); i >= 0; i = strings.LastIndexByte(dir, '/') {
			if dir = dir[:i]; roots[dir] {
				w.remote.report(schema.Wrong("uri", "is in the directory of another skill: "+jsonrpc.Brief(s.Key)))
				return true
			}
		}
		return false
	})
}

// Skill requests the entry of a skill.
func (r *Remote) Skill(ctx context.Context, uri string) (engine.Item, error) {
	if !r.HasSkills() {
		return engine.Item{}, engine.ErrNotFound
	}
	result, err := unlessUnknown(r.call(ctx, engine.MethodGetSkill, envelope(engine.PrincipalOf(ctx), jsonrpc.AppendString([]byte(`"uri":`), uri))))
	if err != nil {
		return engine.Item{}, readError(err, false)
	}
	s, err := engine.ParseSkill(jsonrpc.Member(result, "skill"))
	if err == nil && s.Key != uri {
		err = errors.New("the page answered with another skill")
	}
	return s, err
}
