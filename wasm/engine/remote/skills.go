package remote

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// HasSkills reports whether the other engine declares the extension.
func (r *Remote) HasSkills() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return jsonrpc.Member(r.extensions, engine.ExtensionSkills) != nil
}

// Skills requests all skills, page by page.
func (r *Remote) Skills(ctx context.Context) ([]engine.Skill, error) {
	if !r.HasSkills() {
		return nil, nil
	}
	return listOrCached(ctx, r, engine.MethodListSkills, "", engine.Change{List: true}, func(ctx context.Context, w *pager) (all []engine.Skill, err error) {
		err = w.pages(ctx, "skills", func(object []byte) error {
			s, err := engine.ParseSkill(object)
			if err == nil {
				all = append(all, s)
			}
			return err
		})
		return r.withoutNested(all), err
	}, func(a, b []engine.Skill) bool { return slices.EqualFunc(a, b, sameSkill) })
}

// withoutNested removes skills in the directory of another one, and reports them: a client that
// stores both would mix their files.
func (r *Remote) withoutNested(all []engine.Skill) []engine.Skill {
	const file = "/skill.md"
	roots := map[string]bool{}
	for _, s := range all {
		roots[strings.TrimSuffix(strings.ToLower(s.URI), file)] = true
	}
	return slices.DeleteFunc(all, func(s engine.Skill) bool {
		dir := strings.TrimSuffix(strings.ToLower(s.URI), file)
		for i := strings.LastIndexByte(dir, '/'); i >= 0; i = strings.LastIndexByte(dir, '/') {
			if dir = dir[:i]; roots[dir] {
				r.report(schema.Wrong("uri", "is in the directory of another skill: "+jsonrpc.Brief(s.URI)))
				return true
			}
		}
		return false
	})
}

// Skill requests the entry of a skill.
func (r *Remote) Skill(ctx context.Context, uri string) (engine.Skill, error) {
	if !r.HasSkills() {
		return engine.Skill{}, engine.ErrNotFound
	}
	result, err := unlessUnknown(r.call(ctx, engine.MethodGetSkill, envelope(engine.PrincipalOf(ctx), jsonrpc.AppendString([]byte(`"uri":`), uri))))
	if err != nil {
		return engine.Skill{}, readError(err, false)
	}
	s, err := engine.ParseSkill(jsonrpc.Member(result, "skill"))
	if err == nil && s.URI != uri {
		err = errors.New("the page answered with another skill")
	}
	return s, err
}

func sameSkill(a, b engine.Skill) bool {
	return a.URI == b.URI && a.Dynamic == b.Dynamic && bytes.Equal(a.Frontmatter, b.Frontmatter) && slices.Equal(a.Files, b.Files)
}
