package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// An Environment is the machine on which clients are looked for. Tests replace it.
type Environment struct {
	OS     string // as runtime.GOOS
	Home   string // directory of the user
	Dir    string // directory of the project
	Getenv func(name string) string

	Exists   func(path string) bool                      // a file or directory
	Glob     func(pattern string) []string               // existing paths
	LookPath func(program string) (path string, ok bool) // a program on the PATH
}

// Host returns the environment of this process.
func Host() (Environment, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Environment{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return Environment{}, err
	}
	return Environment{
		OS: runtime.GOOS, Home: home, Dir: dir, Getenv: os.Getenv,
		Exists: func(path string) bool {
			_, err := os.Stat(path)
			return !errors.Is(err, fs.ErrNotExist)
		},
		Glob: func(pattern string) []string {
			found, _ := filepath.Glob(pattern) // only a bad pattern is an error
			return found
		},
		LookPath: func(program string) (string, bool) {
			path, err := exec.LookPath(program)
			return path, err == nil
		},
	}, nil
}

// join joins a path by the separator of the environment's system.
func (e Environment) join(elements ...string) string {
	separator := "/"
	if e.OS == "windows" {
		separator = `\`
	}
	return strings.Join(elements, separator)
}

// directory returns the directory that the variable name contains, or else fallback.
// Relative paths are ignored, as the XDG specification requires.
func (e Environment) directory(name, fallback string) string {
	dir := e.Getenv(name)
	if strings.HasPrefix(dir, "/") || e.OS == "windows" && len(dir) > 2 && dir[1] == ':' {
		return strings.TrimRight(dir, `/\`)
	}
	return fallback
}

// config returns XDG_CONFIG_HOME, on each system.
func (e Environment) config() string {
	return e.directory("XDG_CONFIG_HOME", e.join(e.Home, ".config"))
}

// support returns Library/Application Support of macOS.
func (e Environment) support() string { return e.join(e.Home, "Library", "Application Support") }

// appData returns the roaming directory for applications of Windows.
func (e Environment) appData() string {
	return e.directory("APPDATA", e.join(e.Home, "AppData", "Roaming"))
}

func (e Environment) localAppData() string {
	return e.directory("LOCALAPPDATA", e.join(e.Home, "AppData", "Local"))
}

// parent returns the directory of a path.
func (e Environment) parent(path string) string {
	at := strings.LastIndexByte(path, '/')
	if e.OS == "windows" {
		at = strings.LastIndexAny(path, `/\`)
	}
	return path[:max(at, 0)]
}
