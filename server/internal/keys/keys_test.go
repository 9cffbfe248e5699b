package keys

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestKey returns a key whose bytes are all b, and its line.
func testKey(b byte) (line string) {
	return base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{b}, keySize))
}

func writeFile(t testing.TB, name, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return name
}

func TestKeysAreReadInOrder(t *testing.T) {
	one, two := testKey(1), testKey(2)
	for _, text := range []string{
		one + "\n" + two + "\n", one + "\n" + two, "# old ones at the end\n\n" + one + "=\r\n\t" + two + " \r\n",
	} {
		ring, err := Parse([]byte(text))
		if err != nil || len(ring.keys) != 2 || ring.keys[0][0] != 1 || ring.keys[1][0] != 2 {
			t.Errorf("%q: %v, %v", text, ring, err)
		}
	}
}

func TestKeysAreRefused(t *testing.T) {
	short := base64.RawURLEncoding.EncodeToString(make([]byte, 31))
	long := base64.RawURLEncoding.EncodeToString(make([]byte, 33))
	standard := base64.RawStdEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, keySize))
	var many strings.Builder
	for i := range maxKeys + 1 {
		fmt.Fprintln(&many, testKey(byte(i)))
	}
	for _, row := range []struct{ text, want string }{
		{"", "there is no key; write one with `pagemcpd keygen`"},
		{"\n# a comment\n", "there is no key; write one with `pagemcpd keygen`"},
		{testKey(1) + "\n" + short, "the key in line 2 has 31 bytes, want 32; write one with `pagemcpd keygen`"},
		{long, "the key in line 1 has 33 bytes, want 32; write one with `pagemcpd keygen`"},
		{"changeme", "the key in line 1 has 6 bytes, want 32; write one with `pagemcpd keygen`"},
		{"a secret password", "line 1 is not base64url; write one with `pagemcpd keygen`"},
		{standard, "line 1 is not base64url; write one with `pagemcpd keygen`"},
		{testKey(1)[:42] + "B", "line 1 is not base64url; write one with `pagemcpd keygen`"}, // bits after the last byte
		{testKey(1) + "\n" + testKey(1), "the key in line 2 is there already; remove one of them"},
		{many.String(), "there are more than 16 keys; remove the oldest ones"},
		{strings.Repeat("#", maxKeysFile+1), "the file is longer than 64 KiB"},
	} {
		_, err := Parse([]byte(row.text))
		if err == nil || err.Error() != row.want {
			t.Errorf("%.80q: %v, want %s", row.text, err, row.want)
		}
	}
}

func TestGeneratedKeysAreReadAndDiffer(t *testing.T) {
	ring, err := Parse([]byte(New() + "\n" + New() + "\n"))
	if err != nil || len(ring.keys) != 2 {
		t.Errorf("%v, %v", ring, err)
	}
}

func TestKeysOfOtherUsersFilesAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	for mode, ok := range map[os.FileMode]bool{
		0o400: true, 0o600: true, 0o440: true, 0o640: true,
		0o444: false, 0o644: false, 0o604: false, 0o602: false, 0o601: false, 0o666: false,
	} {
		name := writeFile(t, filepath.Join(t.TempDir(), "keys"), testKey(1), mode)
		_, err := Read(name)
		if ok != (err == nil) {
			t.Errorf("mode %04o: %v", mode, err)
		}
		want := fmt.Sprintf("%s is open to all users of the machine (mode %04o); run `chmod 0440 %s`, or set `defaultMode: 0440` in Kubernetes", name, mode, name)
		if !ok && err != nil && err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Kubernetes replaces a secret by changing a symbolic link.
func TestKeysAreReadThroughSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "target"), testKey(1), 0o440)
	link := filepath.Join(dir, "keys")
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err) // Windows demands a privilege
	}
	if _, err := Read(link); err != nil {
		t.Error(err)
	}
	if _, err := Read(dir); err == nil || err.Error() != dir+" is not a file" {
		t.Errorf("a directory: %v", err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := Read(missing); err == nil || err.Error() != missing+" does not exist; write one with `pagemcpd keygen`" {
		t.Errorf("no file: %v", err)
	}
}

func FuzzKeysAreReadOrRefused(f *testing.F) {
	f.Add([]byte(testKey(1) + "\n"))
	f.Add([]byte("# \n\xff\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if ring, err := Parse(text); err == nil {
			if len(ring.keys) == 0 || len(ring.keys) > maxKeys {
				t.Errorf("%d keys", len(ring.keys))
			}
			ring.Audit()
		}
	})
}
