package engine

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// A position is where a list continues: in the source mounted as the nth under a
// prefix, in what that lists from its own cursor on. Cursors carry it whole, so that they
// work on any connection and after a restart, and keep meaning the same place
// while other sources come and go.
type position struct {
	prefix string
	nth    uint64
	cursor string

	behind string // the key of the last entry there that the client has; empty: it has none
	at     uint64 // how many entries there are up to it, if it is gone
}

// isStart reports whether a position is where the list of its source begins.
func (p position) isStart() bool { return p.cursor == "" && p.behind == "" }

// reached reports whether m is at the position or behind it.
func (p position) reached(m *mount) bool {
	order := strings.Compare(m.prefix, p.prefix)
	return order > 0 || order == 0 && m.nth >= p.nth
}

// within returns where to continue in m: at the position, or, if m comes after it, because the source
// there has left, at the beginning of m.
func (p position) within(m *mount) position {
	if m.prefix == p.prefix && m.nth == p.nth {
		return p
	}
	return position{prefix: m.prefix, nth: m.nth}
}

// index returns which of the items from the source's cursor on comes next.
func (p position) index(items []Item) int {
	if p.behind == "" {
		return 0
	}
	if at := slices.IndexFunc(items, func(item Item) bool { return item.Key == p.behind }); at >= 0 {
		return at + 1
	}
	return int(min(p.at, uint64(len(items))))
}

// writeCursor makes the opaque text of a position in the list of a method: base64url.
func writeCursor(method sink.Method, p position) string {
	raw := binary.AppendUvarint([]byte{byte(method)}, p.nth)
	raw = binary.AppendUvarint(raw, p.at)
	for _, text := range [...]string{p.prefix, p.cursor} {
		raw = append(binary.AppendUvarint(raw, uint64(len(text))), text...)
	}
	return base64.RawURLEncoding.EncodeToString(append(raw, p.behind...))
}

// readCursor returns the position in a cursor that writeCursor makes for this list, else
// ErrBadCursor. A client may make one itself: a source checks its own part, and the policy decides
// about each entry of the page.
func readCursor(method sink.Method, cursor string) (position, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) == 0 || raw[0] != byte(method) {
		return position{}, ErrBadCursor
	}
	rest := string(raw[1:])
	number := func() uint64 {
		n, size := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
		rest = rest[max(size, 0):]
		return n
	}
	text := func() string {
		length := min(number(), uint64(len(rest)))
		found := rest[:length]
		rest = rest[length:]
		return found
	}
	p := position{nth: number(), at: number(), prefix: text(), cursor: text()}
	p.behind = rest
	if writeCursor(method, p) != cursor { // too short, a number in another form, or a line break
		return position{}, ErrBadCursor
	}
	return p, nil
}
