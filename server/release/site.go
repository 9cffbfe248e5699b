// Package release builds what is published: programs for six platforms with their web
// files, and what is made of them. The same sources give the same bytes.
package release

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/site"
)

// siteFile is the archive that a program with the build tag release embeds.
const siteFile = "server/site/site.zip"

// A Site is what is built from the TypeScript sources, and the inventory of what is
// distributed.
type Site struct {
	Web        bundle.Files            // as dev serves it; the npm package and the playground are in it
	Extensions map[string]bundle.Files // the unpacked browser extension, by browser

	// Bundled is the third-party code in Web, and Modules that in the programs, of all platforms.
	Bundled, Modules []bundle.Component

	// Notices are the licences of both.
	Notices []byte
}

// MakeSite builds the web files and the browser extension from the sources below root,
// and writes the archive that programs embed.
func MakeSite(root string) (s Site, err error) {
	if s.Web, s.Bundled, err = bundle.BuildListed(root); err != nil {
		return s, err
	}
	if s.Extensions, err = bundle.BuildExtensions(root); err != nil {
		return s, err
	}
	for _, p := range Platforms {
		modules, err := bundle.GoComponents(root, "./cmd/pagemcp", "release", "GOOS="+p.OS, "GOARCH="+p.Arch)
		if err != nil {
			return s, err
		}
		s.Modules = append(s.Modules, modules...)
	}
	if s.Notices, err = bundle.NoticesOf(root, slices.Concat(s.Bundled, s.Modules)); err != nil {
		return s, err
	}
	files := map[string][]byte{site.Notices + "/" + bundle.Notices: s.Notices}
	for path, body := range s.Web {
		files[site.WebFiles+path] = body
	}
	for browser, own := range s.Extensions {
		for path, body := range own {
			files[site.Extension+"/"+browser+path] = body
		}
	}
	packed, err := site.Pack(withoutSourceMaps(files))
	if err != nil {
		return s, fmt.Errorf("pack the web files: %w", err)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(siteFile)), packed, 0o644); err != nil {
		return s, fmt.Errorf("write the web files: %w", err)
	}
	return s, nil
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
