package bundle

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// What every page of an app loads may weigh this much by brotli, 5 % more than it does. The first load of the playground
// has its budget in web/test/playground/budgets.test.ts.
const (
	engineBudget = 765_000 // bytes of engine.wasm
	startBudget  = 13_560  // bytes of an app that uses start and connect, without what is loaded on demand
)

// app is the code of an app that uses start and connect.
const app = "import { start } from 'pagemcp'\nstart({ name: 'a' }).connect()\n"

// packageOnly returns the modules of the package, without engine.wasm.
func packageOnly(t *testing.T) Files {
	t.Helper()
	parts, err := packageWith(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	files, err := parts[:1].build()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// chunkHash is in the names of chunks. It is the same in all measured bundles, since another one changes what brotli
// makes of the whole by up to 60 bytes.
var chunkHash = regexp.MustCompile(`-[0-9A-Z]{8}\.js`)

// bundled bundles an app with the package in dir as esbuild's users do, and returns what the
// page loads first.
func bundled(t *testing.T, dir, code string) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, Stdin: &api.StdinOptions{Contents: code, ResolveDir: dir, Sourcefile: "app.js"},
		Bundle: true, Splitting: true, Format: api.FormatESModule, Outdir: outDir,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true,
	})
	if len(result.Errors) > 0 {
		t.Fatal(messages(result.Errors))
	}
	for _, file := range result.OutputFiles {
		if filepath.Base(file.Path) == "stdin.js" {
			return chunkHash.ReplaceAll(file.Contents, []byte("-00000000.js"))
		}
	}
	t.Fatal("esbuild wrote no stdin.js")
	return nil
}

// installed writes the package to node_modules of a new directory.
func installed(t *testing.T, files Files) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := files.Write(filepath.Join(dir, "node_modules", "pagemcp"), Package); err != nil {
		t.Fatal(err)
	}
	manifest, _, err := npmManifest(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "node_modules/pagemcp/package.json", string(manifest))
	return dir
}

// brotliSizes returns the sizes of texts at the highest quality, in bytes.
func brotliSizes(t *testing.T, texts map[string][]byte) (sizes map[string]int) {
	t.Helper()
	input, err := json.Marshal(texts) // base64
	if err != nil {
		t.Fatal(err)
	}
	const script = `const zlib = require('zlib'); const texts = JSON.parse(require('fs').readFileSync(0))
		const size = (text) => zlib.brotliCompressSync(Buffer.from(text, 'base64')).length // quality 11 by default
		console.log(JSON.stringify(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, size(text)]))))`
	command := exec.Command(NodeProgram("../.."), "-e", script)
	command.Stdin = strings.NewReader(string(input))
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v; run `npm ci` in web", err)
	}
	if err := json.Unmarshal(output, &sizes); err != nil {
		t.Fatal(err)
	}
	return sizes
}

func TestAppsKeepToTheirBudgets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	engine, err := BuildEngine(t.Context(), filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := installed(t, packageOnly(t))
	sizes := brotliSizes(t, map[string][]byte{"engine.wasm": engine, "start": bundled(t, dir, app)})
	t.Logf("%v bytes", sizes)
	for name, most := range map[string]int{"engine.wasm": engineBudget, "start": startBudget} {
		if sizes[name] > most {
			t.Errorf("%s: %d bytes by brotli, over the budget of %d: every page loads them", name, sizes[name], most)
		}
	}
}
