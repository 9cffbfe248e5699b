package engine_test

import (
	"flag"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

var update = flag.Bool("update", false, "rewrite what the engine sends in the transcripts")

func TestTranscripts(t *testing.T) {
	enginetest.PlayTranscripts(t, "../../testdata/transcripts", nil, *update)
}

// R-001….
func TestHostileEnvelopes(t *testing.T) {
	enginetest.PlayEnvelopes(t, "../../testdata/envelopes.json", nil)
}
