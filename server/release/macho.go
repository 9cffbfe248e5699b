package release

import (
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
)

// fatAlignment is the alignment of a slice as a power of two: pages of arm64 are 16 KiB.
const fatAlignment = 14

// universal returns a universal Mach-O file of programs for macOS, each for another CPU: a
// header in big-endian order, then the programs. See <mach-o/fat.h>.
func universal(programs ...[]byte) ([]byte, error) {
	header := binary.BigEndian.AppendUint32(nil, macho.MagicFat)
	header = binary.BigEndian.AppendUint32(header, uint32(len(programs)))
	aligned := func(n int) int { return (n + 1<<fatAlignment - 1) &^ (1<<fatAlignment - 1) }
	offset := aligned(len(header) + 20*len(programs)) // five numbers each
	var offsets []int
	for i, program := range programs {
		if len(program) < 12 || binary.LittleEndian.Uint32(program) != macho.Magic64 {
			return nil, fmt.Errorf("join programs for macOS: number %d is no 64-bit Mach-O file", i+1)
		}
		if offset+len(program) > 1<<32-1 {
			return nil, errors.New("join programs for macOS: they are larger than 4 GiB")
		}
		header = append(header, bigEndian(program[4:8])...)  // cputype
		header = append(header, bigEndian(program[8:12])...) // cpusubtype
		header = binary.BigEndian.AppendUint32(header, uint32(offset))
		header = binary.BigEndian.AppendUint32(header, uint32(len(program)))
		header = binary.BigEndian.AppendUint32(header, fatAlignment)
		offsets = append(offsets, offset)
		offset = aligned(offset + len(program))
	}
	last := len(programs) - 1
	file := make([]byte, offsets[last]+len(programs[last]))
	copy(file, header)
	for i, program := range programs {
		copy(file[offsets[i]:], program)
	}
	return file, nil
}

func bigEndian(little []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, binary.LittleEndian.Uint32(little))
}
