package engine

import (
	"encoding/base64"
	"encoding/binary"
)

// positions are the cursors of sources, in the order in which they were added. An empty cursor
// is that of a source which had no answer.
type positions struct{ keys, cursors []string }

func (p *positions) find(key string) (cursor string, known bool) {
	for i := range p.keys {
		if p.keys[i] == key {
			return p.cursors[i], true
		}
	}
	return "", false
}

func (p *positions) set(key, cursor string) {
	for i := range p.keys {
		if p.keys[i] == key {
			p.cursors[i] = cursor
			return
		}
	}
	p.keys, p.cursors = append(p.keys, key), append(p.cursors, cursor)
}

// cursor returns the cursor of a client.
func (p *positions) cursor() string {
	raw := []byte{partCursor}
	for i := range p.keys {
		for _, text := range [...]string{p.keys[i], p.cursors[i]} {
			raw = append(binary.AppendUvarint(raw, uint64(len(text))), text...)
		}
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func readPositions(cursor string) (p positions, err error) {
	raw, ok := rawCursor(cursor, partCursor)
	var texts []string
	for ok && len(raw) > 0 {
		length, size := binary.Uvarint(raw)
		if ok = size > 0 && length <= uint64(len(raw)-size); ok {
			raw = raw[size:]
			texts = append(texts, string(raw[:length]))
			raw = raw[length:]
		}
	}
	if !ok || len(texts)%2 != 0 {
		return p, ErrBadCursor
	}
	for i := 0; i < len(texts); i += 2 {
		p.set(texts[i], texts[i+1])
	}
	return p, nil
}
