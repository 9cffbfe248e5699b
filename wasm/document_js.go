package main

import "github.com/pagemcp/pagemcp/wasm/internal/sink"

// Limits of the Documents that JavaScript holds, in memory that Go does not see. The
// least recently used are released first.
const (
	maxHeld      = 16384    // Documents
	maxHeldBytes = 16 << 20 // bytes of JSON text
)

// jsDocuments are the Documents that JavaScript holds.
var jsDocuments documents

// documents gives kept Documents handles, under which JavaScript holds them as
// text and object. The slots form a ring in order of use; slot 0 is its seam and
// the number of no handle.
type documents struct {
	slots []slot
	free  []int32
	count int
	bytes int
}

type slot struct {
	document     *sink.Document
	newer, older int32
}

// pass returns a Document for JavaScript: its handle, or its text.
func (d *documents) pass(document *sink.Document) (handle int32, text string) {
	if document.Kept {
		return d.handle(document), ""
	}
	return 0, view(document.JSON)
}

// handle returns the handle of a kept Document, which JavaScript then holds.
func (d *documents) handle(document *sink.Document) int32 {
	handle := document.Handle
	if handle != 0 {
		if d.slots[0].older != handle { // else it is the newest already
			d.unlink(handle)
			d.link(handle)
		}
		return handle
	}
	if len(d.slots) == 0 {
		d.slots = append(d.slots, slot{})
	}
	if last := len(d.free) - 1; last >= 0 {
		handle, d.free = d.free[last], d.free[:last]
	} else {
		handle = int32(len(d.slots))
		d.slots = append(d.slots, slot{})
	}
	document.Handle = handle
	d.slots[handle].document = document
	d.link(handle)
	d.count++
	d.bytes += len(document.JSON)
	define(handle, view(document.JSON))
	for d.count > maxHeld || d.bytes > maxHeldBytes && d.count > 1 {
		d.forget(d.slots[d.slots[0].newer].document)
	}
	return handle
}

// forget releases a Document, if JavaScript holds it.
func (d *documents) forget(document *sink.Document) {
	handle := document.Handle
	if handle == 0 {
		return
	}
	document.Handle = 0
	d.unlink(handle)
	d.slots[handle] = slot{}
	d.free = append(d.free, handle)
	d.count--
	d.bytes -= len(document.JSON)
	release(handle)
}

// link makes handle the most recently used one: the seam's older neighbour, for
// the ring goes on behind the oldest one.
func (d *documents) link(handle int32) {
	newest := d.slots[0].older
	d.slots[handle].older, d.slots[handle].newer = newest, 0
	d.slots[newest].newer = handle
	d.slots[0].older = handle
}

func (d *documents) unlink(handle int32) {
	s := d.slots[handle]
	d.slots[s.newer].older = s.older
	d.slots[s.older].newer = s.newer
}

//go:wasmimport pagemcp define
func define(handle int32, text string)

//go:wasmimport pagemcp release
func release(handle int32)
