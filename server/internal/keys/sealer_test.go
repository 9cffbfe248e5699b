package keys

import (
	"bytes"
	"strings"
	"testing"
)

func testRing(t testing.TB, keys ...string) Ring {
	t.Helper()
	ring, err := Parse([]byte(strings.Join(keys, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestOnlyEqualPurposeAndContextOpen(t *testing.T) {
	key, old, foreign := New(), New(), New()
	text := []byte("text")
	sealed := testRing(t, old).Sealer("session").Seal(text, "ab", "c")
	for _, test := range []struct {
		what    string
		sealer  Sealer
		context []string
		want    bool
	}{
		{"the same", testRing(t, old).Sealer("session"), []string{"ab", "c"}, true},
		{"after a rotation", testRing(t, key, old).Sealer("session"), []string{"ab", "c"}, true},
		{"the key is gone", testRing(t, key).Sealer("session"), []string{"ab", "c"}, false},
		{"foreign keys", testRing(t, foreign, key).Sealer("session"), []string{"ab", "c"}, false},
		{"another purpose", testRing(t, old).Sealer("changes"), []string{"ab", "c"}, false},
		{"parts split elsewhere", testRing(t, old).Sealer("session"), []string{"a", "bc"}, false},
		{"one part", testRing(t, old).Sealer("session"), []string{"abc"}, false},
		{"a further part", testRing(t, old).Sealer("session"), []string{"ab", "c", ""}, false},
		{"no context", testRing(t, old).Sealer("session"), nil, false},
	} {
		if got, ok := test.sealer.Open(sealed, test.context...); ok != test.want || ok && !bytes.Equal(got, text) {
			t.Errorf("%s: %q, %t", test.what, got, ok)
		}
	}
}

// A purpose with another's name as its own prefix has other keys and other data.
func TestPurposesDoNotShareKeys(t *testing.T) {
	ring := testRing(t, New())
	seen := map[string]string{}
	for _, purpose := range []string{"session", "sessions", "changes", ""} {
		key := string(ring.Sealer(purpose).keys[0])
		if other, found := seen[key]; found {
			t.Errorf("%q and %q share a key", purpose, other)
		}
		seen[key] = purpose
	}
	if key := ring.State("owner")[0]; seen[string(key[:])] != "" {
		t.Error("the key of requestState seals")
	}
}

func TestSealedTextsDiffer(t *testing.T) {
	s := testRing(t, New()).Sealer("session")
	seen := map[string]bool{}
	for range 1_000 {
		salt := string(s.Seal([]byte("text"))[:sealSaltSize+sealNonceSize])
		if seen[salt] {
			t.Fatal("salt and nonce repeat")
		}
		seen[salt] = true
	}
}

func TestChangedTextsDoNotOpen(t *testing.T) {
	s := testRing(t, New(), New()).Sealer("session")
	sealed := s.Seal([]byte("the facts"), "context")
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			if text, ok := s.Open(changed, "context"); ok {
				t.Errorf("bit %d of byte %d: %q", bit, i, text)
			}
		}
	}
	for size := range len(sealed) {
		if _, ok := s.Open(sealed[:size], "context"); ok {
			t.Errorf("the first %d bytes open", size)
		}
		if _, ok := s.Open(sealed[size+1:], "context"); ok {
			t.Errorf("the last %d bytes open", len(sealed)-size-1)
		}
	}
	if _, ok := s.Open(append(bytes.Clone(sealed), 0), "context"); ok {
		t.Error("a longer text opens")
	}
	if text, ok := s.Open(sealed, "context"); !ok || string(text) != "the facts" {
		t.Errorf("unchanged: %q, %t", text, ok)
	}
}

func TestEmptyTextIsSealed(t *testing.T) {
	s := testRing(t, New()).Sealer("session")
	if text, ok := s.Open(s.Seal(nil)); !ok || len(text) != 0 {
		t.Errorf("%q, %t", text, ok)
	}
}
