package bundle

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// copySources copies what the Go programs and the web files are made of to another place.
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
		case d.IsDir() && (base == "node_modules" || base == "testdata" && below != base || strings.HasPrefix(base, ".") && base != ".." && base != ".github" || below == "bin" || below == "dist"):
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

// copyPackages makes the packages of another copy of the sources: by hard links where the
// file system allows that.
func copyPackages(t *testing.T, to string) {
	t.Helper()
	const from = "../../web/node_modules"
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, "web", "node_modules", below)
		switch {
		case below == ".bin" || below == ".cache":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case !d.Type().IsRegular():
			return nil
		case os.Link(name, target) == nil:
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// distOf builds what `make build` writes to dist, besides compressed copies of these files.
func distOf(root string) (Files, error) {
	files, err := Build(root)
	if err != nil {
		return nil, err
	}
	all, err := PackageFiles(root, files)
	if err != nil {
		return nil, err
	}
	extensions, err := BuildExtensions(root)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, files)
	for browser, extension := range extensions {
		for name, contents := range extension {
			all["/"+ExtensionName(browser)+name] = contents
		}
	}
	return all, nil
}

// distHere is what several tests look at, built once.
var distHere = sync.OnceValues(func() (Files, error) { return distOf("../..") })

// The web files of a release have the same names and contents wherever they are built: names
// of chunks depend on contents alone.
func TestWebFilesAreReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	other := filepath.Join(t.TempDir(), "another", "place")
	copySources(t, other)
	copyPackages(t, other)
	here, err := distHere()
	if err != nil {
		t.Fatal(err)
	}
	there, err := distOf(other)
	if err != nil {
		t.Fatal(err)
	}
	if here["/"+ExtensionName(ExtensionBrowsers[0])+"/manifest.json"] == nil || here[Package+"types/index.d.ts"] == nil {
		t.Fatal("the extensions or the types of the package are missing")
	}
	var differ []string
	for name, contents := range here {
		if !bytes.Equal(contents, there[name]) {
			differ = append(differ, name)
		}
	}
	for name, contents := range there {
		if here[name] == nil {
			differ = append(differ, name)
		}
		if bytes.Contains(contents, []byte(other)) {
			t.Errorf("%s names the directory that it was built in", name)
		}
	}
	if len(differ) > 0 {
		slices.Sort(differ)
		t.Errorf("%d of %d files differ, or have other names: %s", len(differ), len(here), strings.Join(differ[:min(len(differ), 20)], ", "))
	}
}

// Engine and program are the same bytes wherever they are built with the flags of a
// release, so that it can be verified.
func TestBuildsAreReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	release, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(release), "    flags: [-trimpath, -buildvcs=false]\n    ldflags: [-s -w -buildid=]\n") {
		t.Error("a release is not built with -trimpath -buildvcs=false -ldflags='-s -w -buildid='")
	}
	type built struct{ engine, program [sha256.Size]byte }
	build := func(dir string) (b built) {
		copySources(t, dir)
		engine, err := BuildEngine(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "pagemcp")
		command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, "./cmd/pagemcp")
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
