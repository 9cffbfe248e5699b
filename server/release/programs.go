package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/published"
)

// A Platform is one that releases are built for.
type Platform struct {
	OS   string // GOOS
	Arch string // GOARCH
}

// Platforms are all platforms of a release.
var Platforms = []Platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// ParsePlatforms returns the platforms of a list like "linux_amd64,darwin_arm64".
func ParsePlatforms(list string) ([]Platform, error) {
	var all []Platform
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(Platforms, func(p Platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no platform %q: use some of %v", name, Platforms)
		}
		all = append(all, Platforms[i])
	}
	return all, nil
}

// Program returns the name of the program on the platform.
func (p Platform) Program() string {
	if p.OS == "windows" {
		return "pagemcp.exe"
	}
	return "pagemcp"
}

// String returns the platform as in file names: linux_amd64.
func (p Platform) String() string { return p.OS + "_" + p.Arch }

// npmOS and npmCPU return the platform in Node's words: process.platform and process.arch.
func (p Platform) npmOS() string {
	if p.OS == "windows" {
		return "win32"
	}
	return p.OS
}

func (p Platform) npmCPU() string {
	if p.Arch == "amd64" {
		return "x64"
	}
	return p.Arch
}

// namesTag adds the build tag of names that are registered, if this program has it.
var namesTag = map[bool]string{true: ",registered"}[published.Registered]

// buildFlags are those of each program of a release: the same bytes wherever it is built.
var buildFlags = [...]string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="}

// BuildPrograms builds the program for each platform with the embedded web files, which
// [MakeSite] has written, into out/<platform>. It returns their paths. With nothing in
// Go's cache it takes about a minute per platform.
func BuildPrograms(ctx context.Context, root, out string, platforms []Platform) (map[Platform]string, error) {
	programs := map[Platform]string{}
	for _, p := range platforms {
		file := filepath.Join(out, p.String(), p.Program())
		if err := buildProgram(ctx, root, file, "release"+namesTag, "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch); err != nil {
			return nil, fmt.Errorf("build the program for %s: %w", p, err)
		}
		programs[p] = file
	}
	return programs, nil
}

func buildProgram(ctx context.Context, root, file, tags string, env ...string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"build", "-tags", tags}, buildFlags[:], []string{"-o", file, "./cmd/pagemcp"})
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = root, append(os.Environ(), env...)
	if output, err := command.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(output)))
	}
	return nil
}
