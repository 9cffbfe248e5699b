package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/published"
)

const (
	// changelogFile has a section for each version, newest first.
	changelogFile = "web/CHANGELOG.md"

	// unreleased is the heading of what the next version brings.
	unreleased = "## Unreleased"
)

// A place is where a committed file repeats the version, or a name of package published.
type place struct {
	file    string
	pattern string // its group is the version or the name
	want    string
}

// places returns all of them. Files that are built take the version from web/package.json.
func places(version string) []place {
	const (
		v      = `(\d+\.\d+\.\d+)`
		plugin = ".claude-plugin/pagemcp/.claude-plugin/plugin.json"
	)
	return []place{
		{"web/package.json", `\A\{\n  "name": "pagemcp",\n  "version": "` + v + `"`, version},
		{"web/package-lock.json", `\A\{\n  "name": "pagemcp",\n  "version": "` + v + `"`, version},
		{"web/package-lock.json", `\n    "": \{\n      "name": "pagemcp",\n      "version": "` + v + `"`, version},
		{"web/src/start.ts", `\nexport const version = '` + v + `'`, version},
		{"web/extension/manifest.json", `\n  "version": "` + v + `"`, version},
		{"web/playground/protocol/revisions.ts", `\n  title: 'PageMCP playground',\n  version: '` + v + `'`, version},
		{"web/README.md", `\bpagemcp-` + v + `\.tgz`, version},
		{plugin, `\n  "version": "` + v + `"`, version},

		{"go.mod", `\Amodule (\S+)\n`, published.Module},
		{"web/package.json", `\n  "mcpName": "([^"]+)"`, published.RegistryID},
		{"web/package.json", `\n  "homepage": "([^"#]+)#readme"`, published.Site},
		{"web/package.json", `"git\+https://github.com/([^"]+)\.git"`, published.Repository},
		{"web/src/bin/pagemcp.js", "\nconst name = `([^/`]+)/", published.Scope},
		{"web/extension/firefox/manifest.json", `"id": "([^"]+)"`, published.AddOn},
		{".claude-plugin/marketplace.json", `"url": "https://github.com/([^"]+)"`, published.Owner},
		{plugin, `"repository": "https://github.com/([^"]+)"`, published.Repository},
		{"server/release/manifests/platform.json", `"name": "([^"/]+)/OS-CPU"`, published.Scope},
		{"server/release/manifests/server.json", `"name": "([^"]+)"`, published.RegistryID},
		{".github/workflows/release.yml", `\n          repository: (\S+)\n`, strings.Replace(published.Tap, "/", "/homebrew-", 1)},
	}
}

// CheckVersions returns the version of the sources below root. It is an error if a file has
// another one, or another name than package published.
func CheckVersions(root string) (version string, err error) {
	err = eachPlace(root, "", func(p place, text string, at [][]int) (string, error) {
		if version == "" {
			version = text[at[0][2]:at[0][3]]
			return text, nil
		}
		for _, one := range at {
			if found := text[one[2]:one[3]]; p.want == "" && found != version || p.want != "" && found != p.want {
				return text, fmt.Errorf("%s has %s, and others have %s: run `make version V=%s`", p.file, found, p.want+version, version)
			}
		}
		return text, nil
	})
	return version, err
}

// SetVersion writes the version, and the names of package published, into all files, and makes
// the changelog's section of what is not released yet that of the version, if there is one.
func SetVersion(root, version string, today time.Time) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		return fmt.Errorf("the version %q is not like 0.2.0", version)
	}
	err := eachPlace(root, version, func(p place, text string, all [][]int) (string, error) {
		for i := len(all) - 1; i >= 0; i-- {
			text = text[:all[i][2]] + p.want + text[all[i][3]:]
		}
		return text, nil
	})
	if err != nil {
		return err
	}
	return edit(root, changelogFile, func(text string) (string, error) {
		return strings.Replace(text, "\n"+unreleased+"\n", "\n## "+version+" ("+today.Format(time.DateOnly)+")\n", 1), nil
	})
}

// eachPlace edits each place with version, where its pattern is found. It returns all errors.
func eachPlace(root, version string, change func(p place, text string, found [][]int) (string, error)) error {
	var wrong []error
	for _, p := range places(version) {
		wrong = append(wrong, edit(root, p.file, func(text string) (string, error) {
			found := regexp.MustCompile(p.pattern).FindAllStringSubmatchIndex(text, -1)
			if found == nil {
				return "", fmt.Errorf("%s has nothing like %s", p.file, p.pattern)
			}
			return change(p, text, found)
		}))
	}
	return errors.Join(wrong...)
}

// edit replaces the text of a file.
func edit(root, file string, change func(string) (string, error)) error {
	path := filepath.Join(root, filepath.FromSlash(file))
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	text, err := change(string(old))
	if err != nil || text == string(old) {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// readSection returns the changelog's section of a version, as Markdown without its heading, or
// else that of what is not released yet.
func readSection(root, version string) (text string, err error) {
	err = edit(root, changelogFile, func(changelog string) (string, error) {
		found := regexp.MustCompile(`(?m)^(?:## ` + regexp.QuoteMeta(version) + ` \(\d{4}-\d\d-\d\d\)|` + unreleased + `)\n`).FindStringIndex(changelog)
		if found != nil {
			body, _, _ := strings.Cut(changelog[found[1]:], "\n## ")
			text = strings.TrimSpace(body)
		}
		if text == "" {
			return "", fmt.Errorf("%s has no section \"## %s (date)\": write what changed before the release", changelogFile, version)
		}
		return changelog, nil
	})
	return text, err
}

// CheckTag returns an error if the sources below root cannot be released as tag, for
// example v0.2.0: versions differ, the changelog has no section of it, or what is not
// released yet stands above that section.
func CheckTag(root, tag string) error {
	version, err := CheckVersions(root)
	if err != nil {
		return err
	}
	if tag != "v"+version {
		return fmt.Errorf("the tag %q is not that of version %s: run `make version V=%s`, commit, and tag that", tag, version, strings.TrimPrefix(tag, "v"))
	}
	if _, err := readSection(root, version); err != nil {
		return err
	}
	return edit(root, changelogFile, func(text string) (string, error) {
		if strings.Contains(text, "\n"+unreleased+"\n") {
			return "", fmt.Errorf("%s has a section %q: its changes would be in the release, and not in its notes", changelogFile, unreleased)
		}
		return text, nil
	})
}
