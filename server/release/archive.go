package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"time"
)

// A member is a file of an archive.
type member struct {
	body       []byte
	executable bool
}

// members are the files of an archive by path.
type members map[string]member

// add adds files, with dir before their paths, which begin with a slash.
func (m members) add(dir string, files map[string][]byte) {
	for path, body := range files {
		m[dir+path] = member{body: body}
	}
}

func (f member) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// fileTime is the time of each file in an archive, the one that npm uses: ZIP has no time
// before 1980.
func fileTime() time.Time { return time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC) }

// tarGzip returns a .tar.gz archive, in the order of the paths.
func tarGzip(files members) ([]byte, error) {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // its header has no time
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		file := files[path]
		header := &tar.Header{Name: path, Mode: file.mode(), Size: int64(len(file.body)), ModTime: fileTime(), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.body); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// zipped returns a .zip archive, in the order of the paths, with modes as Unix has them.
func zipped(files members) ([]byte, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, path := range slices.Sorted(maps.Keys(files)) {
		file := files[path]
		header := &zip.FileHeader{Name: path, Method: zip.Deflate, Modified: fileTime()}
		header.SetMode(0o644)
		if file.executable {
			header.SetMode(0o755)
		}
		part, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(file.body); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
