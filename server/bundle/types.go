package bundle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// WriteTypes writes the declarations (*.d.ts) of the package to dir. The TypeScript
// compiler must be installed below web/.
func WriteTypes(root, dir string) error {
	web, err := filepath.Abs(filepath.Join(root, "web"))
	if err != nil {
		return err
	}
	tsc := filepath.Join(web, "node_modules", ".bin", "tsc")
	if _, err := os.Stat(tsc); err != nil {
		return fmt.Errorf("write the declarations: %w; run `npm install` in %s", err, web)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	command := exec.Command(tsc, "-p", "tsconfig.build.json", "--outDir", dir)
	command.Dir = web
	if out, err := command.CombinedOutput(); err != nil {
		return &Error{Text: string(out)}
	}
	return importsAsWritten(dir)
}

// importsAsWritten changes imports in declarations from './x.ts' to './x.js', as only
// the latter is in the package.
func importsAsWritten(dir string) error {
	return filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".d.ts") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := strings.NewReplacer(`.ts'`, `.js'`, `.ts"`, `.js"`).Replace(string(data))
		return os.WriteFile(name, []byte(text), 0o644)
	})
}
