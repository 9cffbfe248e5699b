package devserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of a directory, which is served from memory.
const (
	maxFiles     = 10_000
	maxDirectory = 256 << 20 // bytes
)

// pollEvery is how often a directory is compared with what was read. Notifications of the
// system differ between systems, need one watch per directory on Linux, and are missing on
// network and container file systems; to look at a thousand files takes some milliseconds.
const pollEvery = 500 * time.Millisecond

// A Directory is the built files of an app. Names that begin with a dot and node_modules
// are left out, and symbolic links that lead out of it.
type Directory struct {
	root  *os.Root
	files map[string][]byte
	known map[string]fileStamp
}

// A fileStamp changes when a file is written.
type fileStamp struct {
	size     int64
	modified time.Time
}

// OpenDirectory opens the directory of an app. It must contain index.html.
func OpenDirectory(dir string) (*Directory, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of the app: %w", err)
	}
	if _, err := root.Stat("index.html"); err != nil {
		root.Close()
		return nil, fmt.Errorf("%s has no index.html: name the directory that a web host would serve, like dist", dir)
	}
	return &Directory{root: root}, nil
}

// Watch calls changed with all files by path, and again when a file has changed, until
// ctx ends; then the Directory is closed. It gets an error instead if the directory
// exceeds its bounds or cannot be read.
func (d *Directory) Watch(ctx context.Context, changed func(files map[string][]byte, err error)) {
	defer d.root.Close()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	last := ""
	for {
		different, err := d.poll()
		switch {
		case err != nil && err.Error() != last:
			last = err.Error()
			changed(nil, err)
		case err == nil && (different || last != ""):
			last = ""
			changed(maps.Clone(d.files), nil)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// poll reads the files that have changed, and reports whether any has, is new or is gone.
func (d *Directory) poll() (changed bool, err error) {
	files, known := map[string][]byte{}, map[string]fileStamp{}
	total := int64(0)
	err = fs.WalkDir(d.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		if name != "." && isPrivate(entry.Name()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.root.Stat(name) // follows links within the directory
		if err != nil || !info.Mode().IsRegular() {
			return nil // a directory, a link out of the root, or removed meanwhile
		}
		if entry.Type()&fs.ModeSymlink != 0 && !d.leadsToPublic(name) {
			return nil
		}
		total += info.Size()
		if len(files) >= maxFiles || total > maxDirectory {
			return fmt.Errorf("the directory has more than %d files or %d MiB: name the directory of the built app, like dist", maxFiles, maxDirectory>>20)
		}
		stamp := fileStamp{info.Size(), info.ModTime()}
		path := "/" + name
		if d.known[path] == stamp {
			files[path], known[path] = d.files[path], stamp
			return nil
		}
		body, err := d.root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		changed = true
		files[path], known[path] = body, stamp
		return nil
	})
	if err != nil {
		return false, err
	}
	changed = changed || len(files) != len(d.files)
	d.files, d.known = files, known
	return changed, nil
}

// isPrivate reports whether a file or directory with this name is never served.
func isPrivate(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// leadsToPublic reports whether a link leads to a file that may be served under its own path.
func (d *Directory) leadsToPublic(name string) bool {
	root, err := filepath.EvalSymlinks(d.root.Name())
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	path, err := filepath.Rel(root, target)
	return err == nil && !slices.ContainsFunc(strings.Split(path, string(filepath.Separator)), isPrivate)
}
