package task

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Behind the prefix of a mount, an id is base64url of 16 random bytes R, when the task was created and its ttl (ms), and
// a tag: SipHash of its principal under R. So the id alone identifies the owner of a task: a gateway can report that it
// has ended with its page. The tag is no protection, since any client can make one: an engine compares whole ids with
// those of its tasks.

// newID makes an id. The random bytes are of ChaCha8 with a seed of the system's, as crypto/rand would cost every page
// 30 KB.
func newID(who engine.Principal, created, ttl int64) string {
	raw := binary.BigEndian.AppendUint64(make([]byte, 0, 40), rand.Uint64())
	raw = binary.BigEndian.AppendUint64(raw, rand.Uint64())
	raw = binary.BigEndian.AppendUint64(raw, uint64(created))
	raw = binary.BigEndian.AppendUint64(raw, uint64(ttl))
	raw = binary.BigEndian.AppendUint64(raw, sipHash([16]byte(raw), []byte(who)))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Interrupted returns the state of a task whose engine has ended, by its id, which may have prefixes. The error is
// [engine.ErrNotFound] for an id that is not one of who, or has expired.
func Interrupted(id string, who engine.Principal) (State, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(id[strings.LastIndexByte(id, '.')+1:])
	if err != nil || len(raw) != 40 || binary.BigEndian.Uint64(raw[32:]) != sipHash([16]byte(raw), []byte(who)) {
		return State{}, engine.ErrNotFound
	}
	created, ttl := int64(binary.BigEndian.Uint64(raw[16:])), int64(binary.BigEndian.Uint64(raw[24:]))
	now := nowMs()
	if ttl < 0 || ttl > MaxTTL.Milliseconds() || created > now+time.Hour.Milliseconds() || created+ttl < now {
		return State{}, engine.ErrNotFound
	}
	s := State{ID: id, Created: isoTime(created), TTL: ttl}
	s.Interrupt()
	return s, nil
}
