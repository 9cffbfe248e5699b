package bundle

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Parts of a wasm module: https://www.w3.org/TR/wasm-core-2/#binary-modules
const (
	wasmHeader   = 8    // bytes: magic and version
	dataSection  = 11   // id
	countSection = 12   // id of the section that has the number of data segments
	i32Const     = 0x41 // opcode: a signed number follows
	endOpcode    = 0x0b
)

// segmentGap is how many zero bytes are written rather than starting another segment: with 32,
// 190 segments are left, and larger gaps save less than 0.2 % of the download.
const segmentGap = 32 // bytes

// A segment is a part of the memory that is filled when the module starts.
type segment struct {
	at   uint64 // address
	data []byte
}

func (s segment) end() uint64 { return s.at + uint64(len(s.data)) }

// joinSegments joins neighbouring data segments of a wasm module, which changes nothing in the memory
// of the program. The linker of Go starts a segment after each run of 8 zero bytes. In its table
// runtime.findfunctab that makes 60,000 segments of 20 bytes, whose addresses do not compress:
// joined, the engine is 15 % larger on disk, 9 % smaller by brotli, and starts 1.5 ms sooner.
func joinSegments(module []byte) ([]byte, error) {
	if len(module) < wasmHeader {
		return nil, errors.New("join data segments: no wasm module")
	}
	joined := bytes.Clone(module[:wasmHeader])
	for in := (wasmReader{rest: module[wasmHeader:]}); len(in.rest) > 0; {
		id := in.byte()
		contents := in.bytes(in.number())
		switch {
		case in.failed:
			return nil, errors.New("join data segments: a section is cut short")
		case id == countSection:
			return nil, errors.New("join data segments: the module refers to segments by number")
		case id == dataSection:
			segments, err := readSegments(contents)
			if err != nil {
				return nil, fmt.Errorf("join data segments: %w", err)
			}
			contents = appendSegments(nil, join(segments))
		}
		joined = append(joined, id)
		joined = binary.AppendUvarint(joined, uint64(len(contents)))
		joined = append(joined, contents...)
	}
	return joined, nil
}

// readSegments returns the segments of a data section by address.
func readSegments(section []byte) ([]segment, error) {
	in := wasmReader{rest: section}
	count := in.number()
	if in.failed {
		return nil, errors.New("the number of segments is missing")
	}
	var segments []segment
	for range count {
		kind, opcode := in.byte(), in.byte() // kind 0: in memory 0, at an address
		at := in.address()
		end := in.byte()
		segments = append(segments, segment{at, in.bytes(in.number())})
		if in.failed || kind != 0 || opcode != i32Const || end != endOpcode {
			return nil, fmt.Errorf("segment %d has an unknown form", len(segments))
		}
	}
	if len(in.rest) > 0 {
		return nil, errors.New("bytes follow the last segment")
	}
	slices.SortFunc(segments, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(segments); i++ {
		if segments[i].at < segments[i-1].end() {
			return nil, fmt.Errorf("segments overlap at address %d", segments[i].at)
		}
	}
	return segments, nil
}

// join joins segments, which are sorted by address, over gaps of less than segmentGap.
func join(segments []segment) (joined []segment) {
	for _, next := range segments {
		if n := len(joined); n > 0 && next.at < joined[n-1].end()+segmentGap {
			last := &joined[n-1]
			last.data = append(last.data, make([]byte, next.at-last.end())...)
			last.data = append(last.data, next.data...)
			continue
		}
		joined = append(joined, segment{next.at, bytes.Clone(next.data)})
	}
	return joined
}

func appendSegments(section []byte, segments []segment) []byte {
	section = binary.AppendUvarint(section, uint64(len(segments)))
	for _, one := range segments {
		section = append(section, 0, i32Const)
		section = appendAddress(section, one.at)
		section = append(section, endOpcode)
		section = binary.AppendUvarint(section, uint64(len(one.data)))
		section = append(section, one.data...)
	}
	return section
}

// appendAddress appends an address as a signed LEB128: bit 0x40 of the last byte is the sign.
func appendAddress(to []byte, address uint64) []byte {
	for ; address >= 0x40; address >>= 7 {
		to = append(to, byte(address)|0x80)
	}
	return append(to, byte(address))
}

// A wasmReader reads a module. After a read beyond its end, failed is true and the values are zero.
type wasmReader struct {
	rest   []byte
	failed bool
}

func (r *wasmReader) byte() byte {
	if one := r.bytes(1); one != nil {
		return one[0]
	}
	return 0
}

// number reads an unsigned LEB128.
func (r *wasmReader) number() uint64 {
	value, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.failed = true
		return 0
	}
	r.rest = r.rest[n:]
	return value
}

// address reads a signed LEB128 that is not negative.
func (r *wasmReader) address() uint64 {
	before := r.rest
	value := r.number()
	if length := len(before) - len(r.rest); length > 0 && before[length-1]&0x40 != 0 {
		r.failed = true
	}
	return value
}

func (r *wasmReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed = true
		return nil
	}
	read := r.rest[:n:n]
	r.rest = r.rest[n:]
	return read
}
