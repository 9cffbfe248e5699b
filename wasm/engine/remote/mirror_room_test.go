package remote_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine/remote"
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

// 1,000 pages with 100 values of 1 KB each: with 100 owners all are kept, with one owner those that were read last. The counted bytes are at least the used memory.
func TestAThousandPagesOfAHundredValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	published := value("notes://cart/items/00", strings.Repeat("x", 1000))
	uri := func(i int) string { return fmt.Sprintf("notes://cart/items/%02d", i) }
	for _, owners := range []int{100, 1} {
		before := heap()
		mirror := remote.NewMirror()
		shares := make([]*remote.MirrorShare, owners)
		for i := range shares {
			shares[i] = mirror.Share()
		}
		var pages []*remote.Remote
		for i := range 1000 {
			r := remote.New()
			r.MirrorIn(shares[i%owners])
			for value := range 100 {
				remote.KeepValue(r, uri(value), published)
			}
			if pages = append(pages, r); !remote.HasValue(pages[0], uri(0)) {
				t.Fatalf("%d owners: the value that is read again and again was dropped for those of page %d", owners, i)
			}
		}
		_, owner, all := remote.Mirrored(pages[999])
		took := int(heap() - before)
		kept := 0
		for i, r := range pages {
			for value := range 100 {
				if has := remote.HasValue(r, uri(value)); has {
					kept++
				} else if i == 999 || owners == 100 {
					t.Errorf("%d owners: value %d of page %d is not kept", owners, value, i)
				}
			}
		}
		t.Logf("%d owners: %d values, which count for %d bytes and take %d", owners, kept, all, took)
		switch most := remote.MaxMirroredOfOwner; {
		case all > remote.MaxMirrored || owner > most || took > all+1000*2048: // a Remote itself takes up to 2 KiB
			t.Errorf("%d owners: %d bytes are kept, %d of one owner; they take %d", owners, all, owner, took)
		case owners == 1 && (owner < most-8<<10 || kept > most/2048 || kept < most/3072):
			t.Errorf("one owner keeps %d values of %d bytes, of at most %d bytes", kept, owner, most)
		}
		for _, r := range pages {
			r.Close()
		}
	}
}

// BenchmarkMirrorMemory fills the mirrors of 1,000 pages of 100 owners with 100 values of 1 KB each, and
// reports what is kept, what it counts for, and what it takes.
func BenchmarkMirrorMemory(b *testing.B) {
	result := value("notes://cart/items/00", strings.Repeat("x", 1000))
	for b.Loop() {
		before := heap()
		mirror := remote.NewMirror()
		var pages []*remote.Remote
		kept := 0
		for range 100 {
			share := mirror.Share()
			for range 10 {
				r := remote.New()
				r.MirrorIn(share)
				pages = append(pages, r)
				for i := range 100 {
					remote.KeepValue(r, fmt.Sprintf("notes://cart/items/%02d", i), result)
				}
			}
		}
		took := heap() - before
		for _, r := range pages {
			for i := range 100 {
				if remote.HasValue(r, fmt.Sprintf("notes://cart/items/%02d", i)) {
					kept++
				}
			}
		}
		_, _, counted := remote.Mirrored(pages[0])
		b.ReportMetric(float64(kept), "values")
		b.ReportMetric(float64(took)/float64(kept), "B/value")
		b.ReportMetric(float64(counted)/float64(kept), "counted/value")
		b.ReportMetric(float64(took)/(1<<20), "MiB")
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
