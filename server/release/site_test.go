package release

import (
	"maps"
	"slices"
	"testing"
)

// Source maps are left out, with the comments that name them; other files stay as they are.
func TestWithoutSourceMaps(t *testing.T) {
	got := withoutSourceMaps(map[string][]byte{
		"web/a.js":      []byte("a()\n//# sourceMappingURL=a.js.map\n"),
		"web/a.js.map":  []byte("{}"),
		"web/b.css":     []byte("b{}\n/*# sourceMappingURL=b.css.map */\n"),
		"web/b.css.map": []byte("{}"),
		"web/c.js":      []byte("`\n//# sourceMappingURL=not-a-comment.map\n`\n"),
	})
	want := map[string]string{"web/a.js": "a()\n", "web/b.css": "b{}\n", "web/c.js": "`\n//# sourceMappingURL=not-a-comment.map\n`\n"}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Fatalf("%q", slices.Sorted(maps.Keys(got)))
	}
	for name, text := range want {
		if string(got[name]) != text {
			t.Errorf("%s: %q", name, got[name])
		}
	}
}
