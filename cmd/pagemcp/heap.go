package main

import (
	"os"
	"runtime"
)

// heapFloor is what the garbage collector counts as used from the start. Go collects when
// the heap has doubled: a gateway of few pages uses 3 MB, and would collect 50 times a second
// under load, which is a quarter of its work. Nothing writes to these bytes, so the system
// provides no memory for them. Large gateways, whose heap is much larger, gain nothing.
var heapFloor []byte

const heapFloorBytes = 24 << 20

// raiseHeapFloor sets heapFloor, unless the user has chosen limits of memory.
func raiseHeapFloor() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		heapFloor = make([]byte, heapFloorBytes)
		runtime.KeepAlive(heapFloor) // a use, for linters
	}
}
