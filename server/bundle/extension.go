package bundle

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// extensionSizes are the sizes of the icons in the manifest.
var extensionSizes = [...]int{16, 32, 48, 128} // pixels

// BuildExtension builds the browser extension: / is its root, with the manifest, and
// below /pagemcp/ is the npm package.
func BuildExtension(root string) (Files, error) {
	parts, err := packageWith(root,
		api.EntryPoint{InputPath: "web/extension/background.ts", OutputPath: "background"},
		api.EntryPoint{InputPath: "web/extension/offscreen.ts", OutputPath: "offscreen"},
		api.EntryPoint{InputPath: "web/extension/offscreen.html", OutputPath: "offscreen"},
		api.EntryPoint{InputPath: "web/extension/popup.ts", OutputPath: "popup"},
		api.EntryPoint{InputPath: "web/extension/popup.html", OutputPath: "popup"},
		api.EntryPoint{InputPath: "web/extension/popup.css", OutputPath: "popup"},
		api.EntryPoint{InputPath: "web/demo/icon.svg", OutputPath: "icon"},
	)
	if err != nil {
		return nil, err
	}
	// Scripts for tabs are not modules. Their result is the value of the last expression.
	script := *parts[0].options
	script.EntryPointsAdvanced = []api.EntryPoint{{InputPath: "web/extension/text.ts", OutputPath: "text"}}
	script.Format = api.FormatIIFE
	script.Plugins = append([]api.Plugin{publicSources(script.AbsWorkingDir)}, script.Plugins...) // a script cannot import
	script.GlobalName = "pagemcpText"
	script.Footer = map[string]string{"js": "pagemcpText.answer"}
	parts = append(parts, &part{options: &script})
	files, err := parts.build()
	if err != nil {
		return nil, err
	}
	components, err := engineComponents(root)
	if err != nil {
		return nil, err
	}
	packages, err := parts.bundled(root, "/")
	if err != nil {
		return nil, err
	}
	if files["/"+Notices], err = notices(root, append(components, packages...)); err != nil {
		return nil, err
	}

	manifest := filepath.Join("web", "extension", "manifest.json")
	if files["/manifest.json"], err = os.ReadFile(filepath.Join(root, manifest)); err != nil {
		return nil, fmt.Errorf("build the extension: %w", err)
	}
	for _, size := range extensionSizes {
		var picture bytes.Buffer
		if err := png.Encode(&picture, icon(size)); err != nil {
			return nil, fmt.Errorf("draw an icon: %w", err)
		}
		files[fmt.Sprintf("/icon-%d.png", size)] = picture.Bytes()
	}
	return files, nil
}
