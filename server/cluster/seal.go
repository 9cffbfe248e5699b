package cluster

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/clock"
)

// Everything that nodes send each other is sealed with AES-256-GCM under keys that they
// share: another user of the NATS account can neither read it nor make it, and what it sends
// again is ignored. It can delay messages and drop them.
//
// A sealed message is a header of sealHeader bytes, the ciphertext and a tag:
//
//	version   1 byte
//	key       8 bytes, id of the shared key
//	sender    16 bytes, id of the node: random for each process
//	time      8 bytes, Unix time of the sender in ms
//	number    8 bytes, from 1: the nonce, and what replays are recognized by
//
// Each sender has a key of its own, derived from the shared key and its id, so that nonces of
// two nodes never meet. The subject is authenticated, and the reply subject if it is that of
// a link: a message cannot be moved to another subject.
const (
	sealVersion  = 1
	sealKeyID    = 8 // bytes
	sealHeader   = 1 + sealKeyID + idSize + 8 + 8
	sealOverhead = sealHeader + 16 // bytes that a message grows by

	// sharedKeySize is the size of a shared key in bytes.
	sharedKeySize = 32
)

// Limits of what is accepted again.
const (
	replayWindow = 1 << 17          // numbers below the highest of a sender that may still come
	staleTime    = 10 * time.Second // a message may be older than the latest of its sender by that
	strangeTime  = 5 * time.Minute  // the first message of a sender may differ from the own clock by that
	maxSenders   = 2 * maxMembers
)

var (
	errSealed     = errors.New("the message was not sealed for this subject by a node of the cluster")
	errUnknownKey = errors.New("the message is sealed with a key that this node does not have")
	errReplayed   = errors.New("the message was sent before")
	errOwn        = errors.New("this node has sent the message itself") // before it took another connection
	errClock      = errors.New("the message is old, or the clock of its sender differs by more than 5 minutes")
)

// A sharedKey is one of the keys that nodes share, with its id.
type sharedKey struct {
	id     [sealKeyID]byte
	secret []byte
}

func newSharedKey(secret []byte) (sharedKey, error) {
	if len(secret) != sharedKeySize {
		return sharedKey{}, fmt.Errorf("a shared key has %d bytes, want %d", len(secret), sharedKeySize)
	}
	id, err := hkdf.Key(sha256.New, secret, nil, "pagemcp key id", sealKeyID)
	if err != nil { // only for lengths above 255 hashes
		panic(err)
	}
	return sharedKey{[sealKeyID]byte(id), secret}, nil
}

// aead returns the cipher of one sender.
func (k sharedKey) aead(sender string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, k.secret, nil, "pagemcp messages "+sender, sharedKeySize)
	if err != nil { // only for lengths above 255 hashes
		panic(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil { // only for other key sizes
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil { // only for other block sizes
		panic(err)
	}
	return gcm
}

// A sealer seals the messages of one node and opens those of the others. Its methods may be
// called concurrently.
type sealer struct {
	node   string
	number atomic.Uint64 // of the last sealed message
	latest atomic.Int64  // time of that in ms
	ring   atomic.Pointer[sealRing]

	mu      sync.Mutex
	senders map[string]*sender
}

// A sealRing is the shared keys: the first one seals, all of them open. It does not change.
type sealRing struct {
	keys []sharedKey
	own  cipher.AEAD // of this node under the first key
}

// ids returns the ids of the keys as heartbeats have them.
func (r *sealRing) ids() []string {
	ids := make([]string, len(r.keys))
	for i, key := range r.keys {
		ids[i] = hex.EncodeToString(key.id[:])
	}
	return ids
}

// A sender is what is known of another node that has sent a message.
type sender struct {
	mu      sync.Mutex
	ciphers map[[sealKeyID]byte]cipher.AEAD
	latest  int64    // time of its latest message
	highest uint64   // number
	seen    []uint64 // bits of the last replayWindow numbers
}

func newSealer(node string, keys [][]byte) (*sealer, error) {
	s := &sealer{node: node, senders: map[string]*sender{}}
	return s, s.setKeys(keys)
}

// setKeys replaces the shared keys.
func (s *sealer) setKeys(keys [][]byte) error {
	if len(keys) == 0 || len(keys) > maxKeys {
		return fmt.Errorf("%d shared keys, want 1 to %d", len(keys), maxKeys)
	}
	ring := &sealRing{}
	for _, secret := range keys {
		key, err := newSharedKey(slices.Clone(secret))
		if err != nil {
			return err
		}
		ring.keys = append(ring.keys, key)
	}
	ring.own = ring.keys[0].aead(s.node)
	s.ring.Store(ring)
	return nil
}

// seal appends the sealed payload to to.
func (s *sealer) seal(to []byte, subject, reply string, payload []byte) []byte {
	ring, number := s.ring.Load(), s.number.Add(1)
	start := len(to)
	to = append(to, sealVersion)
	to = append(to, ring.keys[0].id[:]...)
	to = append(to, s.node...)
	to = binary.BigEndian.AppendUint64(to, uint64(s.time()))
	to = binary.BigEndian.AppendUint64(to, number)
	return ring.own.Seal(to, nonce(number), payload, additional(to[start:], subject, reply))
}

// time returns the time for a message in ms: that of the wall clock, which nodes that start
// compare with theirs, but never less than before.
func (s *sealer) time() int64 {
	for {
		now, latest := clock.Now().UnixMilli(), s.latest.Load()
		if now <= latest {
			return latest
		}
		if s.latest.CompareAndSwap(latest, now) {
			return now
		}
	}
}

func nonce(number uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 4, 12), number)
}

