package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/web"
)

func TestBuildExtensionMakesAnUnpackedOne(t *testing.T) {
	root := project(t)
	for name, text := range map[string]string{
		"manifest.json":  "{}",
		"background.ts":  "export const answer: number = 1\nconsole.log(answer)\n",
		"offscreen.html": `<script type="module" src="offscreen.ts"></script>`,
		"offscreen.ts":   "import { answer } from 'pagemcp'\nconsole.log(answer)\n",
		"popup.html":     `<link rel="stylesheet" href="popup.css"><script type="module" src="popup.ts"></script>`,
		"popup.ts":       "document.title = 'popup'\n",
		"popup.css":      "body { color: red }\n",
		"text.ts":        "export const answer: string = document.title\n",
	} {
		write(t, root, "web/extension/"+name, text)
	}
	write(t, root, "web/demo/icon.svg", "<svg/>")
	files, err := BuildExtension(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"/manifest.json":       "{}",
		"/background.js":       "console.log",
		"/offscreen.html":      `src="offscreen.js"`,
		"/offscreen.js":        `"/pagemcp/index.js"`, // the package, as any app has it
		"/popup.html":          `src="popup.js"`,
		"/popup.js":            "popup",
		"/popup.css":           "red",
		"/text.js":             "var pagemcpText=(",
		"/icon.svg":            "<svg",
		"/pagemcp/index.js":    "globalThis.Go",
		"/pagemcp/engine.wasm": "\x00asm",
	} {
		if !strings.Contains(string(files[name]), want) {
			t.Errorf("%s has no %q: %.200s", name, want, files[name])
		}
	}
	// A script that runs within a tab has the value of its last expression.
	if text := strings.TrimSpace(string(files["/text.js"])); !strings.HasSuffix(text, "pagemcpText.answer") {
		t.Errorf("text.js ends otherwise: %s", text)
	}
	for _, size := range extensionSizes {
		config, err := png.DecodeConfig(bytes.NewReader(files[fmt.Sprintf("/icon-%d.png", size)]))
		if err != nil || config.Width != size || config.Height != size {
			t.Errorf("icon of %d pixels: %v, %d × %d", size, err, config.Width, config.Height)
		}
	}
	for name := range files {
		if strings.HasPrefix(name, "/demo/") || name == "/main.js" {
			t.Errorf("%s is too much", name)
		}
	}
}

// The gateway has to be told the extension's origin, which follows from the key: it
// must never change. web/docs/extension.md and the popup name it.
const extensionID = "jdaedidgmfanbcmndmollldhknabkook"

func TestManifestOfTheExtension(t *testing.T) {
	text, err := os.ReadFile("../../web/extension/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Version     string   `json:"version"`
		Key         []byte   `json:"key"` // base64
		Permissions []string `json:"permissions"`
		Hosts       []string `json:"host_permissions"`
		Policy      struct {
			Pages string `json:"extension_pages"`
		} `json:"content_security_policy"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != web.Version() {
		t.Errorf("version %q, want that of package.json, %s", manifest.Version, web.Version())
	}
	hash := sha256.Sum256(manifest.Key)
	id := strings.Map(func(digit rune) rune {
		if digit >= 'a' {
			return digit - 'a' + 'k'
		}
		return digit - '0' + 'a'
	}, fmt.Sprintf("%x", hash[:16]))
	if id != extensionID {
		t.Errorf("key %s… makes the id %s, want %s", base64.StdEncoding.EncodeToString(manifest.Key[:12]), id, extensionID)
	}
	if got := strings.Join(manifest.Permissions, " "); got != "offscreen scripting storage tabs" {
		t.Errorf("permissions %s: each one more frightens users; say here why", got)
	}
	if len(manifest.Hosts) > 0 {
		t.Errorf("host permissions %v: sites are asked for when a tab of them is ticked", manifest.Hosts)
	}
	for _, source := range []string{"'unsafe-inline'", "'unsafe-eval'", "https:", "http:", "*;", "* "} {
		allowed := strings.NewReplacer("ws://127.0.0.1:*", "", "ws://localhost:*", "", "ws://[::1]:*", "").Replace(manifest.Policy.Pages)
		if strings.Contains(allowed, source) {
			t.Errorf("the Content-Security-Policy allows %q: %s", source, allowed)
		}
	}
}
