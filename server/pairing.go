package server

import (
	"cmp"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

const (
	secretTTL       = 120 * time.Second  // validity of a secret, which can be used once
	maxWrongProofs  = 5                  // wrong proofs after which a secret is deleted
	nonceLength     = 32                 // bytes
	keySaveInterval = gateway.TouchEvery // how often the last use of a key is stored
)

// Labels of the two proofs. They differ, so that a proof cannot be reflected.
const (
	gatewayLabel = "pagemcp/1 gateway"
	pageLabel    = "pagemcp/1 page"
)

// A keyring holds the unused secrets and the keys of pages. The user passes a secret to
// a page out of band, in a URL fragment; page and gateway derive a key from it and the
// origin of the page. Neither secret nor key is sent over the WebSocket.
type keyring struct {
	file    doc
	gateway string // id across restarts, which pages store with their keys; 16 random bytes

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

// A pageKey authenticates pages of one origin.
type pageKey struct {
	ID     string    `json:"id"`
	Origin string    `json:"origin"`
	Key    []byte    `json:"key"`
	Used   time.Time `json:"used"` // compared by the monotonic clock, so that changes of the wall clock expire nothing

	created bool // by this process; not stored
}

const keysFile = "keys.json"

// storedKeys is what the file has: without the id of the gateway its keys are worth nothing.
type storedKeys struct {
	Gateway string     `json:"gateway"`
	Keys    []*pageKey `json:"keys"`
}

func (s *storedKeys) check() error {
	if s.Gateway == "" {
		return errors.New("the file contains no id of the gateway")
	}
	return nil
}

func openKeyring(s *state) (*keyring, error) {
	stored, found, err := load(s, keysFile, "pages must be paired again", (*storedKeys).check)
	if err != nil {
		return nil, err
	}
	k := &keyring{gateway: cmp.Or(stored.Gateway, randomText(16)), secrets: map[string]*secret{}, keys: map[string]*pageKey{}}
	k.file = doc{state: s, name: keysFile, snapshot: k.snapshot}
	if !found {
		if err := k.file.save(); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	for _, key := range stored.Keys {
		if key == nil || len(key.Key) != sha256.Size { // an attacker knows the empty key
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

// newSecret returns the id and text of a new 256-bit secret for one page, as base64url.
func (k *keyring) newSecret() (id, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.secrets {
		if time.Since(s.created) >= secretTTL {
			delete(k.secrets, id)
		}
	}
	if len(k.secrets) >= limits.MaxSecrets { // more than any user needs within secretTTL
		clear(k.secrets)
	}
	s := &secret{bytes: randomBytes(32), created: time.Now()}
	id = randomText(8)
	k.secrets[id] = s
	return id, base64.RawURLEncoding.EncodeToString(s.bytes)
}

// An attempt is a page that is authenticating itself, with a stored key or one derived
// from a secret.
type attempt struct {
	ring       *keyring
	key        []byte
	keyID      string // of a stored key; empty with a secret
	secret     string // id of a secret; empty with a key
	origin     string
	transcript transcript
}

// A transcript is what both proofs sign, besides their labels.
type transcript struct {
	pageNonce, gatewayNonce  []byte
	origin, gateway, address string
}

// begin looks up the secret or key that the page names. address is the URL that the page
// has dialled; the caller has compared it with the address of this gateway.
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

// proof returns the proof of the gateway. It is sent first, so that another program on
// the port of the gateway gets nothing from a page.
func (a *attempt) proof() []byte { return a.transcript.sign(a.key, gatewayLabel) }

// finish verifies the proof of the page and returns the id of its key. If several pages
// use one secret, one of them succeeds. wanted is the id that the page has chosen for a key of a
// secret: a page that was reloaded before it got the answer then has that key. "" is a new one.
func (a *attempt) finish(proof []byte, wanted string) (keyID string, err error) {
	keyID, isDue, err := a.verify(proof, wanted)
	if isDue {
		a.ring.save()
	}
	return keyID, err
}

// verify is finish in memory. isDue: the keys are to be saved.
func (a *attempt) verify(proof []byte, wanted string) (keyID string, isDue bool, err error) {
	k := a.ring
	right := subtle.ConstantTimeCompare(proof, a.transcript.sign(a.key, pageLabel)) == 1
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.keyID != "" {
		key := k.keys[a.keyID]
		if !right || key == nil {
			return "", false, gateway.ErrRefused
		}
		return key.ID, k.use(key), nil
	}
	s := k.secrets[a.secret]
	if s == nil || s.wrongProofs >= maxWrongProofs || time.Since(s.created) >= secretTTL {
		return "", false, gateway.ErrRefused
	}
	if !right {
		if s.wrongProofs++; s.wrongProofs >= maxWrongProofs {
			delete(k.secrets, a.secret)
		}
		return "", false, gateway.ErrRefused
	}
	if wanted == "" {
		wanted = randomText(12)
	} else if !isKeyID(wanted) || k.keys[wanted] != nil {
		return "", false, gateway.ErrRefused
	}
	delete(k.secrets, a.secret) // used, even if the page disconnects now
	key := &pageKey{ID: wanted, Origin: a.origin, Key: a.key, Used: time.Now(), created: true}
	k.keys[key.ID] = key
	return key.ID, true, nil
}

// isKeyID reports whether a page may choose an id for its key: 16 to 32 bytes, as base64url.
func isKeyID(text string) bool {
	id, err := decodeBinary(text)
	return err == nil && len(id) >= 16 && len(id) <= 32
}

// isNew reports whether a key was made by this process. Only such keys are valid at
// /watch: a program that takes the port of the playground while the gateway is stopped
// could use keys that the browser has stored for that origin.
func (k *keyring) isNew(keyID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[keyID]
	return key != nil && key.created
}

// has reports whether a key is still valid.
func (k *keyring) has(keyID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[keyID] != nil
}

// touch records that a key is in use, so that a page that stays joined for days can
// still reload.
func (k *keyring) touch(keyID string) {
	if k.markUsed(keyID) {
		k.save()
	}
}

func (k *keyring) markUsed(keyID string) (isDue bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[keyID]
	return key != nil && k.use(key)
}

// use records that a key is in use. That is to be saved every keySaveInterval, or if the
// wall clock has moved: a stored time far in the past would expire the key early. The
// caller holds the lock.
func (k *keyring) use(key *pageKey) (isDue bool) {
	now := time.Now()
	stale := now.Round(0).Sub(key.Used.Round(0)).Abs() >= keySaveInterval
	key.Used = now
	return stale || time.Since(k.saved) >= keySaveInterval
}

// flush stores when the keys were last used.
func (k *keyring) flush() error {
	if k.isEmpty() {
		return nil
	}
	return k.file.save()
}

// isEmpty reports whether there are no keys, and were none.
func (k *keyring) isEmpty() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.keys) == 0 && k.saved.IsZero()
}

// revoke deletes the keys of the origins that selects accepts, and all secrets that are
// not used yet, since they are valid for every origin. It returns the number of keys.
func (k *keyring) revoke(selects func(origin string) bool) (count int, err error) {
	return k.remove(selects), k.file.save()
}

func (k *keyring) remove(selects func(origin string) bool) (count int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := len(k.keys)
	maps.DeleteFunc(k.keys, func(_ string, key *pageKey) bool { return selects(key.Origin) })
	clear(k.secrets)
	return before - len(k.keys)
}

// origins returns the origins that have a key, sorted. The user has allowed each of them once.
func (k *keyring) origins() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := map[string]bool{}
	for _, key := range k.keys {
		found[key.Origin] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// uses returns the number of keys of each origin, and when one of them was last used.
func (k *keyring) uses() (keys map[string]int, last map[string]time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, last = map[string]int{}, map[string]time.Time{}
	for _, key := range k.keys {
		keys[key.Origin]++
		if key.Used.After(last[key.Origin]) {
			last[key.Origin] = key.Used
		}
	}
	return keys, last
}

// save stores the keys. A page whose key cannot be stored joins nevertheless.
func (k *keyring) save() {
	if err := k.file.save(); err != nil {
		k.file.state.log.Warn("the keys of pages are not kept when the gateway ends: free some space", "error", err)
	}
}

// snapshot returns the keys that have not expired.
func (k *keyring) snapshot() any {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.saved = time.Now()
	maps.DeleteFunc(k.keys, func(_ string, key *pageKey) bool { return time.Since(key.Used) >= limits.KeyTTL })
	stored := slices.SortedFunc(maps.Values(k.keys), func(a, b *pageKey) int { return b.Used.Compare(a.Used) })
	for len(stored) > limits.MaxKeys {
		delete(k.keys, stored[len(stored)-1].ID)
		stored = stored[:len(stored)-1]
	}
	all := storedKeys{k.gateway, make([]*pageKey, len(stored))}
	for i, key := range stored {
		copied := *key
		all.Keys[i] = &copied
	}
	return all
}

// deriveKey derives the key of one origin at one gateway. RFC 5869.
func deriveKey(secret []byte, gateway, origin string) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, []byte(gateway), "pagemcp/1 key "+origin, 32)
}

// sign returns the proof with key and label. Each part is preceded by its length, so
// that different transcripts are never encoded alike.
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
