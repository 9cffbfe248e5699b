package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// ExtensionBrowsers are the browsers that there is an extension for. What differs between
// them is in a directory of web/extension with that name.
var ExtensionBrowsers = [...]string{"chromium", "firefox"}

// ExtensionName returns the name of the extension for a browser in paths: extension, or
// extension-firefox.
func ExtensionName(browser string) string {
	if browser == "chromium" {
		return "extension"
	}
	return "extension-" + browser
}

// BuildExtensions builds the browser extension for each of [ExtensionBrowsers]: / is its
// root, with the manifest, and below /pagemcp/ is the npm package.
func BuildExtensions(root string) (map[string]Files, error) {
	shared, err := packageWith(root,
		api.EntryPoint{InputPath: "web/extension/popup.html", OutputPath: "popup"},
		api.EntryPoint{InputPath: "web/extension/popup.css", OutputPath: "popup"},
		api.EntryPoint{InputPath: "web/extension/ask.html", OutputPath: "ask"},
		api.EntryPoint{InputPath: "web/demo/icon.svg", OutputPath: "icon"},
	)
	if err != nil {
		return nil, err
	}
	icons, err := filepath.Glob(filepath.Join(root, "web", "extension", "icon-*.png")) // manifests do not support SVG
	if err != nil {
		return nil, err
	}
	for _, icon := range icons {
		name := filepath.Base(icon)
		shared[0].options.EntryPointsAdvanced = append(shared[0].options.EntryPointsAdvanced, api.EntryPoint{
			InputPath: "web/extension/" + name, OutputPath: strings.TrimSuffix(name, ".png"),
		})
	}
	// Scripts for tabs are not modules. Their result is the value of the last expression.
	script := *shared[0].options
	script.EntryPointsAdvanced = []api.EntryPoint{{InputPath: "web/extension/text.ts", OutputPath: "text"}}
	script.Format = api.FormatIIFE
	script.Plugins = append([]api.Plugin{publicSources(script.AbsWorkingDir)}, script.Plugins...) // a script cannot import
	script.GlobalName = "pagemcpText"
	script.Footer = map[string]string{"js": "pagemcpText.answer"}
	shared = append(shared, &part{options: &script})
	tools := script // of the tools of a tab: these have no result
	tools.EntryPointsAdvanced = []api.EntryPoint{
		{InputPath: "web/extension/webmcp-page.ts", OutputPath: "webmcp-page"},
		{InputPath: "web/extension/webmcp-relay.ts", OutputPath: "webmcp-relay"},
	}
	tools.GlobalName, tools.Footer = "", nil
	shared = append(shared, &part{options: &tools})
	files, err := shared.build()
	if err != nil {
		return nil, err
	}
	components, err := engineComponents(root)
	if err != nil {
		return nil, err
	}
	packages, err := shared.bundled(root, "/")
	if err != nil {
		return nil, err
	}

	all := map[string]Files{}
	for _, browser := range ExtensionBrowsers {
		own := *shared[0].options
		own.EntryPointsAdvanced = []api.EntryPoint{
			{InputPath: "web/extension/background.ts", OutputPath: "background"},
			{InputPath: "web/extension/popup.ts", OutputPath: "popup"},
			{InputPath: "web/extension/ask.ts", OutputPath: "ask"},
		}
		if browser == "chromium" {
			own.EntryPointsAdvanced = append(own.EntryPointsAdvanced,
				api.EntryPoint{InputPath: "web/extension/chromium/offscreen.ts", OutputPath: "offscreen"},
				api.EntryPoint{InputPath: "web/extension/chromium/offscreen.html", OutputPath: "offscreen"})
		}
		own.Plugins = append([]api.Plugin{platformOf(own.AbsWorkingDir, browser)}, own.Plugins...)
		parts := partList{{options: &own}}
		built, err := parts.build()
		if err != nil {
			return nil, err
		}
		further, err := parts.bundled(root, "/")
		if err != nil {
			return nil, err
		}
		maps.Copy(built, files)
		if built["/"+Notices], err = NoticesOf(root, slices.Concat(components, packages, further)); err != nil {
			return nil, err
		}
		if built["/manifest.json"], err = extensionManifest(root, browser); err != nil {
			return nil, fmt.Errorf("build the extension: %w", err)
		}
		all[browser] = built
	}
	return all, nil
}

// platformOf resolves ./platform.ts of web/extension to that of a browser.
func platformOf(root, browser string) api.Plugin {
	return api.Plugin{Name: "platform", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\./platform\.ts$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(root, "web", "extension", browser, "platform.ts")}, nil
		})
	}}
}

// extensionManifest returns the manifest for a browser: what is common to all, changed by
// that of the browser as a JSON merge patch (RFC 7396).
func extensionManifest(root, browser string) ([]byte, error) {
	var manifest any
	for _, file := range []string{"manifest.json", filepath.Join(browser, "manifest.json")} {
		text, err := os.ReadFile(filepath.Join(root, "web", "extension", file))
		if err != nil {
			return nil, err
		}
		var patch any
		if err := json.Unmarshal(text, &patch); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		manifest = merged(manifest, patch)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(manifest) // members are sorted
	return text.Bytes(), err
}

// merged returns target, changed by a JSON merge patch.
func merged(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(object, name)
		} else {
			object[name] = merged(object[name], change)
		}
	}
	return object
}
