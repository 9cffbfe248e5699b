package bundle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/pagemcp/pagemcp/server/internal/files"
)

// maxCompressed is how many compressed files are cached: of some builds.
const maxCompressed = 400 // files, up to 1 MB each

// Brotli compresses at the highest quality, which takes seconds for engine.wasm: results are
// cached by content below root. It runs the zlib of Node, which the build of the package needs
// anyway; a brotli library would be one more module of the program and takes twice as long.
// https://www.rfc-editor.org/rfc/rfc7932
func Brotli(ctx context.Context, root string, contents []byte) ([]byte, error) {
	sum := sha256.Sum256(contents)
	cache := filepath.Join(root, ".cache", "brotli")
	file := filepath.Join(cache, hex.EncodeToString(sum[:]))
	if known, err := os.ReadFile(file); err == nil {
		return known, nil
	}
	const script = `const zlib = require('zlib'); const text = require('fs').readFileSync(0)
		const params = { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: text.length } // quality 11 by default
		process.stdout.write(zlib.brotliCompressSync(text, { params }))`
	command := exec.CommandContext(ctx, NodeProgram(root), "-e", script)
	command.Stdin = bytes.NewReader(contents)
	packed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("compress by brotli: %w", err)
	}
	if err := writeCached(cache, file, packed); err != nil {
		return nil, err
	}
	return packed, nil
}

// NodeProgram returns the Node that `npm ci` has installed below root, or the one on the PATH.
func NodeProgram(root string) string {
	own := filepath.Join(root, "web", "node_modules", ".bin", "node")
	if _, err := os.Stat(own); err == nil {
		if own, err = filepath.Abs(own); err == nil {
			return own
		}
	}
	return "node"
}

// writeCached writes a file as a whole, and removes the oldest ones beside it.
func writeCached(cache, file string, contents []byte) error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return fmt.Errorf("cache a compressed file: %w", err)
	}
	if err := files.Replace(file, contents, "", nil); err != nil {
		return fmt.Errorf("cache a compressed file: %w", err)
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) <= maxCompressed {
		return err
	}
	age := func(entry os.DirEntry) int64 {
		info, err := entry.Info()
		if err != nil { // removed meanwhile
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, entry := range entries[:len(entries)-maxCompressed] {
		os.Remove(filepath.Join(cache, entry.Name()))
	}
	return nil
}
