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

// WebKey returns the key of the devserver.Web beside this gateway. It is stored in the
// state directory, so that pages that stay open during a restart recognize the web
// server.
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
