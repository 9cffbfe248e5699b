package remote_test

import (
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// gatewayAbove is an engine whose only source is a Remote.
func gatewayAbove(t *testing.T, port jsonrpc.Port, info engine.Info, options engine.Options) *engine.Engine {
	r := remote.New()
	options.Extensions = []*engine.Extension{skill.Extension, task.Extension(nil)}
	e := engine.New(info, &options)
	if err := r.Reattach(t.Context(), port); err != nil {
		t.Fatal(err)
	}
	e.Mount("", r)
	t.Cleanup(r.Close)
	return e
}

func TestTranscriptsTwoEnginesDeep(t *testing.T) {
	enginetest.PlayTranscripts(t, "../../../testdata/transcripts", gatewayAbove, false)
}

func TestHostileEnvelopesTwoEnginesDeep(t *testing.T) {
	enginetest.PlayEnvelopes(t, "../../../testdata/envelopes.json", gatewayAbove)
}
