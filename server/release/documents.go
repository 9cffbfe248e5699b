package release

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// commandDocuments returns the completions of four shells and the manual pages of all
// commands, by path, as the program for this machine writes them. The program that
// writes manual pages has the build tag manpages, since their library is not part of a release.
func commandDocuments(ctx context.Context, root, dir string, date time.Time) (map[string][]byte, error) {
	program := filepath.Join(dir, Platform{runtime.GOOS, runtime.GOARCH}.Program())
	if err := buildProgram(ctx, root, program, "release,manpages"+namesTag, "CGO_ENABLED=0"); err != nil {
		return nil, fmt.Errorf("build the program that writes manual pages: %w", err)
	}
	run := func(args ...string) ([]byte, error) {
		text, err := exec.CommandContext(ctx, program, args...).Output()
		if err != nil {
			return nil, fmt.Errorf("run pagemcp %s: %w", args[0], err)
		}
		return text, nil
	}
	files := map[string][]byte{}
	for _, shell := range [...]struct{ name, file string }{
		{"bash", "pagemcp.bash"}, {"zsh", "_pagemcp"}, {"fish", "pagemcp.fish"}, {"powershell", "pagemcp.ps1"},
	} {
		text, err := run("completion", shell.name)
		if err != nil {
			return nil, err
		}
		files["/completions/"+shell.file] = text
	}
	pages := filepath.Join(dir, "man")
	if _, err := run("manpages", "--date", date.Format(time.DateOnly), pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, fmt.Errorf("read the manual pages: %w", err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(pages, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read a manual page: %w", err)
		}
		files["/man/"+entry.Name()] = text
	}
	return files, nil
}
