package clientconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// replaceFile writes text to path by a temporary file and a rename, with permissions and
// owner of the file like, or 0600 if there is none. check runs before the rename.
func replaceFile(path string, text []byte, like string, check func() error) (err error) {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+".pagemcp-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(text); err != nil {
		return err
	}
	if info, statErr := os.Stat(like); statErr == nil {
		if err = keepOwner(file, info); err != nil {
			return fmt.Errorf("keep the owner: %w", err)
		}
		if err = file.Chmod(info.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
			return err
		}
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	if check != nil {
		if err = check(); err != nil {
			return err
		}
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	syncDirectory(dir)
	return nil
}

// syncDirectory makes a rename durable where the system can do so.
func syncDirectory(dir string) {
	if file, err := os.Open(dir); err == nil {
		file.Sync() // not supported by each system
		file.Close()
	}
}
