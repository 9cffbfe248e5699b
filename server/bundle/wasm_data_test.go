package bundle

import (
	"bytes"
	"strings"
	"testing"
)

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// module returns a wasm module with a custom section before and after a data section.
func module(data ...byte) []byte {
	custom := []byte{0, 2, 1, 'x'}
	section := append([]byte{dataSection, byte(len(data))}, data...)
	return concat([]byte("\x00asm\x01\x00\x00\x00"), custom, section, custom)
}

// at is a segment of a data section; address is a signed LEB128.
func at(address []byte, data string) []byte {
	return concat([]byte{0, i32Const}, address, []byte{endOpcode, byte(len(data))}, []byte(data))
}

func TestSegmentsAreJoinedOverShortGaps(t *testing.T) {
	low, near, far := []byte{0x10}, []byte{0x13}, []byte{0xc0, 0} // addresses 16, 19, 64
	joined, err := joinSegments(module(concat([]byte{3}, at(far, "z"), at(low, "a"), at(near, "bc"))...))
	if err != nil {
		t.Fatal(err)
	}
	if want := module(concat([]byte{2}, at(low, "a\x00\x00bc"), at(far, "z"))...); !bytes.Equal(joined, want) {
		t.Errorf("joined to\n%x, want\n%x", joined, want)
	}
	again, err := joinSegments(joined)
	if err != nil || !bytes.Equal(again, joined) {
		t.Errorf("what was joined changes when it is joined again: %x, %v", again, err)
	}
}

// A module that this code does not understand is never written.
func TestUnknownModulesAreNotJoined(t *testing.T) {
	one := at([]byte{0x10}, "abc")
	passive := append([]byte{1, 1}, 1, 'a')
	global := bytes.Replace(concat([]byte{1}, one), []byte{i32Const}, []byte{0x23}, 1)
	for name, test := range map[string]struct {
		module []byte
		reason string
	}{
		"empty":    {nil, "no wasm module"},
		"cut":      {module(concat([]byte{1}, one)...)[:20], "cut short"},
		"counted":  {append(module(concat([]byte{1}, one)...), countSection, 1, 1), "by number"},
		"passive":  {module(passive...), "unknown form"},
		"global":   {module(global...), "unknown form"},
		"negative": {module(concat([]byte{1}, at([]byte{0x40}, "a"))...), "unknown form"},
		"too few":  {module(concat([]byte{2}, one)...), "unknown form"},
		"too many": {module(concat([]byte{1}, one, one)...), "bytes follow"},
		"overlaps": {module(concat([]byte{2}, one, at([]byte{0x12}, "d"))...), "overlap at address 18"},
		"no count": {module(), "is missing"},
	} {
		joined, err := joinSegments(test.module)
		if err == nil || !strings.Contains(err.Error(), test.reason) || joined != nil {
			t.Errorf("%s: %x, %v; want an error about %q", name, joined, err, test.reason)
		}
	}
}

// All that the linker has written is in the memory of the engine.
func TestEngineKeepsItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	built, err := linkEngine(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	joined, err := joinSegments(built)
	if err != nil {
		t.Fatal(err)
	}
	before, after := segmentsOf(t, built), segmentsOf(t, joined)
	if len(after) > 1000 || len(after) >= len(before) {
		t.Errorf("%d segments became %d", len(before), len(after))
	}
	if !bytes.Equal(memoryOf(before), memoryOf(after)) {
		t.Error("the memory of the program changed")
	}
}

func segmentsOf(t *testing.T, module []byte) []segment {
	t.Helper()
	for in := (wasmReader{rest: module[wasmHeader:]}); len(in.rest) > 0; {
		id, contents := in.byte(), in.bytes(in.number())
		if id == dataSection {
			segments, err := readSegments(contents)
			if err != nil {
				t.Fatal(err)
			}
			return segments
		}
	}
	t.Fatal("the module has no data section")
	return nil
}

func memoryOf(segments []segment) []byte {
	memory := make([]byte, segments[len(segments)-1].end())
	for _, one := range segments {
		copy(memory[one.at:], one.data)
	}
	return memory
}
