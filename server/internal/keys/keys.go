// Package keys reads the secrets that the nodes of a deployment share, and derives from them
// what hashes names in the audit log.
package keys

import (
	"bufio"
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Remedy is what to do without a key.
const Remedy = "write one with `pagemcpd keygen`"

const (
	keySize     = 32       // bytes
	maxKeys     = 16       // of a file
	maxKeysFile = 64 << 10 // bytes

	modeOfOthers = 0o007 // permissions of users outside owner and group
)

// A Ring holds the secrets that all nodes of a deployment share, 1 to 16 keys of 32
// bytes. The first one is used. It does not change. Formatting and
// logging it shows the number of keys only.
type Ring struct{ keys [][]byte }

// New returns a line for the file of keys, without a line break: 32 random bytes in
// base64url (RFC 4648, section 5) without padding.
func New() string {
	key := make([]byte, keySize)
	rand.Read(key) // never returns an error
	return base64.RawURLEncoding.EncodeToString(key)
}

// Read reads a file of keys, see [Parse]. The file must be a regular one that
// users outside its owner and group cannot access; symbolic links are followed.
func Read(name string) (Ring, error) {
	// Not opened before: opening a named pipe blocks until there is a writer.
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		if errors.Is(err, fs.ErrNotExist) {
			return Ring{}, fmt.Errorf("%s does not exist; %s", name, Remedy)
		}
		if err == nil {
			err = fmt.Errorf("%s is not a file", name)
		}
		return Ring{}, err
	}
	file, err := os.Open(name)
	if err != nil {
		return Ring{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Ring{}, err
	}
	if err := checkMode(info, name); err != nil {
		return Ring{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeysFile+1))
	if err != nil {
		return Ring{}, err
	}
	ring, err := Parse(text)
	if err != nil {
		return Ring{}, fmt.Errorf("%s: %w", name, err)
	}
	return ring, nil
}

// checkMode returns an error if users outside the owner and group of a file can access it.
func checkMode(info fs.FileInfo, name string) error {
	if mode := info.Mode().Perm(); mode&modeOfOthers != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is open to all users of the machine (mode %04o); run `chmod 0440 %s`, or set `defaultMode: 0440` in Kubernetes", name, mode, name)
	}
	return nil
}

// CheckPrivate returns an error if users outside the owner and group of a file can access it.
func CheckPrivate(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return checkMode(info, name)
}

// Parse reads the text of a file of keys: one per line, in base64url. Empty lines and
// lines that begin with # are ignored. Errors name lines, and contain nothing of them.
func Parse(text []byte) (Ring, error) {
	if len(text) > maxKeysFile {
		return Ring{}, fmt.Errorf("the file is longer than %d KiB", maxKeysFile>>10)
	}
	var ring Ring
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxKeysFile+1)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		key, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(line, "="))
		switch {
		case err != nil:
			return Ring{}, fmt.Errorf("line %d is not base64url; %s", number, Remedy)
		case len(key) != keySize:
			return Ring{}, fmt.Errorf("the key in line %d has %d bytes, want %d; %s", number, len(key), keySize, Remedy)
		case slices.ContainsFunc(ring.keys, func(other []byte) bool { return bytes.Equal(other, key) }):
			return Ring{}, fmt.Errorf("the key in line %d is there already; remove one of them", number)
		case len(ring.keys) == maxKeys:
			return Ring{}, fmt.Errorf("there are more than %d keys; remove the oldest ones", maxKeys)
		}
		ring.keys = append(ring.keys, key)
	}
	if err := lines.Err(); err != nil {
		return Ring{}, err
	}
	if len(ring.keys) == 0 {
		return Ring{}, errors.New("there is no key; " + Remedy)
	}
	return ring, nil
}

// Audit returns the key that names in the audit log are hashed with: of the first one of the ring
// (RFC 5869 with SHA-256, without salt; info is "audit").
func (r Ring) Audit() []byte {
	key, err := hkdf.Key(sha256.New, r.keys[0], nil, "audit", keySize)
	if err != nil { // only for lengths above 255 hashes
		panic(err)
	}
	return key
}

// Format implements fmt.Formatter for all verbs: the secrets are not in the output.
func (r Ring) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "%d keys", len(r.keys)) }

// LogValue implements slog.LogValuer.
func (r Ring) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%d keys", len(r.keys))) }

// MarshalText implements encoding.TextMarshaler.
func (r Ring) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d keys", len(r.keys)), nil }
