package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/macho"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
)

func testMembers() members {
	return members{
		"bin/pagemcp": {body: []byte("program"), executable: true},
		"README.md":   {body: []byte("# Title\n")},
		"a":           {body: nil},
	}
}

// Archives have the files in order, with modes and a fixed time, and are the same each time.
func TestArchivesAreReproducible(t *testing.T) {
	type file struct {
		name, body string
		mode       int64
	}
	want := []file{{"README.md", "# Title\n", 0o644}, {"a", "", 0o644}, {"bin/pagemcp", "program", 0o755}}
	for name, x := range map[string]struct {
		pack func(members) ([]byte, error)
		read func(t *testing.T, packed []byte) []file
	}{
		"tar.gz": {tarGzip, func(t *testing.T, packed []byte) (all []file) {
			plain, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			r := tar.NewReader(plain)
			for {
				header, err := r.Next()
				if err == io.EOF {
					return all
				}
				if err != nil || !header.ModTime.Equal(fileTime()) || header.Uid != 0 {
					t.Fatal(header, err)
				}
				body, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, file{header.Name, string(body), header.Mode})
			}
		}},
		"zip": {zipped, func(t *testing.T, packed []byte) (all []file) {
			r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range r.File {
				body, err := read(one)
				if err != nil || !one.Modified.Equal(fileTime()) {
					t.Fatal(one.Modified, err)
				}
				all = append(all, file{one.Name, string(body), int64(one.Mode().Perm())})
			}
			return all
		}},
	} {
		packed, err := x.pack(testMembers())
		if err != nil {
			t.Fatal(err)
		}
		again, err := x.pack(testMembers())
		if err != nil || !bytes.Equal(packed, again) {
			t.Errorf("%s: the second archive differs, %v", name, err)
		}
		if got := x.read(t, packed); !slices.Equal(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func read(file *zip.File) ([]byte, error) {
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// thin returns the beginning of a Mach-O file without load commands.
func thin(cpu, sub uint32, body string) []byte {
	file := binary.LittleEndian.AppendUint32(nil, macho.Magic64)
	for _, field := range []uint32{cpu, sub, uint32(macho.TypeExec), 0, 0, 0, 0} {
		file = binary.LittleEndian.AppendUint32(file, field)
	}
	return append(file, body...)
}

// A universal file has the programs as they were, at aligned offsets; debug/macho reads it.
func TestUniversalPrograms(t *testing.T) {
	intel, arm := thin(uint32(macho.CpuAmd64), 3, strings.Repeat("intel", 10_000)), thin(uint32(macho.CpuArm64), 0, "arm")
	file, err := universal(intel, arm)
	if err != nil {
		t.Fatal(err)
	}
	fat, err := macho.NewFatFile(bytes.NewReader(file))
	if err != nil || len(fat.Arches) != 2 {
		t.Fatal(fat, err)
	}
	for i, want := range [][]byte{intel, arm} {
		arch := fat.Arches[i]
		if arch.Offset%(1<<fatAlignment) != 0 || arch.Align != fatAlignment || arch.Cpu != arch.FatArchHeader.Cpu {
			t.Errorf("%+v", arch.FatArchHeader)
		}
		if !bytes.Equal(file[arch.Offset:arch.Offset+arch.Size], want) {
			t.Errorf("slice %d differs", i)
		}
	}
	for name, program := range map[string][]byte{"short": {0xcf}, "ELF": []byte("\x7fELF" + strings.Repeat("x", 100)), "none": nil} {
		if _, err := universal(intel, program); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
