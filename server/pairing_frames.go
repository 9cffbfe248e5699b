package server

import (
	"context"
	"encoding/base64"
	"net/http"
	"unicode/utf8"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// The frames of the pairing protocol: JSON text, binary values as base64url without padding.
//
//	page → gateway  opening    id of its secret or key, and the address it has dialled
//	gateway → page  challenge  the proof of the gateway
//	page → gateway  reply      the proof and the description of the page
//	gateway → page  welcome    the page is mounted; MCP follows, with the gateway as client
type (
	opening struct {
		Version int    `json:"pagemcp"`
		Nonce   string `json:"nonce"`
		Address string `json:"address"`
		Secret  string `json:"secret"` // id of a secret, or
		Key     string `json:"key"`    // id of a key
	}
	challenge struct {
		Gateway string `json:"gateway"`
		Nonce   string `json:"nonce"`
		Proof   string `json:"proof"`
	}
	reply struct {
		Proof string         `json:"proof"`
		Hello *gateway.Hello `json:"hello"`
		Pair  bool           `json:"pair"` // obtain a key only; no hello
		Open  string         `json:"open"` // at /watch: "watch" or an MCP path; no hello
		Key   string         `json:"key"`  // with a secret: the id that the page has chosen for its key

		Sequences bool `json:"sequences"` // with hello: the page reads several messages in one frame
	}
	welcome struct {
		Joined *string `json:"joined"` // name of the page; null after pairing only
		Key    string  `json:"key"`

		Sequences bool `json:"sequences,omitempty"` // the gateway reads several messages in one frame
	}
)

// A pairing lets documents join that know a secret, or a key derived from one.
type pairing struct {
	keys    *keyring
	names   *names
	gateway string                    // id
	full    func(origin string) error // why no further page can join; nil if one can
}

// Join implements gateway.Doorkeeper.
func (p *pairing) Join(ctx context.Context, f gateway.Frames, r *http.Request) (joiner gateway.Joiner, err error) {
	origin, address := r.Header.Get("Origin"), dialled(r)
	answer, keyID, err := p.exchangeProofs(ctx, f, origin, address, func(r *reply) bool {
		return r.Open == "" && (r.Hello == nil && r.Pair || r.Hello != nil && r.Hello.IsValid())
	})
	if err != nil {
		return joiner, err
	}
	if answer.Hello == nil {
		joiner.Welcome, err = json.Marshal(welcome{Key: keyID})
		return joiner, err
	}
	if err := p.full(origin); err != nil {
		return joiner, err
	}
	name := p.names.claim(ctx, origin, keyID, answer.Hello.Page, answer.Hello.Name)
	joiner = gateway.Joiner{
		Hello: *answer.Hello, Name: name, Profile: keyID, Sequences: answer.Sequences,
		Valid: func() bool { return p.keys.has(keyID) },
		Touch: func() { p.keys.touch(keyID) },
		Leave: func() { p.names.unclaim(name) },
	}
	joiner.Welcome, err = json.Marshal(welcome{Joined: &joiner.Name, Key: keyID, Sequences: answer.Sequences})
	return joiner, err
}

// dialled returns the URL of a WebSocket, as its client has dialled it.
func dialled(r *http.Request) string {
	if r.TLS != nil {
		return "wss://" + r.Host + r.URL.Path
	}
	return "ws://" + r.Host + r.URL.Path
}

// exchangeProofs exchanges the frames up to the reply of the page, which must satisfy
// valid. The proofs include address, so that a proof for one endpoint is invalid at
// another.
func (p *pairing) exchangeProofs(ctx context.Context, f gateway.Frames, origin, address string, valid func(*reply) bool) (answer reply, keyID string, err error) {
	var open opening
	if err := readFrame(ctx, f, &open); err != nil {
		return answer, "", err
	}
	if open.Version != 1 {
		return answer, "", gateway.ErrVersion
	}
	nonce, err := decodeBinary(open.Nonce)
	if err != nil || len(nonce) != nonceLength || open.Address != address {
		return answer, "", gateway.ErrRefused
	}
	attempt, err := p.keys.begin(origin, address, nonce, open.Secret, open.Key)
	if err != nil {
		return answer, "", err
	}
	err = writeFrame(ctx, f, challenge{
		Gateway: p.gateway,
		Nonce:   encodeBinary(attempt.transcript.gatewayNonce),
		Proof:   encodeBinary(attempt.proof()),
	})
	if err != nil {
		return answer, "", err
	}
	if err := readFrame(ctx, f, &answer); err != nil {
		return answer, "", err
	}
	proof, err := decodeBinary(answer.Proof)
	if err != nil || !valid(&answer) {
		return answer, "", gateway.ErrRefused
	}
	keyID, err = attempt.finish(proof, answer.Key)
	return answer, keyID, err
}

// readFrame reads one JSON text frame. Duplicate names are errors, and names are
// case-sensitive.
func readFrame(ctx context.Context, f gateway.Frames, value any) error {
	kind, data, err := f.Read(ctx)
	if err != nil {
		return err
	}
	if kind != websocket.MessageText || !utf8.Valid(data) {
		return gateway.ErrRefused
	}
	if json.Unmarshal(data, value) != nil {
		return gateway.ErrRefused
	}
	return nil
}

func writeFrame(ctx context.Context, f gateway.Frames, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return f.Write(ctx, websocket.MessageText, data)
}

func encodeBinary(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func decodeBinary(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