// additional returns what is authenticated besides the payload. The header has a fixed size,
// and subjects contain no line break.
func additional(header []byte, subject, reply string) []byte {
	data := make([]byte, 0, sealHeader+len(subject)+1+len(reply))
	return append(append(append(append(data, header...), subject...), '\n'), reply...)
}

// open returns the payload of a sealed message, in the memory of data; the id of its sender, which
// is not authenticated if there is an error; and how much earlier the message was sealed than the
// latest one of its sender that has arrived: each node sends one a second at least.
func (s *sealer) open(subject, reply string, data []byte) (payload []byte, from string, delay time.Duration, err error) {
	if len(data) < sealOverhead || data[0] != sealVersion {
		return nil, "", 0, errSealed
	}
	header := data[:sealHeader]
	id, from := [sealKeyID]byte(header[1:]), string(header[1+sealKeyID:][:idSize])
	at, number := int64(binary.BigEndian.Uint64(header[sealHeader-16:])), binary.BigEndian.Uint64(header[sealHeader-8:])
	switch {
	case !isKey(from, idSize) || at < 0:
		return nil, "", 0, errSealed
	case from == s.node: // or another program says so: it has no effect
		return nil, "", 0, errOwn
	}
	keys := s.ring.Load().keys
	i := slices.IndexFunc(keys, func(key sharedKey) bool { return key.id == id })
	if i < 0 {
		return nil, from, 0, errUnknownKey
	}
	known := s.sender(from)
	gcm := known.cipher(keys[i], from)
	if payload, err = gcm.Open(header[sealHeader:sealHeader], nonce(number), data[sealHeader:], additional(header, subject, reply)); err != nil {
		return nil, from, 0, errSealed
	}
	if delay, err = s.accept(known, from, at, number); err != nil {
		return nil, from, 0, err
	}
	return payload, from, delay, nil
}

// sender returns what is known of a sender. An unknown one is remembered by accept only, when
// it has shown that it has the key.
func (s *sealer) sender(id string) *sender {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.senders[id]; known != nil {
		return known
	}
	return &sender{}
}

func (n *sender) cipher(key sharedKey, id string) cipher.AEAD {
	n.mu.Lock()
	defer n.mu.Unlock()
	if found := n.ciphers[key.id]; found != nil {
		return found
	}
	if len(n.ciphers) >= maxKeys || n.ciphers == nil {
		n.ciphers = map[[sealKeyID]byte]cipher.AEAD{}
	}
	n.ciphers[key.id] = key.aead(id)
	return n.ciphers[key.id]
}

// accept records a message of a sender, unless it is too old or was recorded before, and returns
// its delay.
func (s *sealer) accept(n *sender, id string, at int64, number uint64) (delay time.Duration, err error) {
	n, err = s.remember(n, id, at)
	if err != nil {
		return 0, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case at < n.latest-staleTime.Milliseconds(), number+replayWindow <= n.highest:
		return 0, errReplayed
	case number > n.highest:
		n.clear(n.highest+1, number)
		n.highest = number
	case n.seen[number%replayWindow/64]&(1<<(number%64)) != 0:
		return 0, errReplayed
	}
	n.seen[number%replayWindow/64] |= 1 << (number % 64)
	delay = time.Duration(max(0, n.latest-at)) * time.Millisecond
	n.latest = max(n.latest, at)
	return delay, nil
}

// clear removes the bits of the numbers from first to last.
func (n *sender) clear(first, last uint64) {
	if last-first >= replayWindow {
		clear(n.seen)
		return
	}
	for number := first; number <= last; number++ {
		n.seen[number%replayWindow/64] &^= 1 << (number % 64)
	}
}

// remember returns the sender with this id, which may be new.
func (s *sealer) remember(n *sender, id string, at int64) (*sender, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.senders[id]; known != nil {
		return known, nil
	}
	now := clock.Now().UnixMilli()
	if difference := now - at; difference > strangeTime.Milliseconds() || -difference > strangeTime.Milliseconds() {
		return nil, errClock
	}
	s.forget(now - strangeTime.Milliseconds())
	n.seen = make([]uint64, replayWindow/64)
	s.senders[id] = n
	return n, nil
}

// forget removes the senders of which nothing is later than a time: as messages of unknown
// senders these would be too old, too. If there are too many others, it removes one of them.
// The caller holds the lock.
func (s *sealer) forget(until int64) {
	oldest, least := "", int64(math.MaxInt64)
	for id, known := range s.senders {
		switch latest := known.latestTime(); {
		case latest == 0: // is being recorded
		case latest < until:
			delete(s.senders, id)
		case latest < least:
			oldest, least = id, latest
		}
	}
	if len(s.senders) >= maxSenders {
		delete(s.senders, oldest)
	}
}

func (n *sender) latestTime() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.latest
}
