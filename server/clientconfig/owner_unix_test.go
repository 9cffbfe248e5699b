//go:build !windows

package clientconfig

import (
	"os"
	"syscall"
	"testing"
)

// The owner stays when root edits the file of a user.
func TestOwnerStays(t *testing.T) {
	env, c := home(t), client(t, "cursor")
	path := write(t, env, c, "{}\n")
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 12345, 54321
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	ch := installed(t, env, c, testServer(), Options{})
	for _, file := range []string{path, ch.backup()} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != uid || int(owner.Gid) != gid {
			t.Errorf("%s belongs to %+v", file, info.Sys())
		}
	}
}
