package gateway

import (
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// The descriptions of the generated tools are valid Tool objects.
func TestResourceToolsAreWellFormed(t *testing.T) {
	for _, tool := range resourceToolList {
		parsed, err := engine.ParseTool([]byte(tool.description))
		if err != nil || parsed.Name != tool.name {
			t.Errorf("%s: %+v, %v", tool.name, parsed, err)
		}
	}
}
