// Package site contains the web files of a released program: what `pagemcp dev` serves
// and the browser extension. They are in an archive that the build of a release makes
// (see cmd/release) and that the build tag release embeds; without it there are none.
package site

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Paths in an archive.
const (
	// WebFiles is before the path of each file that dev serves.
	WebFiles = "web"

	// Extension and the name of a browser, "extension/firefox", are before the path of each
	// file of the unpacked extension for that browser.
	Extension = "extension"

	// Notices is before the path of the file with the licences of the program's modules.
	Notices = "notices"
)

// ErrNone reports that the program contains no web files, since it was not built as a
// release.
var ErrNone = errors.New("this program was built without web files: run it in a clone of the repository, or use one that `make standalone` builds")

// index is the file of an archive that maps each path to the name of its contents: equal
// contents are stored once.
const index = "index.json"

// maxContents bounds the sum of the sizes that an archive declares.
const maxContents = 256 << 20 // bytes

// Files returns the embedded files below prefix, one of the paths above: contents by
// path, which begins with a slash. The error is [ErrNone] if there are none.
func Files(prefix string) (map[string][]byte, error) {
	if len(archive) == 0 {
		return nil, ErrNone
	}
	return unpack(archive, prefix)
}

// Pack makes an archive. The same files give the same bytes.
func Pack(files map[string][]byte) ([]byte, error) {
	names := map[string]string{} // contents by path
	contents := map[string][]byte{}
	for path, body := range files {
		sum := sha256.Sum256(body)
		name := hex.EncodeToString(sum[:12])
		names[path], contents[name] = name, body
	}
	list, err := json.Marshal(names) // sorted by path
	if err != nil {
		return nil, err
	}
	contents[index] = list
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // without a time
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(contents[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// unpack returns the files of an archive below prefix.
func unpack(packed []byte, prefix string) (map[string][]byte, error) {
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("open the embedded files: %w", err)
	}
	contents, total := map[string]*zip.File{}, uint64(0)
	for _, file := range r.File {
		contents[file.Name] = file
		total += file.UncompressedSize64
	}
	if total > maxContents {
		return nil, fmt.Errorf("open the embedded files: %d bytes, want at most %d", total, maxContents)
	}
	list, err := read(contents[index])
	if err != nil {
		return nil, err
	}
	var names map[string]string
	if err := json.Unmarshal(list, &names); err != nil {
		return nil, fmt.Errorf("open the embedded files: %w", err)
	}
	files := map[string][]byte{}
	for path, name := range names {
		below, ok := strings.CutPrefix(path, prefix)
		if !ok || !strings.HasPrefix(below, "/") {
			continue
		}
		if files[below], err = read(contents[name]); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func read(file *zip.File) ([]byte, error) {
	if file == nil {
		return nil, errors.New("open the embedded files: one is missing")
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("open the embedded files: %w", err)
	}
	defer r.Close()
	body, err := io.ReadAll(r) // checks the CRC
	if err != nil {
		return nil, fmt.Errorf("open the embedded files: %w", err)
	}
	return body, nil
}
