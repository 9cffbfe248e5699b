package remote_test

import (
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Every request of a Remote has the envelope, and it follows a page's cursors to
// the end of each list. R-368 R-377.
func TestRemoteSpeaksAsAClientMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := enginetest.Offering
		options.PageSize = 1
		h := &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), wire: &wire{}}
		h.page.Mount("", enginetest.NotesOf(t, "a", "b", "c"))
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []engine.Kind{engine.Prompts, engine.Tools, engine.Templates} {
			if listing, err := r.List(t.Context(), kind, ""); len(listing.Items) != 3 || err != nil {
				t.Errorf("%s: %v, %v", kind.Method, listing, err)
			}
		}
		if _, err := r.CallTool(t.Context(), "a", []byte("{}")); err != nil {
			t.Error(err)
		}
		if _, err := r.GetPrompt(t.Context(), "a", []byte("{}")); err != nil {
			t.Error(err)
		}
		if _, err := r.Complete(t.Context(), engine.CompletionRequest{Prompt: "a", Argument: "a"}); err != nil {
			t.Error(err)
		}
		for _, msg := range h.wire.sent {
			meta := jsonrpc.Member(jsonrpc.Member([]byte(msg), "params"), "_meta")
			if string(jsonrpc.Member(meta, "io.modelcontextprotocol/protocolVersion")) != `"2026-07-28"` ||
				jsonrpc.Member(meta, "io.modelcontextprotocol/clientCapabilities") == nil {
				t.Errorf("without envelope: %s", msg)
			}
		}
		if len(h.wire.sent) < 13 {
			t.Errorf("only %d requests", len(h.wire.sent))
		}
		r.Close()
	})
}
