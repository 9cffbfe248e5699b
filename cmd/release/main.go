// Command release builds what is published into dist/release. Run it in a clone, after
// `npm ci` in web: `make release` does both.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/release"
)

// flags are those of the command line. Without any, all artifacts are built.
type flags struct {
	here      bool
	platforms string
	out       string
	version   string
	tag       string
	names     string
	setNames  bool
	notices   string
}

func main() {
	var f flags
	flag.BoolVar(&f.here, "here", false, "only the program for this machine, into bin/release")
	flag.StringVar(&f.platforms, "platforms", "", "only for these, such as linux_amd64,darwin_arm64; \"here\" is this machine's")
	flag.StringVar(&f.out, "out", filepath.Join("dist", "release"), "directory for the artifacts, which is replaced")
	flag.StringVar(&f.version, "version", "", "only set the version of the sources")
	flag.StringVar(&f.tag, "tag", "", "only check that the sources can be released as this tag, such as v0.2.0")
	flag.StringVar(&f.names, "names", "", "\"registered\" confirms that this project owns all names of server/published; \"trial\" builds artifacts for tests only")
	flag.BoolVar(&f.setNames, "set-names", false, "only write the names of server/published into the files that repeat them")
	flag.StringVar(&f.notices, "notices", "", "only write the licences of what pagemcpd contains to this `file`, for its image")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", f); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, f flags) error {
	here := release.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	switch {
	case f.version != "":
		return release.SetVersion(root, f.version, time.Now().UTC())
	case f.notices != "":
		text, err := bundle.BinaryNotices(root, "./cmd/pagemcpd")
		if err != nil {
			return err
		}
		return os.WriteFile(f.notices, text, 0o644)
	case f.setNames:
		return release.SetNames(root)
	case f.tag != "":
		return release.CheckTag(root, f.tag)
	case f.here:
		if _, err := release.MakeSite(root); err != nil {
			return err
		}
		programs, err := release.BuildPrograms(ctx, root, filepath.Join(root, "bin", "release"), []release.Platform{here})
		for p, file := range programs {
			fmt.Fprintln(os.Stderr, "built", p, file)
		}
		return err
	}
	platforms := release.Platforms
	if f.platforms == "here" {
		f.platforms = here.String()
	}
	if f.platforms != "" {
		var err error
		if platforms, err = release.ParsePlatforms(f.platforms); err != nil {
			return err
		}
	}
	return release.Make(ctx, release.Options{
		Root: root, Out: f.out, Work: filepath.Join(root, ".cache", "release"), Platforms: platforms, Names: f.names, Log: os.Stderr,
	})
}
