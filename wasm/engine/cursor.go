package engine

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
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

// writeCursor makes the opaque text of a position in the list of a method: base64url.
func writeCursor(kind sink.Method, p position) string {
	raw := make([]byte, 0, 3+len(p.prefix)+len(p.cursor))
	raw = binary.AppendUvarint(append(raw, byte(kind)), p.nth)
	raw = binary.AppendUvarint(raw, uint64(len(p.prefix)))
	return base64.RawURLEncoding.EncodeToString(append(append(raw, p.prefix...), p.cursor...))
}

// readCursor returns the position in a cursor that writeCursor makes for this list, else
// ErrBadCursor. A client may make one itself: a source checks its own part, and the policy decides
// about each entry of the page.
func readCursor(kind sink.Method, cursor string) (position, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) == 0 || raw[0] != byte(kind) {
		return position{}, ErrBadCursor
	}
	nth, size := binary.Uvarint(raw[1:])
	rest := raw[1+max(size, 0):]
	length, more := binary.Uvarint(rest)
	rest = rest[max(more, 0):]
	if length > uint64(len(rest)) {
		return position{}, ErrBadCursor
	}
	p := position{prefix: string(rest[:length]), nth: nth, cursor: string(rest[length:])}
	if writeCursor(kind, p) != cursor { // a number in another form, or a line break
		return position{}, ErrBadCursor
	}
	return p, nil
}
