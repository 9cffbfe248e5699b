package server

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// The proof, byte by byte, as the page computes it in TypeScript too.
func TestProofIsTheDocumentedOne(t *testing.T) {
	t.Parallel()
	secret, nonce := make([]byte, 32), make([]byte, 32)
	for i := range secret {
		secret[i], nonce[i] = byte(i), byte(0x80+i)
	}
	key, err := deriveKey(secret, "gw", "https://app.example")
	if err != nil {
		t.Fatal(err)
	}
	spoken := transcript{nonce, secret, "https://app.example", "gw", "ws://127.0.0.1:8808/page"}
	for got, want := range map[string]string{
		hex.EncodeToString(key):                            testKeyHex,
		hex.EncodeToString(spoken.sign(key, gatewayLabel)): testGatewayProofHex,
		hex.EncodeToString(spoken.sign(key, pageLabel)):    testPageProofHex,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Computed with Python's hmac and hashlib from the description in
// testdata/wire.md.
const (
	testKeyHex          = "92252d852ba75f365384288b06826a59c3fa28d4927d246053e82968054ccf2b"
	testGatewayProofHex = "9de8ef518d6231a23184e1c528af4acbe682d01b02385a70a0283db90652e197"
	testPageProofHex    = "8969a06c161e85b2078a8751c79c72f973073badc298a4a2fb074904725a1334"
)

func testRing(t *testing.T) *keyring {
	t.Helper()
	ring, err := openKeyring(newTestState(t))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// pageSide returns a proof, which is right if secret is.
func pageSide(t *testing.T, a *attempt, secret string) []byte {
	t.Helper()
	bytes, err := decodeBinary(secret)
	if err != nil {
		t.Fatal(err)
	}
	key, err := deriveKey(bytes, a.ring.gateway, a.origin)
	if err != nil {
		t.Fatal(err)
	}
	return a.transcript.sign(key, pageLabel)
}

const testAddress = "ws://127.0.0.1:8808/page"

func begin(t *testing.T, ring *keyring, secret, key string) *attempt {
	t.Helper()
	a, err := ring.begin(testOrigin, testAddress, randomBytes(nonceLength), secret, key)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A secret is valid once, for two minutes, and deleted after five wrong proofs.
func TestSecretIsValidOnceForTwoMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ring := testRing(t)
		id, secret := ring.newSecret()
		if bytes, err := decodeBinary(secret); err != nil || len(bytes) < 16 {
			t.Fatalf("a secret of %d bytes, %v", len(bytes), err)
		}
		a := begin(t, ring, id, "")
		keyID, err := a.finish(pageSide(t, a, secret), "")
		if err != nil || keyID == "" {
			t.Fatal(keyID, err)
		}
		if _, err := ring.begin(testOrigin, testAddress, nil, id, ""); err != gateway.ErrRefused {
			t.Errorf("the second time: %v", err)
		}
		again := begin(t, ring, "", keyID)
		if _, err := again.finish(again.transcript.sign(again.key, gatewayLabel), ""); err != gateway.ErrRefused {
			t.Errorf("our own proof reflected: %v", err)
		}
		if _, err := again.finish(again.transcript.sign(again.key, pageLabel), ""); err != nil {
			t.Errorf("the key: %v", err)
		}
		if _, err := ring.begin("https://evil.example", testAddress, nil, "", keyID); err != gateway.ErrRefused {
			t.Errorf("another origin with the key's id: %v", err)
		}

		late, _ := ring.newSecret()
		time.Sleep(secretTTL)
		if _, err := ring.begin(testOrigin, testAddress, nil, late, ""); err != gateway.ErrRefused {
			t.Errorf("after two minutes: %v", err)
		}

		id, _ = ring.newSecret()
		for range maxWrongProofs {
			a := begin(t, ring, id, "")
			if _, err := a.finish(randomBytes(32), ""); err != gateway.ErrRefused {
				t.Errorf("a guess: %v", err)
			}
		}
		if _, err := ring.begin(testOrigin, testAddress, nil, id, ""); err != gateway.ErrRefused {
			t.Errorf("after five wrong ones: %v", err)
		}
	})
}

// Of several pages that use the same secret exactly one joins.
func TestOneSecretAdmitsOnePage(t *testing.T) {
	t.Parallel()
	for range 50 {
		ring := testRing(t)
		id, secret := ring.newSecret()
		var all []*attempt
		for range 8 {
			all = append(all, begin(t, ring, id, ""))
		}
		var won sync.Map
		var wait sync.WaitGroup
		for i, a := range all {
			proof := pageSide(t, a, secret)
			wait.Go(func() {
				if _, err := a.finish(proof, ""); err == nil {
					won.Store(i, true)
				}
			})
		}
		wait.Wait()
		n := 0
		won.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Fatalf("%d pages got in", n)
		}
	}
}

