package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// playgroundBudgets are the largest sizes of the JavaScript that the playground can load, by
// origin, in bytes of gzip as web hosts send it. The npm package, which the playground contains,
// has budgets of its own. These may only become smaller.
var playgroundBudgets = map[string]int{
	allOrigins: 299_900, // 4,100 for Access and audit, of which 400 are texts; 500 more for the question before each MCP app in four languages, 2,000 for audio and video in the demo, 1,900 for the page and the chat beside a presentation
}

const allOrigins = "all but the package"

// originOf returns where a module of the playground comes from.
func originOf(module string) string {
	switch {
	case strings.HasPrefix(module, "web/src/"), strings.HasPrefix(module, goNamespace+":"):
		return "package"
	case strings.Contains(module, "node_modules/@cfworker"): // validate.ts of the package loads the same chunk
		return "package"
	case strings.Contains(module, "node_modules/preact"), strings.Contains(module, "node_modules/@preact"):
		return "preact"
	case strings.Contains(module, "node_modules/"):
		return "editor"
	case strings.Contains(module, ".texts.ts?"): // see textFiles
		return "language " + module[strings.LastIndex(module, "?")+1:]
	case strings.Contains(module, "web/playground/conformance/"):
		return "conformance"
	}
	return "own"
}

// The chunks are attributed to the modules that are in them, by bytes before compression. A
// chunk has code of the package or of the playground, up to a tenth, so that both can be counted.
func TestPlaygroundKeepsToItsBudget(t *testing.T) {
	options, err := playgroundOptions(filepath.Join("..", ".."), false)
	if err != nil {
		t.Fatal(err)
	}
	built := &part{options: options}
	files, err := partList{built}.build()
	if err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Outputs map[string]struct {
			Inputs  map[string]struct{ BytesInOutput int }
			Imports []struct{ Path string }
		}
	}
	if err := json.Unmarshal([]byte(built.metafile), &meta); err != nil {
		t.Fatal(err)
	}
	nameOf := func(output string) string { return output[strings.Index(output, outDir+"/")+len(outDir):] }
	outputs := map[string]string{} // paths in the metafile by names in files
	for output := range meta.Outputs {
		outputs[nameOf(output)] = output
	}
	sizes, chunks := map[string]int{}, 0
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || path.Ext(name) != ".js" {
			return
		}
		seen[name] = true
		chunks++
		output := meta.Outputs[outputs[name]]
		size, all, bytesOf := gzipSize(files[name]), 0, map[string]int{}
		for module, input := range output.Inputs {
			bytesOf[originOf(module)] += input.BytesInOutput
			all += input.BytesInOutput
		}
		if own := all - bytesOf["package"]; 10*min(own, all-own) > all {
			t.Errorf("%s has %d bytes of the package and %d of the playground", name, bytesOf["package"], all-bytesOf["package"])
		}
		if all == 0 { // it only imports
			bytesOf, all = map[string]int{"own": 1}, 1
		}
		for origin, bytes := range bytesOf {
			sizes[origin] += size * bytes / all
		}
		for _, imported := range output.Imports {
			if strings.Contains(imported.Path, outDir+"/") {
				visit(nameOf(imported.Path))
			}
		}
	}
	visit(Playground + "main.js")

	total, largest := 0, "" // largest of the languages besides English: a page loads one of them
	for origin, size := range sizes {
		switch {
		case origin == "package":
		case strings.HasPrefix(origin, "language ") && origin != "language en":
			if size > sizes[largest] {
				largest = origin
			}
		default:
			total += size
		}
	}
	sizes[allOrigins] = total + sizes[largest]
	for _, origin := range slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return sizes[b] - sizes[a] }) {
		t.Logf("%-20s %7d", origin, sizes[origin])
	}
	t.Logf("%d chunks", chunks)
	for origin, most := range playgroundBudgets {
		if sizes[origin] > most || sizes[origin] == 0 {
			t.Errorf("%s: %d bytes, over the budget of %d", origin, sizes[origin], most)
		}
	}
}

// gzipSize returns the size in bytes at the highest level.
func gzipSize(text []byte) int {
	var packed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // cannot fail: a valid level
	writer.Write(text)                                              // cannot fail: in memory
	writer.Close()
	return packed.Len()
}
