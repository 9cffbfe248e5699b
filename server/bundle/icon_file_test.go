package bundle

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"testing"
)

// pluginIcon is the icon of the plugin for Claude Code. It is committed, since the plugin is
// installed from the repository without a build.
const pluginIcon = "../../.claude-plugin/pagemcp/.claude-plugin/icon.png"

var writeIcon = flag.Bool("write-icon", false, "write the icon of the plugin instead of comparing it")

// The icon of the plugin is what Icon draws, with 512 pixels, as the plugin directory requires.
func TestPluginHasTheIcon(t *testing.T) {
	drawn, err := Icon(512)
	if err != nil {
		t.Fatal(err)
	}
	if *writeIcon {
		if err := os.WriteFile(pluginIcon, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(pluginIcon)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := icon(512)
	if committed.Bounds() != want.Bounds() {
		t.Fatalf("the icon has %v, not %v", committed.Bounds(), want.Bounds())
	}
	for y := range 512 {
		for x := range 512 {
			if committed.At(x, y) != want.At(x, y) {
				t.Fatalf("the pixel (%d, %d) differs: run `go test ./server/bundle -run TestPluginHasTheIcon -write-icon`", x, y)
			}
		}
	}
}