// Keys survive restarts and expire when unused. A change of the wall clock expires none
// that is in use.
func TestKeysExpireOnlyByDisuse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ring := testRing(t)
		id, secret := ring.newSecret()
		a := begin(t, ring, id, "")
		keyID, err := a.finish(pageSide(t, a, secret), "")
		if err != nil {
			t.Fatal(err)
		}
		reopen := func() *keyring {
			t.Helper()
			if err := ring.flush(); err != nil {
				t.Fatal(err)
			}
			again, err := openKeyring(ring.file.state)
			if err != nil {
				t.Fatal(err)
			}
			return again
		}
		time.Sleep(limits.KeyTTL - time.Hour)
		ring = reopen()
		ring.touch(keyID)
		time.Sleep(limits.KeyTTL - time.Hour)
		ring = reopen()
		begin(t, ring, "", keyID)
		time.Sleep(2 * time.Hour)
		if _, err := ring.begin(testOrigin, testAddress, nil, "", keyID); err != gateway.ErrRefused {
			t.Errorf("after %v without use: %v", limits.KeyTTL, err)
		}
		if ring = reopen(); len(ring.keys) != 0 {
			t.Error("it is still stored")
		}
	})
}

// invited returns the opening of a page of testOrigin with a new fragment, and the key
// that it derives from the secret.
func invited(t *testing.T, g *Gateway) (opening, []byte) {
	t.Helper()
	p := readFragment(t, g.Fragment())
	secret, err := decodeBinary(p.Secret)
	if err != nil {
		t.Fatal(err)
	}
	key, err := deriveKey(secret, g.keys.gateway, testOrigin)
	if err != nil {
		t.Fatal(err)
	}
	return opening{Version: 1, Address: p.URL, Secret: p.ID}, key
}

