package server

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

const (
	secretTTL       = 120 * time.Second  // a secret is good for so long, once; security.md §7.2
	maxWrongProofs  = 5                  // proofs with one secret, before it is void
	nonceLength     = 32                 // bytes
	keySaveInterval = gateway.TouchEvery // how exactly the last use of a key is stored
)

// Labels of the two proofs: different, so that neither can be sent back as the
// other.
const (
	gatewayLabel = "pagemcp/1 gateway"
	pageLabel    = "pagemcp/1 page"
)

// A keyring holds the secrets that were handed out and the keys of pages that
// joined with one. A secret is passed once, out of band; from it and the page's
// origin both sides derive a key that stays. Neither ever travels.
type keyring struct {
	state   *state
	gateway string // id

	mu      sync.Mutex
	secrets map[string]*secret
	keys    map[string]*pageKey
	saved   time.Time
}

type secret struct {
	bytes       []byte
	created     time.Time
	wrongProofs int
}

// A pageKey is what one origin proves itself with.
type pageKey struct {
	ID     string    `json:"id"`
	Origin string    `json:"origin"`
	Key    []byte    `json:"key"`
	Used   time.Time `json:"used"` // while we run its monotonic part counts, so that a clock that jumps expires nothing

	created bool // made since the gateway started; not stored
}

func openKeyring(s *state, gateway string) (*keyring, error) {
	k := &keyring{state: s, gateway: gateway, secrets: map[string]*secret{}, keys: map[string]*pageKey{}}
	stored, _, err := load[[]*pageKey](s, "keys.json", "pages must be paired again", nil)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, key := range stored {
		if key == nil || len(key.Key) != sha256.Size { // an empty key would be one that anybody has
			continue
		}
		if key.Used.After(now) { // the clock was set back
			key.Used = now
		}
		if now.Sub(key.Used) < limits.KeyTTL {
			k.keys[key.ID] = key
		}
	}
	return k, nil
}

// newSecret returns a secret of 256 bits for one page, and its id, both as
// base64url.
func (k *keyring) newSecret() (id, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.secrets {
		if time.Since(s.created) >= secretTTL {
			delete(k.secrets, id)
		}
	}
	if len(k.secrets) >= limits.MaxSecrets { // nobody opens so many pages in two minutes
		clear(k.secrets)
	}
	s := &secret{bytes: randomBytes(32), created: time.Now()}
	id = randomText(8)
	k.secrets[id] = s
	return id, base64.RawURLEncoding.EncodeToString(s.bytes)
}

// An attempt is one page on its way in. Its key is either stored already, or
// derived from a secret that is still good.
type attempt struct {
	ring       *keyring
	key        []byte
	keyID      string // of a stored key
	secret     string // id of a secret
	origin     string
	transcript transcript
}

// A transcript is what both proofs are about, besides their labels.
type transcript struct {
	pageNonce, gatewayNonce  []byte
	origin, gateway, address string
}

// begin looks up what the page wants to prove itself with: the id of a secret or
// of a key. The address is the one that the page dialled, already compared with
// ours.
func (k *keyring) begin(origin, address string, pageNonce []byte, secretID, keyID string) (*attempt, error) {
	a := &attempt{ring: k, secret: secretID, keyID: keyID, origin: origin, transcript: transcript{
		pageNonce: pageNonce, gatewayNonce: randomBytes(nonceLength),
		origin: origin, gateway: k.gateway, address: address,
	}}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch s, key := k.secrets[secretID], k.keys[keyID]; {
	case secretID != "" && keyID != "":
		return nil, gateway.ErrRefused
	case s != nil && time.Since(s.created) < secretTTL && s.wrongProofs < maxWrongProofs:
		derived, err := deriveKey(s.bytes, k.gateway, origin)
		if err != nil {
			return nil, err
		}
		a.key = derived
	case key != nil && key.Origin == origin && time.Since(key.Used) < limits.KeyTTL:
		a.key = key.Key
	default:
		return nil, gateway.ErrRefused
	}
	return a, nil
}

// proof is the gateway's: it comes first, so that a stranger on our port gets
// nothing from a page.
func (a *attempt) proof() []byte { return a.transcript.sign(a.key, gatewayLabel) }

// finish checks the page's proof and returns the id of the key that the page
// keeps. Of several pages with one secret exactly one gets here.
func (a *attempt) finish(proof []byte) (keyID string, err error) {
	k := a.ring
	right := subtle.ConstantTimeCompare(proof, a.transcript.sign(a.key, pageLabel)) == 1
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.keyID != "" {
		key := k.keys[a.keyID]
		if !right || key == nil {
			return "", gateway.ErrRefused
		}
		return key.ID, k.use(key)
	}
	s := k.secrets[a.secret]
	if s == nil || s.wrongProofs >= maxWrongProofs || time.Since(s.created) >= secretTTL {
		return "", gateway.ErrRefused
	}
	if !right {
		if s.wrongProofs++; s.wrongProofs >= maxWrongProofs {
			delete(k.secrets, a.secret)
		}
		return "", gateway.ErrRefused
	}
	delete(k.secrets, a.secret) // void from here on, also if the page goes now
	key := &pageKey{ID: randomText(12), Origin: a.origin, Key: a.key, Used: time.Now(), created: true}
	k.keys[key.ID] = key
	return key.ID, k.save()
}

// madeNow says whether a key was made since the gateway started. Only such keys
// open /watch: a program that takes the port of the playground's web server while
// the gateway is away can use the keys that the browser keeps for that origin.
func (k *keyring) isNew(keyID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[keyID]
	return key != nil && key.created
}

// touch notes that the key is in use: a page that stays joined for days must
// not find itself locked out at its next reload.
func (k *keyring) touch(keyID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key := k.keys[keyID]; key != nil {
		k.use(key) // if it cannot be stored now, the next one will
	}
}

// use notes that a key is in use, and stores that from time to time. The wall
// clock counts too: a stored time that lies far behind would expire the key early
// if the clock is moved once more. The lock is held.
func (k *keyring) use(key *pageKey) error {
	now := time.Now()
	stale := now.Round(0).Sub(key.Used.Round(0)).Abs() >= keySaveInterval
	key.Used = now
	if !stale && time.Since(k.saved) < keySaveInterval {
		return nil
	}
	return k.save()
}

// flush stores when the keys were last used.
func (k *keyring) flush() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.keys) == 0 && k.saved.IsZero() {
		return nil
	}
	return k.save()
}

// save stores the keys that are still good. The lock is held.
func (k *keyring) save() error {
	k.saved = time.Now()
	maps.DeleteFunc(k.keys, func(_ string, key *pageKey) bool { return time.Since(key.Used) >= limits.KeyTTL })
	stored := slices.SortedFunc(maps.Values(k.keys), func(a, b *pageKey) int { return b.Used.Compare(a.Used) })
	for len(stored) > limits.MaxKeys {
		delete(k.keys, stored[len(stored)-1].ID)
		stored = stored[:len(stored)-1]
	}
	return k.state.save("keys.json", stored)
}

// deriveKey makes the key of one origin at one gateway. RFC 5869.
func deriveKey(secret []byte, gateway, origin string) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, []byte(gateway), "pagemcp/1 key "+origin, 32)
}

// sign is the proof of whoever has key and goes by label. Each part carries its
// length, so that no two transcripts are spelled alike.
func (t *transcript) sign(key []byte, label string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range [...][]byte{
		[]byte(label), t.pageNonce, t.gatewayNonce, []byte(t.origin), []byte(t.gateway), []byte(t.address),
	} {
		mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
		mac.Write(part)
	}
	return mac.Sum(nil)
}
