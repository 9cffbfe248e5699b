package engine

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"
)

// A position is where a list continues: in the source mounted as the nth under a
// prefix, from the source's own cursor on. Cursors carry it whole, so that they
// work on any connection and after a restart, and keep meaning the same place
// while other sources come and go.
type position struct {
	prefix string
	nth    uint64
	cursor string
}

// reached reports whether m is at the position or behind it.
func (p position) reached(m *mount) bool {
	order := strings.Compare(m.prefix, p.prefix)
	return order > 0 || order == 0 && m.nth >= p.nth
}

// Within returns where to continue in m: at the source's cursor, or, if m comes
// after the position, because the source there has left, at its beginning.
func (p position) within(m *mount) string {
	if m.prefix == p.prefix && m.nth == p.nth {
		return p.cursor
	}
	return ""
}

// writeCursor makes the opaque text of a position: base64url of a 64-bit tag and
// what it signs.
func writeCursor(key [16]byte, kind byte, p position) string {
	raw := make([]byte, 8, 8+3+len(p.prefix)+len(p.cursor))
	raw = binary.AppendUvarint(append(raw, kind), p.nth)
	raw = binary.AppendUvarint(raw, uint64(len(p.prefix)))
	raw = append(append(raw, p.prefix...), p.cursor...)
	binary.LittleEndian.PutUint64(raw, sipHash(key, raw[8:]))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// readCursor returns the position in a cursor that writeCursor made with the
// same key for the same kind of list, else ErrBadCursor.
func readCursor(key [16]byte, kind byte, cursor string) (position, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 11 || raw[8] != kind || base64.RawURLEncoding.EncodeToString(raw) != cursor ||
		binary.LittleEndian.Uint64(raw) != sipHash(key, raw[8:]) {
		return position{}, ErrBadCursor
	}
	nth, size := binary.Uvarint(raw[9:])
	rest := raw[9+max(size, 0):]
	length, more := binary.Uvarint(rest)
	rest = rest[max(more, 0):]
	if size <= 0 || more <= 0 || length > uint64(len(rest)) {
		return position{}, ErrBadCursor
	}
	return position{prefix: string(rest[:length]), nth: nth, cursor: string(rest[length:])}, nil
}

// stateKey returns the key of requestState: derived from that of cursors, or, if
// there is none, random.
func stateKey(cursors [16]byte) (key [16]byte) {
	if cursors == key {
		binary.LittleEndian.PutUint64(key[:8], rand.Uint64()) // seeded by the system
		binary.LittleEndian.PutUint64(key[8:], rand.Uint64())
		return key
	}
	binary.LittleEndian.PutUint64(key[:8], sipHash(cursors, []byte("requestState 1")))
	binary.LittleEndian.PutUint64(key[8:], sipHash(cursors, []byte("requestState 2")))
	return key
}

// sipHash is SipHash-2-4 of data: a keyed hash of 64 bits, short enough to stand
// here, where the packages of crypto/ would cost 30 KB of wasm.
// https://www.aumasson.jp/siphash/siphash.pdf
func sipHash(key [16]byte, data []byte) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
	last := uint64(len(data)) << 56
	for ; len(data) >= 8; data = data[8:] {
		sipBlock(&v, binary.LittleEndian.Uint64(data))
	}
	for i, c := range data {
		last |= uint64(c) << (8 * i)
	}
	sipBlock(&v, last)
	v[2] ^= 0xff
	for range 4 {
		sipRound(&v)
	}
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}

func sipBlock(v *[4]uint64, block uint64) {
	v[3] ^= block
	sipRound(v)
	sipRound(v)
	v[0] ^= block
}

func sipRound(v *[4]uint64) {
	v[0] += v[1]
	v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
	v[0] = bits.RotateLeft64(v[0], 32)
	v[2] += v[3]
	v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
	v[0] += v[3]
	v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
	v[2] += v[1]
	v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
	v[2] = bits.RotateLeft64(v[2], 32)
}
