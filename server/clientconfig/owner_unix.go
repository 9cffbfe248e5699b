//go:build !windows

package clientconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives file the owner and group of another file, where they differ.
func keepOwner(file *os.File, like fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	now, ok := info.Sys().(*syscall.Stat_t)
	want, okay := like.Sys().(*syscall.Stat_t)
	if !ok || !okay || now.Uid == want.Uid && now.Gid == want.Gid {
		return nil
	}
	return file.Chown(int(want.Uid), int(want.Gid))
}
