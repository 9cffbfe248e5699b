package remote

import (
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A list that differs from the kept one in any member of an entry is a change.
func TestEachMemberOfAListCounts(t *testing.T) {
	listing := func(object string) engine.Listing {
		item, err := engine.Resources.Parse([]byte(object))
		if err != nil {
			t.Fatal(err)
		}
		return engine.Listing{Items: []engine.Item{item}}
	}
	plain := listing(`{"uri":"a:b","name":"n"}`)
	for _, member := range []string{
		`"title":"t"`, `"description":"d"`, `"mimeType":"text/plain"`, `"size":1`, `"annotations":{"priority":1}`,
		`"icons":[{"src":"https://a.example/"}]`, `"_meta":{"a":1}`, `"newer":true`,
	} {
		if other := listing(`{"uri":"a:b","name":"n",` + member + `}`); sameListing(plain, other) || !sameListing(other, other) {
			t.Errorf("%s makes no difference", member)
		}
	}
	if sameListing(plain, listing(`{"uri":"a:c","name":"n"}`)) || sameListing(plain, engine.Listing{Items: plain.Items, Next: "x"}) {
		t.Error("a key or a cursor makes no difference")
	}
}
