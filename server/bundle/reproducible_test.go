package bundle

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// copySources copies what the Go programs are made of to another place.
func copySources(t *testing.T, to string) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		switch base := d.Name(); {
		case d.IsDir() && (base == "node_modules" || base == "testdata" || strings.HasPrefix(base, ".") && base != ".." || below == "bin" || below == "dist"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, below), 0o755)
		case strings.HasSuffix(base, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, below), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Engine and program are the same bytes wherever they are built with the flags of the
// Makefile, so that a release can be verified.
func TestBuildsAreReproducible(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	const flags = "build -trimpath -buildvcs=false -ldflags=-buildid="
	if !strings.Contains(string(makefile), "CGO_ENABLED=0 $(GO) "+flags+" -o $(BIN)/pagemcp ./cmd/pagemcp") {
		t.Errorf("the Makefile does not build the program by CGO_ENABLED=0 go %s", flags)
	}
	type built struct{ engine, program [sha256.Size]byte }
	build := func(dir string) (b built) {
		copySources(t, dir)
		engine, problems, err := BuildEngine(t.Context(), dir)
		if err != nil || problems != nil {
			t.Fatal(err, problems)
		}
		out := filepath.Join(t.TempDir(), "pagemcp")
		command := exec.Command("go", append(strings.Fields(flags), "-o", out, "./cmd/pagemcp")...)
		command.Dir, command.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		program, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for name, contents := range map[string][]byte{"engine.wasm": engine, "pagemcp": program} {
			if bytes.Contains(contents, []byte(dir)) {
				t.Errorf("%s names the directory that it was built in", name)
			}
		}
		return built{sha256.Sum256(engine), sha256.Sum256(program)}
	}
	one, other := build(t.TempDir()), build(filepath.Join(t.TempDir(), "another", "place"))
	if one != other {
		t.Errorf("built in two directories the engine differs: %v, the program: %v", one.engine != other.engine, one.program != other.program)
	}
}
