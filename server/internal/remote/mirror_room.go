package remote

import (
	"container/list"
	"sync"
)

// A Mirror bounds what all Remotes of a process keep of the values that pages have published:
// bytes of each page, of each owner of pages, and in all. What was read least recently goes
// first. The zero value is not usable: see [NewMirror].
type Mirror struct {
	mu   sync.Mutex // of everything below it, too
	room room
}

// Limits of a Mirror.
const (
	MaxMirrored         = 256 << 20 // bytes of all pages
	MaxMirroredOfOwner  = 32 << 20  // bytes of the pages of one owner
	MaxMirroredOfPage   = 4 << 20   // bytes
	MaxMirroredValue    = 64 << 10  // bytes of the result of a read; larger ones are not kept
	mirroredOverhead    = 1 << 10   // bytes of an entry besides its result and twice its URI
	levelsOfMirrorRooms = 3
)

// NewMirror returns an empty Mirror.
func NewMirror() *Mirror { return &Mirror{room: room{max: MaxMirrored}} }

// A MirrorShare is the part of one owner of pages.
type MirrorShare struct {
	mirror *Mirror
	room   room
}

// Share returns a part for a further owner.
func (m *Mirror) Share() *MirrorShare {
	return &MirrorShare{mirror: m, room: room{max: MaxMirroredOfOwner}}
}

// A room has entries in the order of their last use, newest first, and bounds their bytes. Each
// entry is in three: of its page, of its owner, and of the process.
type room struct {
	order list.List // of *mirrored
	bytes int
	max   int
}

// rooms returns those of an entry of a page.
func (m *pageMirror) rooms() [levelsOfMirrorRooms]*room {
	return [levelsOfMirrorRooms]*room{&m.room, &m.share.room, &m.share.mirror.room}
}

// add makes an entry the newest, and makes room for it. The Mirror's mu is held, as for all that
// follows.
func (m *pageMirror) add(e *mirrored) {
	e.page = m
	m.byURI[e.uri] = e
	for i, r := range m.rooms() {
		e.in[i] = r.order.PushFront(e)
		r.bytes += e.size
	}
	m.makeRoom()
}

// makeRoom drops what was used least recently, where there is too much.
func (m *pageMirror) makeRoom() {
	for _, r := range m.rooms() {
		for r.bytes > r.max {
			oldest := r.order.Back().Value.(*mirrored)
			oldest.page.drop(oldest)
		}
	}
}

// use makes an entry the newest.
func (m *pageMirror) use(e *mirrored) {
	for i, r := range m.rooms() {
		r.order.MoveToFront(e.in[i])
	}
}

// resize changes what an entry counts for.
func (m *pageMirror) resize(e *mirrored, size int) {
	for _, r := range m.rooms() {
		r.bytes += size - e.size
	}
	e.size = size
	m.makeRoom()
}

func (m *pageMirror) drop(e *mirrored) {
	delete(m.byURI, e.uri)
	for i, r := range m.rooms() {
		r.order.Remove(e.in[i])
		r.bytes -= e.size
	}
}

func (m *pageMirror) dropAll() {
	for _, e := range m.byURI {
		m.drop(e)
	}
}
