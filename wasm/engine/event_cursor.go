package engine

import (
	"encoding/base64"
	"encoding/binary"
)

// Cursors of events carry whole positions, so that they work on any connection, and at another
// gateway. They need no signature: every use checks anew what the client may see, and a position
// of another ring is answered with truncated.

// maxEventCursor bounds a cursor, in bytes of its text: those of 100 pages take less.
const maxEventCursor = 16 << 10

// Kinds of cursors, which are their first byte.
const (
	ringCursor = 'E' // a position in a ring
	partCursor = 'P' // the cursors of several sources
)

// A ringPosition is a place in a ring: behind the occurrence with a number.
type ringPosition struct{ epoch, number uint64 }

func (p ringPosition) cursor() string {
	raw := binary.BigEndian.AppendUint64([]byte{ringCursor}, p.epoch)
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(raw, p.number))
}

func readRingCursor(cursor string) (p ringPosition, ok bool) {
	raw, ok := rawCursor(cursor, ringCursor)
	if !ok || len(raw) < 9 {
		return p, false
	}
	number, size := binary.Uvarint(raw[8:])
	return ringPosition{binary.BigEndian.Uint64(raw), number}, size == len(raw)-8
}

// rawCursor returns the bytes of a cursor behind its kind.
func rawCursor(cursor string, kind byte) ([]byte, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(cursor) > maxEventCursor || len(raw) == 0 || raw[0] != kind {
		return nil, false
	}
	return raw[1:], true
}
