package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pagemcp/pagemcp/server/published"
)

// Values of [Options].Names, which confirm who owns the names of package published.
const (
	NamesRegistered = "registered" // this project, at each registry
	NamesTrial      = "trial"      // perhaps another: the artifacts are for tests, and not published
)

// confirmNames rejects a release without a confirmation. registered says whether this program
// was built for names that are registered.
func confirmNames(names string, registered bool) error {
	if names != NamesRegistered && names != NamesTrial {
		return fmt.Errorf("nothing confirms that these names are registered: %s. A release tells readers to run packages of these names; whoever owns a name decides what runs. "+
			"Register all of them, then run `make release NAMES=%s`. To build artifacts for tests only, run `make release NAMES=%s`", strings.Join(published.All(), ", "), NamesRegistered, NamesTrial)
	}
	if !registered {
		return errors.New("this program was built without the tag registered, so that its texts name no published packages: use `make release`")
	}
	return nil
}

// A namePlace is where a committed file that cannot import package published repeats a name.
type namePlace struct {
	file    string
	pattern *regexp.Regexp // its group is the name
	name    string
}

func namePlaces() []namePlace {
	place := func(file, pattern, name string) namePlace { return namePlace{file, regexp.MustCompile(pattern), name} }
	const plugin = ".claude-plugin/pagemcp/.claude-plugin/plugin.json"
	return []namePlace{
		place("go.mod", `\Amodule (\S+)\n`, published.Module),
		place("web/package.json", `\A\{\n  "name": "([^"]+)"`, published.Package),
		place("web/package-lock.json", `\A\{\n  "name": "([^"]+)"`, published.Package),
		place("web/package-lock.json", `\n    "": \{\n      "name": "([^"]+)"`, published.Package),
		place("web/package.json", `\n  "mcpName": "([^"]+)"`, published.RegistryID),
		place("web/package.json", `\n  "homepage": "([^"#]+)#readme"`, published.Site),
		place("web/package.json", `\n  "bugs": "https://github.com/([^"]+)/issues"`, published.Repository),
		place("web/package.json", `"git\+https://github.com/([^"]+)\.git"`, published.Repository),
		place("web/src/bin/pagemcp.js", "\nconst name = `([^/`]+)/", published.Scope),
		place("web/extension/firefox/manifest.json", `"id": "([^"]+)"`, published.AddOn),
		place(".claude-plugin/marketplace.json", `"homepage": "([^"]+)"`, published.Site),
		place(".claude-plugin/marketplace.json", `"url": "https://github.com/([^"]+)"`, published.Owner),
		place(plugin, `"homepage": "([^"]+)"`, published.Site),
		place(plugin, `"repository": "https://github.com/([^"]+)"`, published.Repository),
		place(plugin, `"url": "https://github.com/([^"]+)"`, published.Owner),
		place(".github/workflows/release.yml", `\n          repository: (\S+)\n`, strings.Replace(published.Tap, "/", "/homebrew-", 1)),
	}
}

// CheckNames returns an error if a file below root has another name than package published.
func CheckNames(root string) error {
	var wrong []error
	for _, place := range namePlaces() {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(place.file)))
		if err != nil {
			return fmt.Errorf("compare names: %w", err)
		}
		found := place.pattern.FindSubmatch(text)
		if found == nil {
			wrong = append(wrong, fmt.Errorf("%s has no name where one was: %s", place.file, place.pattern))
		} else if string(found[1]) != place.name {
			wrong = append(wrong, fmt.Errorf("%s has the name %s, and server/published/names.go has %s: run `make names`", place.file, found[1], place.name))
		}
	}
	return errors.Join(wrong...)
}

// SetNames writes the names of package published into the files below root that repeat them.
func SetNames(root string) error {
	for _, place := range namePlaces() {
		err := edit(root, place.file, func(text string) (string, error) {
			found := place.pattern.FindStringSubmatchIndex(text)
			if found == nil {
				return "", fmt.Errorf("%s has no name where one was: %s", place.file, place.pattern)
			}
			return text[:found[2]] + place.name + text[found[3]:], nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