// Every wrong way to join gets the same response, and the gateway sends nothing before
// its proof.
func TestWrongJoinsAreRejectedAlike(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	address := "ws://127.0.0.1:" + strconv.Itoa(g.Port()) + "/page"
	page := newPage(t, testOrigin, "tab-1")
	nonce := encodeBinary(make([]byte, nonceLength))
	for name, try := range map[string]struct {
		change func(*opening)
		hello  gateway.Hello
		text   string // is sent instead
	}{
		"an unknown secret":                     {change: func(o *opening) { o.Secret = "AAAAAAAAAAA" }, hello: gateway.Hello{Page: "tab-1", Name: "notes"}},
		"another address":                       {change: func(o *opening) { o.Address = strings.Replace(address, "127.0.0.1", "localhost", 1) }, hello: gateway.Hello{Page: "tab-1", Name: "notes"}},
		"both a secret and a key":               {change: func(o *opening) { o.Key = "AAAA" }, hello: gateway.Hello{Page: "tab-1", Name: "notes"}},
		"no hello":                              {change: func(*opening) {}},
		"not JSON":                              {text: "hello"},
		"a name twice":                          {text: `{"pagemcp":1,"pagemcp":1}`},
		"a token for a hosted gateway":          {text: `{"pagemcp":1,"token":"a.b.c","hello":{"page":"tab-1","name":"notes"},"sequences":true}`},
		"a token after a nonce and the address": {text: `{"pagemcp":1,"nonce":"` + nonce + `","address":"` + address + `","token":"a.b.c"}`},
		"MCP at once":                           {text: `{"pagemcp":1,"jsonrpc":"2.0","id":1,"method":"ping"}`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			conn := page.dial(ctx, address)
			defer conn.CloseNow()
			var err error
			if try.text != "" {
				conn.Write(ctx, websocket.MessageText, []byte(try.text))
				_, _, err = conn.Read(ctx)
			} else {
				open, key := invited(t, g)
				try.change(&open)
				_, err = prove(ctx, conn, open, testOrigin, key, &try.hello)
			}
			if websocket.CloseStatus(err) != socket.CloseRefused {
				t.Errorf("%v", err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	conn := page.dial(ctx, address)
	defer conn.CloseNow()
	conn.Write(ctx, websocket.MessageText, []byte(`{"pagemcp":2}`))
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != socket.CloseVersion {
		t.Errorf("another version: %v", err)
	}
	big := page.dial(ctx, address)
	defer big.CloseNow()
	big.Write(ctx, websocket.MessageText, []byte(`{"pagemcp":1,"x":"`+strings.Repeat("a", limits.MaxHandshake)+`"}`))
	if _, _, err := big.Read(ctx); err == nil {
		t.Error("a large first frame was taken")
	}
	if _, pages := g.core.Views("").Count(); pages != 0 {
		t.Errorf("%d pages joined", pages)
	}
}

// A program on the former port of a gateway gets only messages for that address, and
// cannot relay them.
func TestSquatterCannotRelayProof(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	p := readFragment(t, g.Fragment())
	squatter := "ws://127.0.0.1:1/page" // the address that the page dialled
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	conn := newPage(t, testOrigin, "x").dial(ctx, "ws://127.0.0.1:"+strconv.Itoa(g.Port())+"/page")
	defer conn.CloseNow()
	if err := writeFrame(ctx, conn, opening{Version: 1, Nonce: encodeBinary(randomBytes(32)), Address: squatter, Secret: p.ID}); err != nil {
		t.Fatal(err)
	}
	var first challenge
	if err := readFrame(ctx, conn, &first); websocket.CloseStatus(err) != socket.CloseRefused || first.Proof != "" {
		t.Errorf("the gateway proved itself for an address that is not its own: %+v, %v", first, err)
	}
}

// Pairing without joining stores a key and mounts no page.
func TestPairingAloneMountsNothing(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab-1")
	first, key := invited(t, g)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	conn := page.dial(ctx, first.Address)
	defer conn.CloseNow()
	done, err := prove(ctx, conn, first, testOrigin, key, nil)
	if err != nil || done.Joined != nil || done.Key == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("then: %v", err)
	}
	page.keyID, page.key = done.Key, key
	page.join(g) // the key is good for the pages of the origin
	if page.name != "notes" {
		t.Errorf("joined as %q", page.name)
	}
}

// A page that is reloaded before it got the answer to its secret has the key by the id that it
// chose. No page can take the id of another key.
func TestPagesChooseTheIDsOfTheirKeys(t *testing.T) {
	t.Parallel()
	ring := testRing(t)
	chosen := randomText(16)
	id, secret := ring.newSecret()
	a := begin(t, ring, id, "")
	if got, err := a.finish(pageSide(t, a, secret), chosen); err != nil || got != chosen {
		t.Fatalf("%q, %v, want %q", got, err, chosen)
	}
	key := a.key
	again := begin(t, ring, "", chosen)
	if _, err := again.finish(again.transcript.sign(key, pageLabel), ""); err != nil {
		t.Errorf("the key by its chosen id: %v", err)
	}
	for _, wanted := range []string{chosen, "short", randomText(15), randomText(33), "not base64url, but of 32 bytes!!!"} {
		id, secret := ring.newSecret()
		a := begin(t, ring, id, "")
		if got, err := a.finish(pageSide(t, a, secret), wanted); err != gateway.ErrRefused {
			t.Errorf("the id %q: %q, %v", wanted, got, err)
		}
		if _, err := ring.begin(testOrigin, testAddress, randomBytes(nonceLength), id, ""); err != nil {
			t.Errorf("after the id %q the secret is used up: %v", wanted, err)
		}
	}
	if got := ring.keys[chosen]; got == nil || string(got.Key) != string(key) {
		t.Error("the key was replaced")
	}
}
