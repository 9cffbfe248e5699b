package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// versionFile has the version that all others follow.
const versionFile = "web/package.json"

// A versionPlace is where a committed file repeats the version. Files that are built take it
// from versionFile at that time.
type versionPlace struct {
	file    string
	pattern *regexp.Regexp // its group is the version
}

func versionPlaces() []versionPlace {
	const v = `(\d+\.\d+\.\d+)`
	place := func(file, pattern string) versionPlace { return versionPlace{file, regexp.MustCompile(pattern)} }
	return []versionPlace{
		place(versionFile, `\A\{\n  "name": "pagemcp",\n  "version": "`+v+`"`),
		place("web/package-lock.json", `\A\{\n  "name": "pagemcp",\n  "version": "`+v+`"`),
		place("web/package-lock.json", `\n    "": \{\n      "name": "pagemcp",\n      "version": "`+v+`"`),
		place("web/src/start.ts", `\nexport const version = '`+v+`'`),
		place("web/extension/manifest.json", `\n  "version": "`+v+`"`),
		place("web/playground/protocol/revisions.ts", `\n  title: 'PageMCP playground',\n  version: '`+v+`'`),
		place("web/README.md", `\bpagemcp-`+v+`\.tgz`),
		place(".claude-plugin/pagemcp/.claude-plugin/plugin.json", `\n  "version": "`+v+`"`),
	}
}

// CheckVersions returns the version of the sources below root. It is an error if a file has
// another one.
func CheckVersions(root string) (version string, err error) {
	var wrong []error
	for _, place := range versionPlaces() {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(place.file)))
		if err != nil {
			return "", fmt.Errorf("compare versions: %w", err)
		}
		found := place.pattern.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			wrong = append(wrong, fmt.Errorf("%s has no version where one was", place.file))
		}
		for _, one := range found {
			if version == "" {
				version = string(one[1])
			}
			if string(one[1]) != version {
				wrong = append(wrong, fmt.Errorf("%s has version %s, and %s has %s: run `make version V=%s`", place.file, one[1], versionFile, version, version))
			}
		}
	}
	return version, errors.Join(wrong...)
}

// SetVersion changes the version in all files, and makes the changelog's section of what is
// not released yet that of the version, if there is one.
func SetVersion(root, version string, today time.Time) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		return fmt.Errorf("the version %q is not like 0.2.0", version)
	}
	for _, place := range versionPlaces() {
		err := edit(root, place.file, func(text string) (string, error) {
			var changed strings.Builder
			at := 0
			for _, found := range place.pattern.FindAllStringSubmatchIndex(text, -1) {
				changed.WriteString(text[at:found[2]] + version)
				at = found[3]
			}
			if at == 0 {
				return "", fmt.Errorf("%s has no version where one was", place.file)
			}
			return changed.String() + text[at:], nil
		})
		if err != nil {
			return err
		}
	}
	return edit(root, changelogFile, func(text string) (string, error) {
		return strings.Replace(text, "\n"+unreleased+"\n", "\n## "+version+" ("+today.Format(time.DateOnly)+")\n", 1), nil
	})
}

// edit replaces the text of a file.
func edit(root, file string, change func(string) (string, error)) error {
	path := filepath.Join(root, filepath.FromSlash(file))
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("set the version: %w", err)
	}
	text, err := change(string(old))
	if err != nil || text == string(old) {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("set the version: %w", err)
	}
	return nil
}
