package bundle

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// project makes a small tree like ours: one Go file, the package's modules, one
// demo.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, module := range lazyModules {
		write(t, root, lazySource(module), "export const own = '"+module+"'\n")
	}
	for name, text := range map[string]string{
		"go.mod":                    "module example.com/small\n\ngo 1.26\n",
		"go.sum":                    "",
		"wasm/main_js.go":           "package main\n\nfunc main() {}\n",
		"web/src/index.ts":          "import 'wasm_exec'\nexport const answer: number = 42\nexport const late = () => import('./validate.ts')\n",
		"web/src/client.ts":         "export { own } from './alone.ts'\n",
		"web/src/access.ts":         "export { own } from './alone.ts'\n",
		"web/src/dev.ts":            "import { own } from './dev/own.ts'\nimport { answer } from './index.ts'\nexport const dev = [own, answer]\n",
		"web/src/dev/own.ts":        "export const own = 'a part of dev.js'\n",
		"web/src/vite.ts":           "import { join } from 'node:path'\nexport const vite = join\n",
		"web/src/alone.ts":          "export const own = 'it stands alone'\n",
		"web/src/worker.ts":         "import { read } from './readers.ts'\npostMessage(read as unknown)\n",
		"web/src/readers.ts":        "export const read = () => import('./validate.ts')\n",
		"web/src/react.ts":          "'use client'\nimport { answer } from './index.ts'\nimport { useState } from 'react'\nexport const useAnswer = () => useState(answer)\n",
		"web/demo/index.html":       `<!doctype html><script type="module" src="main.ts"></script>`,
		"web/demo/main.ts":          "document.title = 'start'\n",
		"web/demo/one/index.html":   `<!doctype html><link rel="stylesheet" href="style.css"><script type="module" src="main.ts"></script>`,
		"web/demo/one/main.ts":      "import { answer } from 'pagemcp'\nimport { twice } from './twice.ts'\ndocument.title = String(twice(answer))\nvoid import('./texts/de.ts')\n",
		"web/demo/one/texts/de.ts":  "export const texts = 'Antwort'\n",
		"web/demo/one/twice.ts":     "export const twice = (n: number) => n * 2\n",
		"web/demo/one/style.css":    "body { color: red }\n",
		"web/demo/one/.hidden.css":  "",
		"web/demo/shared/shared.ts": "export {}\n",

		"web/playground/index.html":      `<!doctype html><link rel="stylesheet" href="style.css"><script type="module" src="main.tsx"></script>`,
		"web/playground/main.tsx":        "import { shown } from './shown.tsx'\nimport('./later.ts')\nshown()\n",
		"web/playground/shown.tsx":       "import { answer } from 'pagemcp'\nexport const shown = () => { document.title = String(answer) }\n",
		"web/playground/later.ts":        "import './shown.tsx'\nexport const later = 'later'\n",
		"web/playground/style.css":       "@import './more/more.css' layer(more);\n",
		"web/playground/more/more.css":   "p { color: green }\n",
		"web/playground/more/one.txtar":  "-- transcript --\n",
		"web/playground/more/.gitignore": "",
	} {
		write(t, root, name, text)
	}
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBuildMakesPackageAndDemos(t *testing.T) {
	files, err := Build(project(t))
	if err != nil {
		t.Fatal(err)
	}
	if index := string(files["/pagemcp/index.js"]); !strings.Contains(index, `import("./validate.js")`) {
		t.Errorf("index.js does not load validate.js when it needs it: %s", index)
	}
	for _, module := range lazyModules {
		name := Package + path.Base(module) + ".js"
		if !strings.Contains(string(files[name]), module) {
			t.Errorf("%s is not %s", name, module)
		}
		delete(files, name)
	}
	for name, want := range map[string]string{
		"/pagemcp/index.js":    "globalThis.Go", // of GOROOT's wasm_exec.js
		"/pagemcp/worker.js":   "validate",      // although index.js loads it on demand
		"/pagemcp/engine.wasm": "\x00asm",
		"/pagemcp/client.js":   "stands alone",
		"/pagemcp/access.js":   "stands alone",
		"/pagemcp/dev.js":      "a part of dev.js",
		"/pagemcp/vite.js":     `"node:path"`,
		"/pagemcp/react.js":    `"use client";import{`, // React is the app's
		"/index.html":          `src="main.js"`,
		"/main.js":             "start",
		"/demo/one/index.html": `src="main.js"`,
		"/demo/one/main.js":    `"/pagemcp/index.js"`, // external: the demo uses the public entry
		"/demo/one/style.css":  "red",

		"/playground/index.html":     `src="main.js"`,
		"/playground/main.js":        `import"./chunks/`,
		"/playground/style.css":      "green",
		"/playground/more/one.txtar": "transcript",
		"/playground/engine.wasm":    "\x00asm",
		"/playground/worker.js":      "validate",

		"/pagemcp/THIRD-PARTY-NOTICES.txt":    "\nGo go1.",
		"/playground/THIRD-PARTY-NOTICES.txt": "\nGo go1.",
	} {
		if !strings.Contains(string(files[name]), want) {
			t.Errorf("%s has no %q: %.200s", name, want, files[name])
		}
		delete(files, name)
	}
	languages := 0
	for name, contents := range files {
		chunk := strings.HasPrefix(name, Playground+"chunks/") || strings.HasPrefix(name, "/demo/chunks/")
		if !chunk && path.Ext(name) != ".map" {
			t.Errorf("%s is too much", name)
		}
		if strings.HasPrefix(name, "/demo/chunks/de-") && strings.Contains(string(contents), "Antwort") && path.Ext(name) == ".js" {
			languages++
		}
	}
	if languages != 1 {
		t.Errorf("%d chunks have the texts that a demo loads on demand, want 1", languages)
	}
}

