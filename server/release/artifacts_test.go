package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/bundle"
)

func TestSpdxListsComponentsOnce(t *testing.T) {
	components := []bundle.Component{
		{Name: "@codemirror/view", Version: "6.1.0", License: "MIT", Text: "Copyright (C) 2018 by A\n\nterms"},
		{Name: "Go", Version: "go1.26.8", License: "BSD-3-Clause", Text: "Copyright 2009 The Go Authors."},
		{Name: "golang.org/x/time", Version: "v0.16.0", License: "BSD-3-Clause", Text: "terms of copyright holders"},
		{Name: "Go", Version: "go1.26.8", License: "BSD-3-Clause", Text: "Copyright 2009 The Go Authors."},
	}
	text, err := spdx("0.2.0", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), components)
	if err != nil {
		t.Fatal(err)
	}
	var document spdxDocument
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if document.Creation.Created != "2026-12-01T00:00:00Z" || document.Relationships[0].Type != "DESCRIBES" || len(document.Relationships) != 4 {
		t.Errorf("%s", text)
	}
	var got []string
	ids := map[string]bool{}
	for _, one := range document.Packages[1:] {
		got = append(got, one.References[0].Locator+" "+one.Declared+" "+one.Copyright)
		ids[one.ID] = true
	}
	want := []string{
		"pkg:npm/%40codemirror/view@6.1.0 MIT Copyright (C) 2018 by A",
		"pkg:golang/stdlib@1.26.8 BSD-3-Clause Copyright 2009 The Go Authors.",
		"pkg:golang/golang.org/x/time@v0.16.0 BSD-3-Clause NOASSERTION",
	}
	if !slices.Equal(got, want) || len(ids) != 3 {
		t.Errorf("%q, %v", got, ids)
	}
}

func TestChecksumsCoverFiles(t *testing.T) {
	text, hashes := artifacts{"files/b": []byte("abc"), "npm/c": []byte("c"), "files/a": nil}.checksums()
	const empty, abc = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if text != empty+"  a\n"+abc+"  b\n" || !maps.Equal(hashes, map[string]string{"a": empty, "b": abc}) {
		t.Errorf("%s %v", text, hashes)
	}
}

// The formula has the archives of four platforms with their hashes.
func TestFormula(t *testing.T) {
	hashes := map[string]string{}
	for _, p := range Platforms {
		hashes[archiveName("0.2.0", p)] = strings.Repeat("0", 64-len(p.String())) + p.String()
	}
	text, err := formula("0.2.0", formulaDescription, hashes)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Platforms {
		name := archiveName("0.2.0", p)
		line := "url \"https://github.com/pagemcp/pagemcp/releases/download/v0.2.0/" + name + "\"\n      sha256 \"" + hashes[name] + "\""
		if strings.Contains(text, line) == (p.OS == "windows") {
			t.Errorf("%s: %v", p, text)
		}
	}
	// https://docs.brew.sh/Formula-Cookbook and the audit of descriptions
	if len(formulaDescription) > 80 || strings.HasSuffix(formulaDescription, ".") || strings.HasPrefix(formulaDescription, "A ") || strings.Contains(formulaDescription, "PageMCP") {
		t.Errorf("description %q", formulaDescription)
	}
	delete(hashes, archiveName("0.2.0", Platforms[0]))
	if _, err := formula("0.2.0", formulaDescription, hashes); err == nil {
		t.Error("a formula without a hash")
	}
}

