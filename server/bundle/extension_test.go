package bundle

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/web"
)

func TestBuildExtensionsMakesUnpackedOnes(t *testing.T) {
	root := project(t)
	for name, text := range map[string]string{
		"manifest.json":           `{"name":"<small>","action":{"title":"t"},"icons":{}}`,
		"background.ts":           "import { host } from './platform.ts'\nexport const answer: number = 1\nconsole.log(host, answer)\n",
		"platform.ts":             "export * from './chromium/platform.ts'\n",
		"popup.html":              `<link rel="stylesheet" href="popup.css"><script type="module" src="popup.ts"></script>`,
		"popup.ts":                "document.title = 'popup'\n",
		"popup.css":               "body { color: red }\n",
		"ask.html":                `<script type="module" src="ask.ts"></script>`,
		"ask.ts":                  "document.title = 'ask'\n",
		"webmcp-page.ts":          "document.title = 'page'\n",
		"webmcp-relay.ts":         "document.title = 'relay'\n",
		"text.ts":                 "export const answer: string = document.title\n",
		"chromium/manifest.json":  `{"key":"k"}`,
		"chromium/platform.ts":    "export const host = 'its offscreen document'\n",
		"chromium/offscreen.html": `<script type="module" src="offscreen.ts"></script>`,
		"chromium/offscreen.ts":   "import { answer } from 'pagemcp'\nconsole.log(answer)\n",
		"firefox/manifest.json":   `{"action":{"area":"navbar"},"icons":null}`,
		"firefox/platform.ts":     "import { answer } from 'pagemcp'\nexport const host = 'its event page ' + answer\n",
	} {
		write(t, root, "web/extension/"+name, text)
	}
	write(t, root, "web/demo/icon.svg", "<svg/>")
	all, err := BuildExtensions(root)
	if err != nil {
		t.Fatal(err)
	}
	for browser, special := range map[string]map[string]string{
		"chromium": {
			"/manifest.json":  `"name": "<small>"`,
			"/background.js":  "its offscreen document",
			"/offscreen.html": `src="offscreen.js"`,
			"/offscreen.js":   `"/pagemcp/index.js"`, // the package, as any app has it
		},
		"firefox": {
			"/manifest.json": "{\n  \"action\": {\n    \"area\": \"navbar\",\n    \"title\": \"t\"\n  },\n  \"name\": \"<small>\"\n}\n",
			"/background.js": "its event page",
		},
	} {
		files := all[browser]
		wants := map[string]string{
			"/popup.html":          `src="popup.js"`,
			"/popup.js":            "popup",
			"/popup.css":           "red",
			"/text.js":             "var pagemcpText=(",
			"/icon.svg":            "<svg",
			"/pagemcp/index.js":    "globalThis.Go",
			"/pagemcp/engine.wasm": "\x00asm",
		}
		maps.Copy(wants, special)
		for name, want := range wants {
			if !strings.Contains(string(files[name]), want) {
				t.Errorf("%s: %s has no %q: %.200s", browser, name, want, files[name])
			}
		}
		// A script that runs within a tab has the value of its last expression.
		if text := strings.TrimSpace(string(files["/text.js"])); !strings.HasSuffix(text, "pagemcpText.answer") {
			t.Errorf("%s: text.js ends otherwise: %s", browser, text)
		}
		for name := range files {
			offscreen := browser == "firefox" && strings.HasPrefix(name, "/offscreen")
			if strings.HasPrefix(name, "/demo/") || name == "/main.js" || offscreen {
				t.Errorf("%s: %s is too much", browser, name)
			}
		}
	}
}

// The gateway has to be told the extension's origin, which follows from the key in
// Chromium: it must never change. web/docs/extension.md and the popup name it.
const extensionID = "jdaedidgmfanbcmndmollldhknabkook"

// geckoID must never change, either: Firefox takes an extension with another one for
// another extension, with an origin and storage of its own.
const geckoID = "extension@pagemcp.github.io"

func TestManifestsOfTheExtension(t *testing.T) {
	for _, browser := range ExtensionBrowsers {
		text, err := extensionManifest("../..", browser)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			Version     string   `json:"version"`
			Incognito   string   `json:"incognito"`
			Key         []byte   `json:"key"` // base64
			Chrome      string   `json:"minimum_chrome_version"`
			Permissions []string `json:"permissions"`
			Hosts       []string `json:"host_permissions"`
			Settings    struct {
				Gecko struct {
					ID   string `json:"id"`
					Min  string `json:"strict_min_version"`
					Data struct {
						Required []string `json:"required"`
					} `json:"data_collection_permissions"`
				} `json:"gecko"`
			} `json:"browser_specific_settings"`
			Background struct {
				Worker  string   `json:"service_worker"`
				Scripts []string `json:"scripts"`
				Type    string   `json:"type"`
			} `json:"background"`
			Policy struct {
				Pages string `json:"extension_pages"`
			} `json:"content_security_policy"`
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		if manifest.Version != web.Version() {
			t.Errorf("%s: version %q, want that of package.json, %s", browser, manifest.Version, web.Version())
		}
		if manifest.Incognito != "not_allowed" || manifest.Background.Type != "module" || len(manifest.Hosts) > 0 {
			t.Errorf("%s: private windows %q, background %q, host permissions %v: sites are asked for when a tab of them is ticked",
				browser, manifest.Incognito, manifest.Background.Type, manifest.Hosts)
		}
		gecko := manifest.Settings.Gecko
		want := "scripting storage tabs" // each further one frightens users
		switch browser {
		case "chromium":
			want = "offscreen " + want
			if id := chromiumID(manifest.Key); id != extensionID {
				t.Errorf("key %s… makes the id %s, want %s", base64.StdEncoding.EncodeToString(manifest.Key[:12]), id, extensionID)
			}
			if manifest.Chrome == "" || manifest.Background.Worker == "" || manifest.Background.Scripts != nil || gecko.ID != "" {
				t.Errorf("Chromium: %+v", manifest)
			}
		case "firefox":
			want = "alarms " + want
			if gecko.ID != geckoID || gecko.Min == "" || manifest.Background.Worker != "" || len(manifest.Background.Scripts) != 1 || manifest.Key != nil || manifest.Chrome != "" {
				t.Errorf("Firefox: %+v", manifest)
			}
			// Mozilla's policy counts what is sent to another program on the same machine.
			if got := strings.Join(gecko.Data.Required, " "); got != "browsingActivity websiteContent" {
				t.Errorf("Firefox: data %q, want what assistants may read: URLs and text", got)
			}
		}
		if got := strings.Join(manifest.Permissions, " "); got != want {
			t.Errorf("%s: permissions %q, want %q", browser, got, want)
		}
		allowed := strings.NewReplacer("ws://127.0.0.1:*", "", "ws://localhost:*", "").Replace(manifest.Policy.Pages)
		// Browsers ignore a source with an IPv6 address, with a warning: https://github.com/w3c/webappsec-csp/issues/440
		for _, source := range []string{"[", "'unsafe-inline'", "'unsafe-eval'", "https:", "http:", "*;", "* "} {
			if strings.Contains(allowed, source) {
				t.Errorf("%s: the Content-Security-Policy allows %q: %s", browser, source, allowed)
			}
		}
	}
}

// chromiumID returns the id that Chromium derives from a public key.
func chromiumID(key []byte) string {
	hash := sha256.Sum256(key)
	return strings.Map(func(digit rune) rune {
		if digit >= 'a' {
			return digit - 'a' + 'k'
		}
		return digit - '0' + 'a'
	}, fmt.Sprintf("%x", hash[:16]))
}
