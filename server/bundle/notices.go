package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Notices is the name of the file with the licences of third-party code: bundled npm
// packages, Go modules and Go itself. It is in the npm package, the playground, the
// extension and beside the binary.
const Notices = "THIRD-PARTY-NOTICES.txt"

// A Component is third-party code that is distributed.
type Component struct {
	Name, Version string
	License       string // SPDX identifier
	Text          string // text of the licence, with the copyright notice
}

// allowedLicenses are the licences that may be distributed with MIT software if their
// notices are included.
var allowedLicenses = [...]string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Zlib"}

// NoticesOf returns the [Notices] file for components. A licence that is not allowed, or has no
// text, is an error.
func NoticesOf(root string, components []Component) ([]byte, error) {
	own, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("write the notices: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PageMCP\n\n%s\nIt contains the following.\n", own)
	components = slices.Clone(components)
	slices.SortFunc(components, func(a, b Component) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	for _, c := range slices.Compact(components) {
		if !slices.Contains(allowedLicenses[:], c.License) || c.Text == "" {
			return nil, fmt.Errorf("write the notices: %s %s has the licence %q, which is not among %v, or no text of it", c.Name, c.Version, c.License, allowedLicenses)
		}
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n\n%s\n", strings.Repeat("-", 80), c.Name, c.Version, c.License, strings.TrimSpace(strings.ReplaceAll(c.Text, "\r\n", "\n")))
	}
	return []byte(b.String()), nil
}

// bundledPackages returns the npm packages with code in the outputs below prefix,
// according to esbuild's metafile.
func bundledPackages(root, metafile, prefix string) (all []Component, err error) {
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct{ BytesInOutput int }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, fmt.Errorf("find what is bundled: %w", err)
	}
	dirs := map[string]bool{}
	for name, output := range meta.Outputs {
		at := strings.Index(name, outDir[1:]+prefix) // a path relative to root
		if at < 0 {
			continue
		}
		for input, in := range output.Inputs {
			if dir := packageDir(input); dir != "" && in.BytesInOutput > 0 {
				dirs[dir] = true
			}
		}
	}
	for dir := range dirs {
		one, err := npmComponent(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// packageDir returns the directory of the npm package that contains a file.
func packageDir(file string) string {
	const modules = "node_modules/"
	at := strings.LastIndex(file, modules)
	if at < 0 {
		return ""
	}
	parts := strings.SplitN(file[at+len(modules):], "/", 3)
	if strings.HasPrefix(parts[0], "@") && len(parts) > 1 {
		parts[0] += "/" + parts[1]
	}
	return file[:at+len(modules)] + parts[0]
}

func npmComponent(dir string) (c Component, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return c, fmt.Errorf("read the licence: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil { // name, version and license
		return c, fmt.Errorf("read the licence of %s: %w", dir, err)
	}
	c.Text, err = licenseText(dir)
	if c.Text == "" && c.License == "MIT" {
		var by struct{ Author string }
		if json.Unmarshal(text, &by) == nil && by.Author != "" {
			c.Text = "Copyright (c) " + by.Author + "\n\n" + mitTerms
		}
	}
	return c, err
}

// mitTerms is for packages that name their licence and author without a licence file.
const mitTerms = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

// licenseText returns the text of the licence files in dir.
func licenseText(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("read the licence: %w", err)
	}
	var texts []string
	for _, entry := range entries {
		name := strings.ToUpper(strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())))
		if entry.IsDir() || name != "LICENSE" && name != "LICENCE" && name != "COPYING" && name != "NOTICE" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", fmt.Errorf("read the licence: %w", err)
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n\n"), nil
}

// GoComponents returns Go itself and the modules that a program in root imports, built with
// tags, which may be empty; env contains GOOS and GOARCH if they differ from this machine's.
func GoComponents(root, program, tags string, env ...string) ([]Component, error) {
	goroot, err := goRoot()
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-deps"}
	if tags != "" {
		args = append(args, "-tags", tags, "-e") // -e: files that a release embeds may be missing
	}
	command := exec.Command("go", append(args, "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", program)...)
	command.Dir, command.Env = root, append(os.Environ(), env...)
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("find the modules of %s: %w", program, err)
	}
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("find the version of Go: %w", err)
	}
	modules := map[[3]string]bool{{"Go", strings.TrimSpace(string(version)), goroot}: true}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			modules[[3]string(fields)] = true
		}
	}
	var all []Component
	for m := range modules {
		text, err := licenseText(m[2])
		if err != nil {
			return nil, err
		}
		all = append(all, Component{Name: m[0], Version: m[1], License: recognize(text), Text: text})
	}
	return all, nil
}

// recognize returns the licence of a text by its wording, or "" if it is none of those
// that our modules have.
func recognize(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	switch {
	case strings.Contains(words, "Apache License Version 2.0"):
		return "Apache-2.0"
	case strings.Contains(words, "Neither the name of") && strings.Contains(words, "Redistribution and use in source and binary forms"):
		return "BSD-3-Clause"
	case strings.Contains(words, "Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case strings.Contains(words, "Permission is hereby granted, free of charge, to any person obtaining a copy"):
		return "MIT"
	case strings.Contains(words, "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"),
		strings.Contains(words, "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"):
		return "ISC"
	case strings.Contains(text, "The origin of this software must not be misrepresented"):
		return "Zlib"
	}
	return ""
}

// engineComponents returns the components of engine.wasm and Go's support file.
func engineComponents(root string) ([]Component, error) {
	return GoComponents(root, "./wasm", "", "GOOS=js", "GOARCH=wasm")
}

// BinaryNotices returns the Notices file of programs, such as ./cmd/pagemcp.
func BinaryNotices(root string, programs ...string) ([]byte, error) {
	var all []Component
	for _, program := range programs {
		components, err := GoComponents(root, program, "")
		if err != nil {
			return nil, err
		}
		all = append(all, components...)
	}
	return NoticesOf(root, all)
}
