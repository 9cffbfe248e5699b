package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// linkVersion is the version of links that this release prefers. A change of the header
// keeps the first two bytes: the version and the kind.
const linkVersion = 1

// noVersion is the version of a refusal, which is sent before the nodes agree on one.
const noVersion = 0

// headerSize is the size of a frame's header in bytes: version, kind, flags, reserved (one
// byte each), and the sequence number (64 bits, big-endian). Flags and the reserved byte
// are 0 in version 1.
const headerSize = 12

// A kind says what a frame is for.
type kind byte

const (
	kindAccept kind = iota + 1 // the first frame of the node that serves the page; no payload
	kindData                   // the last or only chunk of a message
	kindMore                   // another chunk of the message follows
	kindAck                    // bytes that the sender may count as taken since the beginning: 64 bits, big-endian
	kindPing                   // shows a gap behind the last message; no payload
	kindEnd                    // the link has ended; the payload is a reason, or empty

	kinds // the number after the last kind
)

// A frame is one NATS message of a link.
type frame struct {
	version byte
	kind    kind
	number  uint64 // from 1 in each direction; 0 without a version
	payload []byte
}

// appendFrame appends the bytes of f to to.
func appendFrame(to []byte, f frame) []byte {
	to = append(to, f.version, byte(f.kind), 0, 0)
	to = binary.BigEndian.AppendUint64(to, f.number)
	return append(to, f.payload...)
}

var (
	errFrame   = errors.New("invalid frame")
	errVersion = errors.New("unknown link version")
)

// parseFrame parses the bytes of one frame of version, or of a refusal. The payload is a
// part of from.
func parseFrame(from []byte, version byte) (frame, error) {
	if len(from) < headerSize {
		return frame{}, fmt.Errorf("%w: %d bytes", errFrame, len(from))
	}
	f := frame{version: from[0], kind: kind(from[1]), number: binary.BigEndian.Uint64(from[4:]), payload: from[headerSize:]}
	switch {
	case f.version == noVersion && f.kind == kindEnd && f.number == 0:
	case f.version != version || version == noVersion:
		return frame{}, fmt.Errorf("%w %d", errVersion, f.version)
	case f.kind == 0 || f.kind >= kinds:
		return frame{}, fmt.Errorf("%w: kind %d", errFrame, f.kind)
	case f.number == 0:
		return frame{}, fmt.Errorf("%w: no sequence number", errFrame)
	}
	switch {
	case from[2] != 0 || from[3] != 0:
		return frame{}, fmt.Errorf("%w: flags %d and %d", errFrame, from[2], from[3])
	case (f.kind == kindAccept || f.kind == kindPing) && len(f.payload) > 0,
		f.kind == kindAck && len(f.payload) != 8,
		f.kind == kindMore && len(f.payload) == 0,
		f.kind == kindEnd && len(f.payload) > maxReason:
		return frame{}, fmt.Errorf("%w: %d bytes of kind %d", errFrame, len(f.payload), f.kind)
	}
	return f, nil
}

const maxReason = 64 // bytes
