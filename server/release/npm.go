package release

import (
	"encoding/json"
	"fmt"

	"github.com/pagemcp/pagemcp/server/bundle"
)

// packageTarball returns the npm package `pagemcp` and its package.json.
func packageTarball(root string, web bundle.Files) (tarball, manifest []byte, err error) {
	files, err := bundle.PackageFiles(root, web)
	if err != nil {
		return nil, nil, err
	}
	all := members{}
	for path, body := range files {
		below := path[len(bundle.Package):]
		all["package/"+below] = member{body: body, executable: below == bundle.Launcher}
	}
	tarball, err = tarGzip(all)
	return tarball, files[bundle.Package+"package.json"], err
}

// A platformManifest is the package.json of a package with the program for one platform.
type platformManifest struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	Description string          `json:"description"`
	Homepage    string          `json:"homepage,omitempty"`
	Bugs        string          `json:"bugs,omitempty"`
	Repository  json.RawMessage `json:"repository,omitempty"`
	License     string          `json:"license"`
	Author      string          `json:"author,omitempty"`
	Type        string          `json:"type"`
	OS          []string        `json:"os"`
	CPU         []string        `json:"cpu"`
	Engines     json.RawMessage `json:"engines,omitempty"`
	Publish     json.RawMessage `json:"publishConfig,omitempty"`

	// PreferUnplugged keeps the program a file with Yarn's Plug'n'Play.
	PreferUnplugged bool `json:"preferUnplugged"`
}

// platformTarball returns the npm package with the program for p. It shares the metadata of
// manifest, the package.json of `pagemcp`.
func platformTarball(p Platform, manifest, program []byte, documents map[string][]byte) ([]byte, error) {
	var m platformManifest
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("read package.json: %w", err)
	}
	m.Name = bundle.PlatformPackage(p.npmOS() + "-" + p.npmCPU())
	m.Description = fmt.Sprintf("The program pagemcp for %s on %s. Install the package pagemcp instead, which starts it.", p.npmOS(), p.npmCPU())
	m.Type, m.OS, m.CPU, m.PreferUnplugged = "commonjs", []string{p.npmOS()}, []string{p.npmCPU()}, true
	text, err := indented(m)
	if err != nil {
		return nil, err
	}
	files := members{
		"package/package.json":       {body: text},
		"package/README.md":          {body: []byte("# " + m.Name + "\n\n" + m.Description + "\n")},
		"package/bin/" + p.Program(): {body: program, executable: true},
	}
	files.add("package", documents)
	return tarGzip(files)
}
