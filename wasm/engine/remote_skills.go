package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// HasSkills reports whether the other engine declares the extension.
func (r *Remote) HasSkills() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return jsonrpc.Member(r.extensions, ExtensionSkills) != nil
}

// Skills requests all skills, page by page.
func (r *Remote) Skills(ctx context.Context) ([]Skill, error) {
	if !r.HasSkills() {
		return nil, nil
	}
	return listOrCached(ctx, r, MethodListSkills, "", Change{List: true}, func(ctx context.Context, w *pager) (all []Skill, err error) {
		err = w.pages(ctx, "skills", func(object []byte) error {
			s, err := ParseSkill(object)
			if err == nil {
				all = append(all, s)
			}
			return err
		})
		return r.withoutNested(all), err
	}, func(a, b []Skill) bool { return slices.EqualFunc(a, b, sameSkill) })
}

// withoutNested removes skills in the directory of another one, and reports them: a client that
// stores both would mix their files.
func (r *Remote) withoutNested(all []Skill) []Skill {
	const file = "/skill.md"
	roots := map[string]bool{}
	for _, s := range all {
		roots[strings.TrimSuffix(strings.ToLower(s.URI), file)] = true
	}
	return slices.DeleteFunc(all, func(s Skill) bool {
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
func (r *Remote) Skill(ctx context.Context, uri string) (Skill, error) {
	if !r.HasSkills() {
		return Skill{}, ErrNotFound
	}
	result, err := unlessUnknown(r.call(ctx, MethodGetSkill, envelope(PrincipalOf(ctx), jsonrpc.AppendString([]byte(`"uri":`), uri))))
	if err != nil {
		return Skill{}, readError(err, false)
	}
	s, err := ParseSkill(jsonrpc.Member(result, "skill"))
	if err == nil && s.URI != uri {
		err = errors.New("the page answered with another skill")
	}
	return s, err
}

func sameSkill(a, b Skill) bool {
	return a.URI == b.URI && a.Dynamic == b.Dynamic && bytes.Equal(a.Frontmatter, b.Frontmatter) && slices.Equal(a.Files, b.Files)
}
