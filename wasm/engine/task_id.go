package engine

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"time"
)

// Ids of tasks. Behind the prefix of a mount, as names of tools have it, an id is base64url of 16
// random bytes R, when the task was created and its ttl (ms), and a tag: SipHash of its principal
// under R. So the id alone identifies the owner of a task: a gateway can report that it has ended
// with its page. The tag is no protection, since any client can make one: an engine compares whole
// ids with those of its tasks.

// newTaskID makes an id. The random bytes are of ChaCha8 with a seed of the system's, as crypto/rand
// would cost every page 30 KB.
func newTaskID(who Principal, created, ttl int64) string {
	raw := binary.BigEndian.AppendUint64(make([]byte, 0, 40), rand.Uint64())
	raw = binary.BigEndian.AppendUint64(raw, rand.Uint64())
	raw = binary.BigEndian.AppendUint64(raw, uint64(created))
	raw = binary.BigEndian.AppendUint64(raw, uint64(ttl))
	raw = binary.BigEndian.AppendUint64(raw, sipHash([16]byte(raw), []byte(who)))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// InterruptedTask returns the state of a task whose engine has ended, by its id, which may have
// prefixes. The error is [ErrNotFound] for an id that is not one of who, or has expired.
func InterruptedTask(id string, who Principal) (TaskState, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(id[strings.LastIndexByte(id, '.')+1:])
	if err != nil || len(raw) != 40 || binary.BigEndian.Uint64(raw[32:]) != sipHash([16]byte(raw), []byte(who)) {
		return TaskState{}, ErrNotFound
	}
	created, ttl := int64(binary.BigEndian.Uint64(raw[16:])), int64(binary.BigEndian.Uint64(raw[24:]))
	now := time.Now().UnixMilli()
	if ttl < 0 || ttl > MaxTaskTTL.Milliseconds() || created > now+time.Hour.Milliseconds() || created+ttl < now {
		return TaskState{}, ErrNotFound
	}
	s := TaskState{ID: id, Created: isoTime(created), Updated: isoTime(created), TTL: ttl}
	s.Interrupt()
	return s, nil
}

// Interrupt makes a state that of a task whose engine has ended.
func (s *TaskState) Interrupt() {
	const message = "The page was closed or loaded again while the tool ran; it may have taken effect"
	s.Status, s.Message, s.Updated, s.Poll, s.Inputs = TaskFailed, message, isoTime(nowMs()), 0, nil
	s.Error = []byte(`{"code":-32603,"message":"` + message + `","data":{"origin":"gateway","reason":"interrupted","retry":false}}`)
}

// isoTime returns a time in ms since 1970 as ISO 8601.
func isoTime(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// In the registry of subscriptions a task has a key where resources have URIs. It begins with the
// prefix of URIs of a mount where the id has that of names, and contains a character that no URI
// has, so that clients cannot subscribe to it as a resource.

const taskMark = "\ntask:"

// TaskURI returns the key of a task: Change.URI of a [Tasker].
func TaskURI(id string) string {
	own := strings.LastIndexByte(id, '.') + 1
	return strings.ReplaceAll(id[:own], ".", "+") + taskMark + id[own:]
}

// TaskOfURI returns the id for which TaskURI returns key; "": key is the URI of a resource.
func TaskOfURI(key string) string {
	prefix, own, isTask := strings.Cut(key, taskMark)
	if !isTask {
		return ""
	}
	return strings.ReplaceAll(prefix, "+", ".") + own
}
