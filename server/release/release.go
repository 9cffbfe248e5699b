// Package release prepares what goreleaser packs (.goreleaser.yaml): programs embed the web
// files, and archives, npm packages and the MCP bundle are made of directories.
package release

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/published"
	"github.com/pagemcp/pagemcp/server/site"
)

// siteFile is the archive that a program with the build tag release embeds.
const siteFile = "server/site/site.zip"

// platforms are all platforms of a release, by GOOS and GOARCH.
var platforms = [...][2]string{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// Prepare builds the web files from the sources below root, and writes the archive that
// programs embed. Into dir it writes what else a release is made of: package, playground,
// extension and extension-firefox, the licences in documents, the icon of the MCP bundle, and
// publish with NOTES.md and the files of the repository as they are once the version is
// published. pack.sh uses them, when the programs are built.
func Prepare(ctx context.Context, root, dir string) error {
	version, err := CheckVersions(root)
	if err != nil {
		return err
	}
	web, bundled, err := bundle.BuildListed(root)
	if err != nil {
		return err
	}
	extensions, err := bundle.BuildExtensions(root)
	if err != nil {
		return err
	}
	for _, p := range platforms {
		modules, err := bundle.GoComponents(root, "./cmd/pagemcp", "release", "GOOS="+p[0], "GOARCH="+p[1])
		if err != nil {
			return err
		}
		bundled = append(bundled, modules...)
	}
	notices, err := bundle.NoticesOf(root, bundled)
	if err != nil {
		return err
	}
	if err := writeSite(root, web, extensions, notices); err != nil {
		return err
	}

	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return fmt.Errorf("read the licence: %w", err)
	}
	icon, err := os.ReadFile(filepath.Join(root, ".claude-plugin", "pagemcp", ".claude-plugin", "icon.png"))
	if err != nil {
		return fmt.Errorf("read the icon: %w", err)
	}
	files := map[string][]byte{"mcpb/icon.png": icon, "documents/LICENSE": license, "documents/" + bundle.Notices: notices, "playground/LICENSE": license}
	pack, err := bundle.PackageFiles(root, web)
	if err != nil {
		return err
	}
	for path, body := range pack {
		files["package/"+path[len(bundle.Package):]] = body
	}
	for path, body := range web {
		if below, ok := strings.CutPrefix(path, bundle.Playground); ok {
			files["playground/"+below] = body
		}
	}
	for browser, own := range extensions {
		files[bundle.ExtensionName(browser)+"/LICENSE"] = license
		for path, body := range own {
			files[bundle.ExtensionName(browser)+path] = body
		}
	}
	if err := addPublished(files, root, version); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove what was prepared before: %w", err)
	}
	return writeAll(dir, files)
}

// writeSite writes the archive that programs embed.
func writeSite(root string, web bundle.Files, extensions map[string]bundle.Files, notices []byte) error {
	files := map[string][]byte{site.Notices + "/" + bundle.Notices: notices}
	for path, body := range web {
		files[site.WebFiles+path] = body
	}
	for browser, own := range extensions {
		for path, body := range own {
			files[site.Extension+"/"+browser+path] = body
		}
	}
	packed, err := site.Pack(withoutSourceMaps(files))
	if err != nil {
		return fmt.Errorf("pack the web files: %w", err)
	}
	return writeAll(root, map[string][]byte{siteFile: packed})
}

// sourceMapComment is the last line of a script or style sheet that has a source map.
var sourceMapComment = regexp.MustCompile(`\n(//# sourceMappingURL=\S+|/\*# sourceMappingURL=\S+ \*/)\n?$`)

// withoutSourceMaps returns files without source maps, which are a third of the archive.
// The npm package has those of its files.
func withoutSourceMaps(files map[string][]byte) map[string][]byte {
	kept := map[string][]byte{}
	for path, body := range files {
		if strings.HasSuffix(path, ".map") {
			continue
		}
		if _, mapped := files[path+".map"]; mapped {
			body = sourceMapComment.ReplaceAll(body, []byte("\n"))
		}
		kept[path] = body
	}
	return kept
}

// addPublished adds what is published or committed with a version: the notes, README.md with the ways to install it, and the plugin of Claude Code,
// which then runs a published version instead of the program on the PATH.
func addPublished(files map[string][]byte, root, version string) error {
	notes, err := readSection(root, version)
	if err != nil {
		return err
	}
	install, err := published.Part("install", version)
	if err != nil {
		return err
	}
	files["publish/NOTES.md"] = slices.Concat([]byte(notes+"\n\n## Install\n\n"), install)
	add := func(file string) error {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err == nil && strings.HasSuffix(file, ".md") {
			text, err = published.Text(text, version)
		}
		if strings.HasSuffix(file, "/plugin.json") {
			start := published.Start(version)
			text = []byte(strings.NewReplacer(
				"\"command\": \"pagemcp\",\n      \"args\": [", fmt.Sprintf("\"command\": %q,\n      \"args\": [\"%s\", ", start[0], strings.Join(start[1:], `", "`)),
				`"command": "pagemcp watch`, `"command": "`+strings.Join(start, " ")+` watch`,
			).Replace(string(text)))
		}
		files["publish/repository/"+file] = text
		return err
	}
	if err := add("README.md"); err != nil {
		return err
	}
	return fs.WalkDir(os.DirFS(root), ".claude-plugin", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return add(file)
	})
}

// writeAll writes files, by path, into dir.
func writeAll(dir string, files map[string][]byte) error {
	for path, body := range files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}
