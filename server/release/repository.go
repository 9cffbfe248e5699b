package release

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pagemcp/pagemcp/server/published"
)

// pluginFolder is the plugin for Claude Code. What is committed there runs the program on the
// PATH; the plugin of a release runs a published version.
const pluginFolder = ".claude-plugin"

// addRepositoryFiles adds the files that are committed once the version is published: README.md
// with the ways to install it, and the plugin, which clients take from the repository.
func (a artifacts) addRepositoryFiles(root, version string) error {
	add := func(file string, change func([]byte) ([]byte, error)) error {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("collect the files of the repository: %w", err)
		}
		if text, err = change(text); err != nil {
			return fmt.Errorf("write %s for a release: %w", file, err)
		}
		a["repository/"+file] = text
		return nil
	}
	document := func(text []byte) ([]byte, error) { return published.Text(text, version) }
	if err := add("README.md", document); err != nil {
		return err
	}
	return fs.WalkDir(os.DirFS(root), pluginFolder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch path.Ext(file) {
		case ".md":
			return add(file, document)
		case ".json":
			return add(file, func(text []byte) ([]byte, error) { return releasedPlugin(file, string(text), version) })
		}
		return add(file, func(body []byte) ([]byte, error) { return body, nil })
	})
}

// releasedPlugin returns plugin.json with commands that run a published version, and other
// files as they are.
func releasedPlugin(file, text, version string) ([]byte, error) {
	if path.Base(file) != "plugin.json" {
		return []byte(text), nil
	}
	start := published.Start(version)
	for old, changed := range map[string]string{
		"\"command\": \"pagemcp\",\n      \"args\": [": fmt.Sprintf("\"command\": %q,\n      \"args\": [\"%s\", ", start[0], strings.Join(start[1:], `", "`)),
		"\"command\": \"pagemcp watch":                 "\"command\": \"" + strings.Join(start, " ") + " watch",
	} {
		if strings.Count(text, old) != 1 {
			return nil, fmt.Errorf("it does not have %s once", old)
		}
		text = strings.Replace(text, old, changed, 1)
	}
	return []byte(text), nil
}
