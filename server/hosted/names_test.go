package hosted

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// Names are in URIs that assistants keep: an upgrade must not change them.
func TestPageNamesAreTheSameInEachRelease(t *testing.T) {
	t.Parallel()
	owner := oauth.OwnerKey("acme", "alice")
	for _, row := range []struct{ origin, page, requested, want string }{
		{"https://app.example", "p1", "Notes", "notes-r3hqsn"},
		{"https://app.example", "p2", "Notes", "notes-mq6bjz"},
		{"https://b.app.example", "p1", "Notes", "notes-zaclts"},
		{"https://app.example", "p1", "", "page-r3hqsn"},
		{"https://app.example", "p1", "日本", "page-r3hqsn"},
		{"https://app.example", "p1", "a+b.c/d*e>f\x00g", "a-b-c-d-e-f-g-r3hqsn"},
		{"https://app.example", "p1", strings.Repeat("x", 100), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-r3hqsn"},
		{"https://app.example", "p1", strings.Repeat("x", 32) + "-y", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-r3hqsn"},
	} {
		if got := pageName(owner, row.origin, row.page, row.requested); got != row.want {
			t.Errorf("%q of %s, page %s: %q, want %q", row.requested, row.origin, row.page, got, row.want)
		}
	}
}

// Whatever a page declares, and whatever an issuer calls its users, the name is a segment
// of a URL, a prefix and a part of a NATS subject.
func TestPageNamesAreValidAndDistinct(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		bytes := make([]byte, random.IntN(80))
		for i := range bytes {
			bytes[i] = byte(random.IntN(256))
		}
		return string(bytes)
	}
	shape := regexp.MustCompile(`^[a-z][a-z0-9-]{0,40}-[a-z2-7]{6}$`)
	marks := map[string]string{}
	for i := range 2_000 {
		owner := oauth.OwnerKey(text(), text())
		origin, page, requested := text(), fmt.Sprint(i), text()
		name := pageName(owner, origin, page, requested)
		if !shape.MatchString(name) || !access.ValidName(name) || len(name) > 41+7 {
			t.Fatalf("%q becomes %q", requested, name)
		}
		if escaped := url.PathEscape(name); escaped != name {
			t.Fatalf("in a URL %q is %q", name, escaped)
		}
		if again := pageName(owner, origin, page, requested); again != name {
			t.Fatalf("%q, then %q", name, again)
		}
		mark := name[len(name)-pageMark:]
		if other, found := marks[mark]; found {
			t.Fatalf("%q and %q end alike", name, other)
		}
		marks[mark] = name
	}
}
