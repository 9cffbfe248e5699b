package bundle

import "encoding/binary"

// The linker's table runtime.findfunctab says for each 4 KB of code addresses with which function
// the runtime begins to look for the one that an address belongs to (findfunc in runtime/symtab.go:
// it goes forward from there). The functions of a wasm program are 64 KB apart, so each has 16
// equal buckets.
const (
	bucketSize      = 20 // bytes: the number of a function, and 16 distances from it, which are 0 here
	bucketsEach     = 16 // of a function
	functionSize    = bucketSize * bucketsEach
	functionsAtOnce = 8    // with so many the runtime goes up to 7 functions forward, which takes some ns
	leastFunctions  = 1000 // in the table of any Go program
)

// coarsenFunctions makes the table say for each eight functions what it says for the first one,
// which saves 6 KB of the download. A memory without such a table stays as it is.
func coarsenFunctions(memory []byte) {
	table := functionTable(memory)
	for at := 0; at < len(table); at += bucketSize {
		function := binary.LittleEndian.Uint32(table[at:])
		binary.LittleEndian.PutUint32(table[at:], function-function%functionsAtOnce)
	}
}

// functionTable returns the part of a memory that is the table, without the first and the last
// function, where other data may look alike; nil: there is none.
func functionTable(memory []byte) []byte {
	for at := 0; at+leastFunctions*functionSize <= len(memory); at++ {
		first, ok := functionAt(memory[at:])
		if !ok || first == 0 {
			continue
		}
		end := at + functionSize
		for next := first + 1; ; next++ {
			if found, ok := functionAt(memory[end:]); !ok || found != next {
				break
			}
			end += functionSize
		}
		if end-at >= leastFunctions*functionSize {
			return memory[at+functionSize : end-functionSize]
		}
	}
	return nil
}

// functionAt returns the number of the function whose buckets a memory begins with.
func functionAt(memory []byte) (function uint32, ok bool) {
	if len(memory) < functionSize {
		return 0, false
	}
	function = binary.LittleEndian.Uint32(memory)
	for at := 0; at < functionSize; at += bucketSize {
		bucket := memory[at : at+bucketSize]
		if binary.LittleEndian.Uint32(bucket) != function || [bucketSize - 4]byte(bucket[4:]) != ([bucketSize - 4]byte{}) {
			return 0, false
		}
	}
	return function, true
}
