// Command release prepares a release for goreleaser, and sets or checks its version. Run it in
// a clone, after `npm ci` in web: `make release` and `make version` do.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/release"
)

func main() {
	var (
		set     = flag.String("set", "", "set the version of the sources")
		tag     = flag.String("tag", "", "check that the sources can be released as this tag, such as v0.2.0")
		notices = flag.String("notices", "", "write the licences of what pagemcpd contains to this `file`, for its image")
		prepare = flag.String("prepare", "", "write what a release packs into this `directory`, and the web files that programs embed")
	)
	flag.Parse()
	err := run(*set, *tag, *notices, *prepare)
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run does what is asked for. Without anything it prints the version.
func run(set, tag, notices, prepare string) error {
	switch {
	case set != "":
		return release.SetVersion(".", set, time.Now().UTC())
	case tag != "":
		return release.CheckTag(".", tag)
	case notices != "":
		text, err := bundle.BinaryNotices(".", "./cmd/pagemcpd")
		if err != nil {
			return err
		}
		return os.WriteFile(notices, text, 0o644)
	case prepare != "":
		return release.Prepare(context.Background(), ".", prepare)
	}
	version, err := release.CheckVersions(".")
	fmt.Println(version)
	return err
}
