package bundle

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The sizes in web/bench/RESULTS.md are those of the built files, within 1 %: of a source, 1 %
// of the app with it. The size of engine.wasm is checked where it is built (cmd/pagemcp).
func TestResultsStatePresentSizes(t *testing.T) {
	files := packageOnly(t)
	apps, err := benchApps(filepath.Join("..", ".."), files)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{"worker.js": files[Package+"worker.js"], "app with start and webSocket": apps[appDir+"size-start.js"]}
	for _, name := range exportedSources(t) {
		texts["added by "+name] = apps[appDir+"size-"+name+".js"]
	}
	sizes := brotliSizes(t, texts)
	base := sizes["app with start and webSocket"]
	results, err := os.ReadFile(filepath.Join("..", "..", "web", "bench", "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range texts {
		size := float64(sizes[name])
		tolerance := size / 100
		if strings.HasPrefix(name, "added by ") {
			size -= float64(base)
		}
		stated := statedSize(t, string(results), name)
		if math.Abs(stated*1000-size) > tolerance {
			t.Errorf("%s: RESULTS.md states %.2f KB, it is %.2f: run `make bench ARGS=size`, then bench/run.ts --update with its file", name, stated, size/1000)
		}
	}
}

// statedSize returns a size by brotli from the table of sizes, KB.
func statedSize(t *testing.T, results, name string) float64 {
	t.Helper()
	row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` +\| +[\d.,]+ \| +[\d.,]+ \| +([\d.]+) \|$`).FindStringSubmatch(results)
	if row == nil {
		t.Fatalf("RESULTS.md does not state the size of %s", name)
	}
	size, err := strconv.ParseFloat(row[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return size
}
