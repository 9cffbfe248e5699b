package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/published"
)

const (
	repository = "https://github.com/" + published.Repository
	goModule   = published.Module
)

// Options of [Make].
type Options struct {
	Root      string // of the clone
	Out       string // directory for the artifacts; what is in it is removed
	Work      string // directory for programs, which stays
	Platforms []Platform
	Names     string    // [NamesRegistered] or [NamesTrial]
	Log       io.Writer // a line for each artifact, with its size
}

// Make builds all artifacts into o.Out: npm/ has the npm packages, files/ what the page of the
// release offers with SHA256SUMS, repository/ the committed files as they are after the first
// release, and beside them are the formula, the entry of the MCP registry and the notes. With
// fewer than all platforms those are left out that need others.
func Make(ctx context.Context, o Options) error {
	if err := confirmNames(o.Names, published.Registered); err != nil {
		return err
	}
	version, err := CheckVersions(o.Root)
	if err != nil {
		return err
	}
	if err := CheckNames(o.Root); err != nil {
		return err
	}
	notes, err := ReadSection(o.Root, version)
	if o.Names == NamesTrial {
		notes, err = readUnreleased(o.Root)
	}
	if err != nil {
		return err
	}
	site, err := MakeSite(o.Root)
	if err != nil {
		return err
	}
	paths, err := BuildPrograms(ctx, o.Root, o.Work, o.Platforms)
	if err != nil {
		return err
	}
	programs := map[Platform][]byte{}
	for p, path := range paths {
		if programs[p], err = os.ReadFile(path); err != nil {
			return fmt.Errorf("read the program for %s: %w", p, err)
		}
	}
	license, err := os.ReadFile(filepath.Join(o.Root, "LICENSE"))
	if err != nil {
		return fmt.Errorf("read the licence: %w", err)
	}
	documents := map[string][]byte{"/LICENSE": license, "/" + bundle.Notices: site.Notices}
	helps, err := commandDocuments(ctx, o.Root, filepath.Join(o.Work, "documents"), notes.Date)
	if err != nil {
		return err
	}

	all := artifacts{}
	tarball, manifest, err := packageTarball(o.Root, site.Web)
	if err != nil {
		return err
	}
	all["npm/pagemcp-"+version+".tgz"] = tarball
	for p, program := range programs {
		if all[fmt.Sprintf("npm/pagemcp-%s-%s-%s.tgz", p.npmOS(), p.npmCPU(), version)], err = platformTarball(p, manifest, program, documents); err != nil {
			return err
		}
		if all["files/"+archiveName(version, p)], err = programArchive(version, p, program, documents, helps); err != nil {
			return err
		}
	}
	if err := all.addWebArchives(ctx, o.Root, version, site, license); err != nil {
		return err
	}
	if all["files/pagemcp-"+version+".spdx.json"], err = spdx(version, notes.Date, slices.Concat(site.Bundled, site.Modules)); err != nil {
		return err
	}
	complete := len(programs) == len(Platforms)
	if complete {
		icon, err := bundle.Icon(bundleIcon)
		if err != nil {
			return err
		}
		if all["files/pagemcp-"+version+".mcpb"], err = mcpb(version, formulaDescription, programs, documents, icon); err != nil {
			return err
		}
	}
	sums, hashes := all.checksums()
	all["files/SHA256SUMS"] = []byte(sums)
	if complete {
		text, err := formula(version, formulaDescription, hashes)
		if err != nil {
			return err
		}
		all["pagemcp.rb"] = []byte(text)
	}
	if all["server.json"], err = registryEntry(manifest); err != nil {
		return err
	}
	install, err := published.Part("install", version)
	if err != nil {
		return err
	}
	all["NOTES.md"] = slices.Concat([]byte(notes.Text+"\n\n## Install\n\n"), install)
	if err := all.addRepositoryFiles(o.Root, version); err != nil {
		return err
	}
	if o.Names == NamesTrial {
		all["TRIAL.txt"] = []byte("Made by `make release NAMES=trial`: publish nothing of it.\n")
	}
	return all.write(o.Out, o.Log)
}

// artifacts are the files of a release by path.
type artifacts map[string][]byte

// addWebArchives adds the extension for each browser, and the playground.
func (a artifacts) addWebArchives(ctx context.Context, root, version string, site Site, license []byte) error {
	compressed, err := bundle.Compressed(ctx, root, site.Web, bundle.Playground)
	if err != nil {
		return err
	}
	playground := map[string][]byte{}
	for path, body := range compressed {
		if below, ok := strings.CutPrefix(path, bundle.Playground); ok {
			playground["/"+below] = body
		}
	}
	archives := map[string]map[string][]byte{"playground": playground}
	for browser, files := range site.Extensions {
		archives[bundle.ExtensionName(browser)] = files
	}
	for name, files := range archives {
		packed := members{"LICENSE": {body: license}}
		packed.add("", trimSlashes(files))
		if a[fmt.Sprintf("files/pagemcp-%s-%s.zip", name, version)], err = zipped(packed); err != nil {
			return err
		}
	}
	return nil
}

// checksums returns the file SHA256SUMS of what is in files/, as `sha256sum -c` reads it, and
// the hashes by file name.
func (a artifacts) checksums() (text string, hashes map[string]string) {
	hashes = map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(a)) {
		if name, ok := strings.CutPrefix(path, "files/"); ok {
			sum := sha256.Sum256(a[path])
			hashes[name] = hex.EncodeToString(sum[:])
			text += hashes[name] + "  " + name + "\n"
		}
	}
	return text, hashes
}

// write replaces what is in dir by the artifacts.
func (a artifacts) write(dir string, log io.Writer) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the artifacts of an earlier build: %w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(a)) {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write the artifacts: %w", err)
		}
		if err := os.WriteFile(file, a[path], 0o644); err != nil {
			return fmt.Errorf("write the artifacts: %w", err)
		}
		fmt.Fprintf(log, "%11d bytes  %s\n", len(a[path]), path)
	}
	return nil
}

// archiveName returns the file name of the archive with the program for p.
func archiveName(version string, p Platform) string {
	if p.OS == "windows" {
		return fmt.Sprintf("pagemcp_%s_%s.zip", version, p)
	}
	return fmt.Sprintf("pagemcp_%s_%s.tar.gz", version, p)
}

func downloadURL(version, file string) string {
	return repository + "/releases/download/v" + version + "/" + file
}

// programArchive returns the archive of a program with its documents. It has one directory at
// its root, as people unpack it anywhere, except on Windows, where unpacking makes one.
func programArchive(version string, p Platform, program []byte, documents, helps map[string][]byte) ([]byte, error) {
	files := members{"/" + p.Program(): {body: program, executable: true}}
	files.add("", documents)
	files.add("", helps)
	inside := members{}
	for path, file := range files {
		if p.OS == "windows" {
			inside[path[1:]] = file
		} else {
			inside["pagemcp_"+version+"_"+p.String()+path] = file
		}
	}
	if p.OS == "windows" {
		return zipped(inside)
	}
	return tarGzip(inside)
}

func trimSlashes(files map[string][]byte) map[string][]byte {
	trimmed := map[string][]byte{}
	for path, body := range files {
		trimmed[strings.TrimPrefix(path, "/")] = body
	}
	return trimmed
}

// indented returns JSON as people read it.
func indented(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // ">=20"
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return text.Bytes(), err
}
