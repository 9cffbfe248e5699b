package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pagemcp/pagemcp/server/internal/files"
)

// A ChangedError reports that the client or another program changed the file between
// reading and writing. Nothing was written.
type ChangedError struct{ Path string }

// Error implements error.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s is being changed by another program: quit it, then try again", e.Path)
}

// applyAttempts is how often Apply plans a change when the file changes meanwhile.
const applyAttempts = 5

// Apply plans a change and writes it. If the file changes meanwhile, it does so again. It
// returns the change that was written, or that writes nothing; see [Change.Writes].
func Apply(plan func() (*Change, error)) (*Change, error) {
	for attempt := 1; ; attempt++ {
		ch, err := plan()
		if err != nil || !ch.Writes() {
			return ch, err
		}
		err = ch.Write()
		if changed := (*ChangedError)(nil); !errors.As(err, &changed) || attempt == applyAttempts {
			return ch, err
		}
	}
}

// Write replaces the file: it writes and syncs a temporary file beside it, and renames
// that. A crash leaves either the old or the new file. Permissions and owner stay; a new
// file can be read by the user only. Extended attributes and further hard links are not
// kept. The error is a [ChangedError] if the file is no longer the one that was read; a
// change between that check and the rename, within microseconds, is lost.
func (ch *Change) Write() error {
	if !ch.Writes() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(ch.target), 0o700); err != nil {
		return fmt.Errorf("make the directory of %s: %w", ch.Path, err)
	}
	if err := ch.writeBackup(); err != nil {
		return err
	}
	err := files.Replace(ch.target, ch.after, ch.target, func() error {
		if ch.beforeRename != nil {
			if err := ch.beforeRename(); err != nil {
				return err
			}
		}
		now, err := os.ReadFile(ch.target)
		if missing := errors.Is(err, fs.ErrNotExist); missing != ch.IsNew || !missing && err == nil && !bytes.Equal(now, ch.before) {
			return &ChangedError{ch.Path}
		} else if err != nil && !missing {
			return err
		}
		return nil
	})
	if changed := (*ChangedError)(nil); err != nil && !errors.As(err, &changed) {
		return fmt.Errorf("write %s: %w", ch.Path, err)
	}
	return err
}

// ReadableByOthers reports whether other users of the machine can read the file.
func (ch *Change) ReadableByOthers() bool {
	info, err := os.Stat(ch.target)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0
}

// writeBackup copies the file before the first change. A backup without our entry is not
// replaced by a file with it.
func (ch *Change) writeBackup() error {
	if ch.IsNew {
		return nil
	}
	if _, err := os.Lstat(ch.backup()); err == nil && ch.hadEntry {
		return nil
	}
	if err := files.Replace(ch.backup(), ch.before, ch.target, nil); err != nil {
		return fmt.Errorf("write the backup of %s: %w", ch.Path, err)
	}
	return nil
}

// ReplaceFile writes a file of this program as a whole, with permissions 0600.
func ReplaceFile(path string, text []byte) error { return files.Replace(path, text, "", nil) }
