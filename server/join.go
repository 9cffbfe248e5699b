package server

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
)

// The frames of joining, JSON text, binary values as base64url without padding:
//
//	page → gateway  opening    what it proves itself with, and the address it dialled
//	gateway → page  challenge  the gateway proves first
//	page → gateway  reply      the page's proof, and who it is
//	gateway → page  welcome    from here on MCP, with the gateway as client
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
		Proof string `json:"proof"`
		Hello *hello `json:"hello"`
		Pair  bool   `json:"pair"` // keep the key and go; no hello
		Open  string `json:"open"` // at /watch: what for; no hello
	}
	welcome struct {
		Joined *string `json:"joined"` // the page's name; null after pairing alone
		Key    string  `json:"key"`
	}
)

// A hello is what a page says of itself, once it has proved that it may speak.
// Its origin is not in it: that is the browser's to say.
type hello struct {
	Page     string `json:"page"`     // id of the tab, through reloads
	Instance string `json:"instance"` // id of the document
	Name     string `json:"name"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Engine   string `json:"engine"` // version
}

var errVersion = errors.New("unsupported version")

// servePage is where pages join. It is the most dangerous door: any web site can
// open a WebSocket to this machine. So the origin has to be on the list before
// the upgrade, and nothing is said about resources before both proofs.
func (g *Gateway) servePage(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !g.guard.listed(origin) {
		g.guard.refuse(w, r)
		return
	}
	conn, leave := g.openDoor(w, r, origin, pageProtocol)
	if conn == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime) // over it the connection is closed
	who, err := g.handshake(ctx, conn, origin, "ws://"+r.Host+"/page")
	cancel()
	if err == nil {
		known(r)
	}
	switch {
	case errors.Is(err, errVersion):
		conn.Close(closeVersion, "unsupported version")
		g.audit.note(entry{Who: origin, Door: "/page", Verb: "join", Outcome: "version"})
	case err != nil:
		conn.Close(closeRefused, "refused")
		g.audit.note(entry{Who: origin, Door: "/page", Verb: "join", Outcome: "refused"})
	case who.name == "":
		conn.Close(websocket.StatusNormalClosure, "")
		g.audit.note(entry{Who: origin, Door: "/page", Verb: "pair", Outcome: "ok"})
	default:
		g.host(conn, origin, who)
	}
	if who.name != "" {
		g.names.left(who.name)
	}
}

// openDoor upgrades to a WebSocket of one of our own protocols for a page of
// origin. Without a connection the answer has been given.
func (g *Gateway) openDoor(w http.ResponseWriter, r *http.Request, origin, protocol string) (conn *websocket.Conn, leave func()) {
	if !wantsUpgrade(w, r) {
		return nil, nil
	}
	leave, ok := g.sockets.enter(origin)
	if !ok {
		g.tooManySockets(w, entry{Who: origin, Door: r.URL.Path})
		return nil, nil
	}
	// A browser wants to hear one of the subprotocols that it asked for, else it
	// shows its page no close code.
	asked := strings.TrimSpace(strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",")[0])
	conn, err := accept(w, r, protocol, asked)
	if err != nil { // it has answered
		leave()
		return nil, nil
	}
	if conn.Subprotocol() != protocol {
		conn.Close(closeVersion, "unsupported version")
		leave()
		return nil, nil
	}
	return conn, leave
}

// A joiner is a page that has proved itself.
type joiner struct {
	hello hello
	name  string // given by us, claimed until its socket is gone; empty: it only wanted to pair
	keyID string
}

// handshake does what has to be done before a page is believed. Whatever goes
// wrong, the page learns no more than that it was refused.
func (g *Gateway) handshake(ctx context.Context, conn *websocket.Conn, origin, address string) (who joiner, err error) {
	answer, keyID, err := g.prove(ctx, conn, origin, address, func(r *reply) bool {
		return r.Open == "" && (r.Hello == nil && r.Pair || r.Hello != nil && r.Hello.isValid())
	})
	if err != nil {
		return who, err
	}
	who.keyID = keyID
	if answer.Hello == nil {
		return who, writeFrame(ctx, conn, welcome{Key: who.keyID})
	}
	who.hello = *answer.Hello
	who.name = g.names.claim(origin, who.hello.Page, who.hello.Name)
	return who, writeFrame(ctx, conn, welcome{Joined: &who.name, Key: who.keyID})
}

// prove exchanges both proofs, up to the page's reply, which has to be valid. The
// address is part of them: what proves something at one door does not at another.
func (g *Gateway) prove(ctx context.Context, conn *websocket.Conn, origin, address string, valid func(*reply) bool) (answer reply, keyID string, err error) {
	conn.SetReadLimit(maxHandshake)
	var open opening
	if err := readFrame(ctx, conn, &open); err != nil {
		return answer, "", err
	}
	if open.Version != 1 {
		return answer, "", errVersion
	}
	nonce, err := decodeBinary(open.Nonce)
	if err != nil || len(nonce) != nonceLength || open.Address != address {
		return answer, "", errRefused
	}
	try, err := g.keys.begin(origin, address, nonce, open.Secret, open.Key)
	if err != nil {
		return answer, "", err
	}
	err = writeFrame(ctx, conn, challenge{
		Gateway: g.identity.Gateway,
		Nonce:   encodeBinary(try.proven.gatewayNonce),
		Proof:   encodeBinary(try.proof()),
	})
	if err != nil {
		return answer, "", err
	}
	if err := readFrame(ctx, conn, &answer); err != nil {
		return answer, "", err
	}
	proof, err := decodeBinary(answer.Proof)
	if err != nil || !valid(&answer) {
		return answer, "", errRefused
	}
	keyID, err = try.finish(proof)
	return answer, keyID, err
}

func (h *hello) isValid() bool {
	return h.Page != "" && len(h.Page) <= 128 && len(h.Instance) <= 128 && len(h.Name) <= 512
}

// readFrame reads one small JSON text frame. Names count once, in their case.
func readFrame(ctx context.Context, conn *websocket.Conn, value any) error {
	kind, data, err := conn.Read(ctx)
	if err != nil {
		return err
	}
	if kind != websocket.MessageText || !utf8.Valid(data) {
		return errRefused
	}
	if json.Unmarshal(data, value) != nil {
		return errRefused
	}
	return nil
}

func writeFrame(ctx context.Context, conn *websocket.Conn, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, data)
}

func encodeBinary(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func decodeBinary(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
