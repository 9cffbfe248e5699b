package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
)

const webKeyFile = "web.json"

// A webKey is what the web server proves itself with to the pages that it has sent.
type webKey struct {
	Key []byte `json:"key"` // of ECDSA P-256, the private scalar
}

func (k *webKey) check() error {
	_, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), k.Key)
	return err
}

// WebKey is the key of a [Web] beside this gateway. It is kept in the state directory, so that pages that were
// open while both were away know them again.
func (g *Gateway) WebKey() (*ecdsa.PrivateKey, error) {
	stored, found, err := load(g.state, webKeyFile, "open pages do not reload themselves", (*webKey).check)
	if err != nil {
		return nil, err
	}
	if found {
		return ecdsa.ParseRawPrivateKey(elliptic.P256(), stored.Key)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if stored.Key, err = key.Bytes(); err != nil {
		return nil, err
	}
	return key, g.state.save(webKeyFile, stored)
}
