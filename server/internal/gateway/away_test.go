package gateway

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// The node that has a page cannot be dialled: a read waits for the grace time once, although
// two sources are tried, at /mcp and at /mcp/{page}. A later read waits again.
func TestReadsOfPageThatIsNeverLinkedWaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := newClustered(t, heldBy("b", 1, HeldThere))
		read, _ := reader(t, g)
		alone := readerAt(t, g, "/mcp/notes", "notes://cart")
		for range 2 {
			for path, read := range map[string]func() string{"/mcp": read, "/mcp/notes": alone} {
				began := time.Now()
				if got := read(); got != "The page is away" || time.Since(began) != limits.GraceTime {
					t.Errorf("read at %s: %q after %v", path, got, time.Since(began))
				}
			}
		}
	})
}
