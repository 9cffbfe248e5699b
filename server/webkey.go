package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
)

const webKeyFile = "web.json"

// A webKey authenticates the web server to the pages it has served.
type webKey struct {
	Key []byte `json:"key"` // of ECDSA P-256, the private scalar
}

func (k *webKey) check() error {
	_, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), k.Key)
	return err
}

// webKey returns the stored key, or a new one: see [Control.WebKey].
func (g *Gateway) webKey() (webKey, error) {
	stored, found, err := load(g.state, webKeyFile, "open pages do not reload themselves", (*webKey).check)
	if err != nil || found {
		return stored, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return stored, err
	}
	if stored.Key, err = key.Bytes(); err != nil {
		return stored, err
	}
	return stored, g.state.save(webKeyFile, stored)
}
