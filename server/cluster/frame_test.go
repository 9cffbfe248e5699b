package cluster

import (
	"bytes"
	"testing"
)

// A frame that is accepted has one spelling, and no frame panics.
func FuzzFrame(f *testing.F) {
	for k := range kinds {
		f.Add(appendFrame(nil, frame{1, k, 1, []byte("12345678")}), byte(1))
	}
	f.Add(appendFrame(nil, frame{noVersion, kindEnd, 0, []byte("absent")}), byte(1))
	f.Add([]byte{}, byte(0))
	f.Fuzz(func(t *testing.T, from []byte, version byte) {
		parsed, err := parseFrame(from, version)
		if err != nil {
			return
		}
		if parsed.version != version && (parsed.version != noVersion || parsed.kind != kindEnd) {
			t.Errorf("version %d was accepted", parsed.version)
		}
		if again := appendFrame(nil, parsed); !bytes.Equal(again, from) {
			t.Errorf("%x was read as %x", from, again)
		}
	})
}

// Whatever a peer sends on the subject of a link, what is kept is bounded.
func FuzzReceive(f *testing.F) {
	f.Add(appendFrame(nil, frame{1, kindMore, 1, []byte("chunk")}), appendFrame(nil, frame{1, kindData, 2, []byte("end")}))
	f.Add(appendFrame(nil, frame{1, kindData, 1, nil}), appendFrame(nil, frame{1, kindAck, 2, make([]byte, 8)}))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		s := newLinks(newID(), newSubjects("test"), silence{})
		l, err := s.add(newID(), testPage, true)
		if err != nil {
			t.Fatal(err)
		}
		reply := s.subjects.link(l.peer.node, newID())
		l.accept(linkVersion, reply)
		s.deliver(s.subjects.link(s.node, l.id), reply, first, false)
		s.deliver(s.subjects.link(s.node, l.id), reply, second, false)
		if unread := s.unread.Load(); unread < 0 || unread > int64(len(first)+len(second)) {
			t.Errorf("%d bytes are unread", unread)
		}
		l.Close()
		if unread := s.unread.Load(); unread != 0 {
			t.Errorf("%d bytes are unread after the end", unread)
		}
	})
}

// silence is a carrier to which no other node listens.
type silence struct{}

func (silence) Publish(string, string, []byte) error { return nil }
func (silence) MaxPayload() int64                    { return 1 << 20 }
