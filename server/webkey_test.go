package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"testing"
)

// The key survives a restart, and belongs to one state directory.
func TestWebKeyOutlivesTheGateway(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	key := func(dir string) *ecdsa.PrivateKey {
		t.Helper()
		g, err := New(Options{State: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close(context.Background())
		stored, err := g.webKey()
		if err != nil {
			t.Fatal(err)
		}
		key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), stored.Key)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	first := key(state)
	if !first.Equal(key(state)) {
		t.Error("another key after a restart")
	}
	if first.Equal(key(t.TempDir())) {
		t.Error("the same key in another directory")
	}
}
