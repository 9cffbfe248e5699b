package remote_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/remote"
)

// What pages publish is bounded for each page, each owner and in all. What was read least recently goes first,
// and a page takes no room of another page of the same owner before the owner's room is full.
func TestAMirrorIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	const kilobytes = 60
	large := value("notes://0", strings.Repeat("x", kilobytes<<10))
	mirror := remote.NewMirror()
	var owners [][]*remote.Remote
	for range 12 { // 12 × 32 MiB are more than the process keeps
		share := mirror.Share()
		var pages []*remote.Remote
		for range 10 { // 10 × 4 MiB are more than the owner's
			r := remote.New()
			r.MirrorIn(share)
			pages = append(pages, r)
			for i := range 80 { // 80 × 60 KiB are more than the page's
				remote.KeepValue(r, fmt.Sprintf("notes://%d", i), large)
				if i > 0 && !remote.HasValue(r, "notes://0") {
					t.Fatalf("the value that is read again and again was dropped for that of %d", i)
				}
			}
		}
		owners = append(owners, pages)
	}
	page, _, all := remote.Mirrored(owners[11][9])
	_, owner, _ := remote.Mirrored(owners[11][0])
	for _, bound := range []struct {
		what       string
		kept, most int
	}{{"page", page, remote.MaxMirroredOfPage}, {"owner", owner, remote.MaxMirroredOfOwner}, {"process", all, remote.MaxMirrored}} {
		if bound.kept > bound.most || bound.kept < bound.most-2*(kilobytes+2)<<10 {
			t.Errorf("the %s keeps %d bytes of at most %d", bound.what, bound.kept, bound.most)
		}
	}
	if remote.HasValue(owners[0][9], "notes://0") || !remote.HasValue(owners[11][9], "notes://0") {
		t.Error("the owner that was served last makes room for the first one")
	}
	remote.KeepValue(owners[11][9], "notes://large", value("notes://large", strings.Repeat("x", remote.MaxMirroredValue)))
	if remote.HasValue(owners[11][9], "notes://large") {
		t.Error("a value above the limit is kept")
	}
	for _, pages := range owners {
		for _, r := range pages {
			r.Close()
		}
	}
	if page, owner, all := remote.Mirrored(owners[11][9]); page+owner+all != 0 {
		t.Errorf("after all pages have gone %d, %d and %d bytes count", page, owner, all)
	}
}