// The entry of the registry has name and version of the package, as the registry compares them.
func TestRegistryEntry(t *testing.T) {
	text, err := registryEntry([]byte(`{"name":"pagemcp","version":"0.2.0","mcpName":"io.github.pagemcp/pagemcp"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got registryServer
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	one := got.Packages[0]
	if got.Name != "io.github.pagemcp/pagemcp" || got.Version != "0.2.0" || one.Version != "0.2.0" || one.Identifier != "pagemcp" || one.Arguments[0]["value"] != "stdio" {
		t.Errorf("%s", text)
	}
}

// The bundle has both programs with modes that let them run, and a manifest for both systems.
func TestMcpb(t *testing.T) {
	programs := map[Platform][]byte{
		{"darwin", "amd64"}: thin(0x01000007, 3, "a"), {"darwin", "arm64"}: thin(0x0100000c, 0, "b"), {"windows", "amd64"}: []byte("MZ"),
	}
	packed, err := mcpb("0.2.0", "text", programs, map[string][]byte{"/LICENSE": []byte("MIT")}, []byte("png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"manifest.json", "icon.png", "server/pagemcp", "server/pagemcp.exe", "LICENSE"} {
		if !bytes.Contains(packed, []byte(name)) {
			t.Errorf("%s is missing", name)
		}
	}
	delete(programs, Platform{"windows", "amd64"})
	if _, err := mcpb("0.2.0", "text", programs, nil, nil); err == nil {
		t.Error("a bundle without the program for Windows")
	}
}

// Names of platforms are Go's in files and Node's in packages.
func TestPlatformNames(t *testing.T) {
	all, err := ParsePlatforms("linux_amd64,windows_arm64")
	if err != nil || len(all) != 2 || all[1] != (Platform{"windows", "arm64"}) {
		t.Fatal(all, err)
	}
	if got := all[0].npmOS() + "-" + all[0].npmCPU() + " " + all[1].npmOS() + "-" + all[1].npmCPU() + " " + all[1].Program(); got != "linux-x64 win32-arm64 pagemcp.exe" {
		t.Error(got)
	}
	if _, err := ParsePlatforms("linux_386"); err == nil {
		t.Error("linux_386 is accepted")
	}
}

// unpackTar returns the files of a .tar.gz archive: modes and contents by path.
func unpackTar(t *testing.T, packed []byte) (modes map[string]int64, bodies map[string]string) {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	modes, bodies = map[string]int64{}, map[string]string{}
	for r := tar.NewReader(plain); ; {
		header, err := r.Next()
		if err == io.EOF {
			return modes, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name], bodies[header.Name] = header.Mode, string(body)
	}
}

// The package of a platform has its program, for this platform alone, and the metadata of
// the main package, without entry points or scripts.
func TestPlatformPackage(t *testing.T) {
	manifest := []byte(`{"name":"pagemcp","version":"0.2.0","license":"MIT","exports":{".":"./index.js"},"scripts":{"postinstall":"x"},"repository":{"type":"git","url":"u"},"engines":{"node":">=20"}}`)
	packed, err := platformTarball(Platform{"windows", "arm64"}, manifest, []byte("MZ"), map[string][]byte{"/LICENSE": []byte("terms")})
	if err != nil {
		t.Fatal(err)
	}
	modes, bodies := unpackTar(t, packed)
	want := map[string]int64{"package/package.json": 0o644, "package/README.md": 0o644, "package/LICENSE": 0o644, "package/bin/pagemcp.exe": 0o755}
	if !maps.Equal(modes, want) || bodies["package/bin/pagemcp.exe"] != "MZ" {
		t.Errorf("%v", modes)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(bodies["package/package.json"]), &got); err != nil {
		t.Fatal(err)
	}
	if got["name"] != "@pagemcp/win32-arm64" || got["version"] != "0.2.0" || fmt.Sprint(got["os"], got["cpu"], got["repository"]) != "[win32] [arm64] map[type:git url:u]" || got["scripts"] != nil || got["exports"] != nil {
		t.Errorf("%v", got)
	}
}

// An archive has one directory at its root, except on Windows, where unpacking makes one.
func TestProgramArchive(t *testing.T) {
	documents, helps := map[string][]byte{"/LICENSE": []byte("terms")}, map[string][]byte{"/man/pagemcp.1": []byte(".TH")}
	packed, err := programArchive("0.2.0", Platform{"linux", "arm64"}, []byte("ELF"), documents, helps)
	if err != nil {
		t.Fatal(err)
	}
	modes, _ := unpackTar(t, packed)
	const folder = "pagemcp_0.2.0_linux_arm64"
	if !maps.Equal(modes, map[string]int64{folder + "/pagemcp": 0o755, folder + "/LICENSE": 0o644, folder + "/man/pagemcp.1": 0o644}) {
		t.Errorf("%v", modes)
	}
	packed, err = programArchive("0.2.0", Platform{"windows", "amd64"}, []byte("MZ"), documents, helps)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(r.File) != 3 || r.File[2].Name != "pagemcp.exe" || r.File[2].Mode().Perm() != 0o755 {
		t.Errorf("%+v, %v", r, err)
	}
}