// Modules that the first view and one loaded on demand share are in the chunk of the first
// view, which pages preload.
func TestPlaygroundHasFewChunks(t *testing.T) {
	root := project(t)
	write(t, root, "web/playground/main.tsx", "import './shown.tsx'\nimport './both.ts'\nimport('./later.ts')\nimport('./other.ts')\n")
	write(t, root, "web/playground/both.ts", "export const both = 'in both'\n")
	write(t, root, "web/playground/other.ts", "import { both } from './both.ts'\nexport const other = both\n")
	files, err := Build(root)
	if err != nil {
		t.Fatal(err)
	}
	var chunks []string
	first := ""
	for name := range files {
		if below, ok := strings.CutPrefix(name, Playground+"chunks/"); ok {
			kind, _, _ := strings.Cut(below, "-")
			chunks = append(chunks, kind)
			if kind == "chunk" {
				first = "chunks/" + below
			}
		}
	}
	slices.Sort(chunks)
	if want := []string{"chunk", "later", "other", "validate"}; !slices.Equal(chunks, want) {
		t.Fatalf("chunks %v, want %v", chunks, want)
	}
	if code := string(files[Playground+first]); !strings.Contains(code, "in both") || !strings.Contains(code, `import("./other-`) {
		t.Errorf("the chunk of the first view is %s", code)
	}
	preload := `<link rel="modulepreload" href="` + first + `"><script type="module" src="main.js">`
	if page := string(files[Playground+"index.html"]); !strings.Contains(page, preload) {
		t.Errorf("index.html does not preload %s: %s", first, page)
	}
}

func TestMistakesHaveFileAndLine(t *testing.T) {
	root := project(t)
	write(t, root, "web/demo/one/twice.ts", "export const twice = (\n")
	if _, err := Build(root); err == nil || !strings.Contains(err.Error(), "web/demo/one/twice.ts:") {
		t.Errorf("TypeScript: %v", err)
	}
	write(t, root, "web/demo/one/twice.ts", "export const twice = 1\n")
	write(t, root, "wasm/main_js.go", "package main\n\nfunc main() { missing() }\n")
	if _, err := Build(root); err == nil || !strings.Contains(err.Error(), "wasm/main_js.go:3:") || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("Go: %v", err)
	}
}

// An outcome is what Watch reports of one build.
type outcome struct {
	files Files
	err   error
}

// watch watches root for a minute at most. next returns the next outcome, end ends it.
func watch(t *testing.T, root string) (next func() outcome, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	outcomes, ended := make(chan outcome, 16), make(chan error, 1)
	go func() {
		ended <- Watch(ctx, root, func(files Files, err error) { outcomes <- outcome{files, err} })
	}()
	next = func() outcome {
		t.Helper()
		select {
		case o := <-outcomes:
			return o
		case <-ctx.Done():
			t.Fatal("waited a minute for a build")
			return outcome{}
		}
	}
	return next, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A change in Go or TypeScript, a mistake, and its correction each cause a build.
func TestWatchBuildsAgain(t *testing.T) {
	root := project(t)
	next, end := watch(t, root)
	first := next()
	if first.err != nil {
		t.Fatal(first.err)
	}
	write(t, root, "web/demo/one/twice.ts", "export const twice = (n: number) => n * 4711\n")
	if o := next(); o.err != nil || !strings.Contains(string(o.files["/demo/one/main.js"]), "4711") {
		t.Errorf("TypeScript: %v", o.err)
	}
	write(t, root, "wasm/main_js.go", "package main\n\nfunc main() { missing() }\n")
	if o := next(); o.err == nil {
		t.Error("a mistake in Go went unnoticed")
	}
	write(t, root, "wasm/main_js.go", "package main\n\nfunc main() { println(1) }\n")
	if o := next(); o.err != nil || string(o.files["/pagemcp/engine.wasm"]) == string(first.files["/pagemcp/engine.wasm"]) {
		t.Errorf("Go: %v", o.err)
	}
	write(t, root, "wasm/more_js.go", "package main\n\nfunc init() { println(2) }\n")
	if o := next(); o.err != nil {
		t.Errorf("a new file: %v", o.err)
	}
	end()
}

// Modules that index.js and lazily loaded modules have in common must not have state: it
// would exist twice.
func TestModulesWithStateExistOnce(t *testing.T) {
	parts, err := packageWith(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	options := parts[0].options // the other one is worker.js, of another thread
	options.EntryPointsAdvanced = slices.DeleteFunc(options.EntryPointsAdvanced, func(entry api.EntryPoint) bool {
		return entry.InputPath == engineEntry
	})
	options.Metafile = true
	result := api.Build(*options)
	if _, err := filesOf(result); err != nil {
		t.Fatal(err)
	}
	var built struct {
		Outputs map[string]struct {
			Inputs map[string]struct{ BytesInOutput int }
		}
	}
	if err := json.Unmarshal([]byte(result.Metafile), &built); err != nil {
		t.Fatal(err)
	}
	for module, holder := range map[string]string{"connector": "index.js", "start": "index.js", "access/dialog": "dialog.js"} {
		var holders []string
		for output, made := range built.Outputs {
			if made.Inputs["web/src/"+module+".ts"].BytesInOutput > 0 {
				holders = append(holders, path.Base(output))
			}
		}
		if !slices.Equal(holders, []string{holder}) {
			t.Errorf("%s.ts is in %v, want it in %s alone", module, holders, holder)
		}
	}
}
