package gateway

import (
	"slices"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Further changes of a resource while the answer is made are not named twice.
func TestDrainNamesEachResourceOnce(t *testing.T) {
	notifications := make(chan jsonrpc.Message, 4)
	for _, uri := range []string{"a:b", "a:c", "a:b", "a:c"} {
		notifications <- jsonrpc.Message{Method: "notifications/resources/updated", Params: []byte(`{"uri":"` + uri + `"}`)}
	}
	if got := drain("a:b", notifications); !slices.Equal(got, []string{"a:b", "a:c"}) {
		t.Errorf("%q", got)
	}
}
