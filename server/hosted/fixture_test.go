package hosted

import (
	"bytes"
	"encoding/base64"
	"os"
	"testing"
)

// testKey returns a line of a file of keys.
func testKey(b byte) string {
	return base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32))
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
