// Command gotest runs go test with the given arguments, and prints which packages and tests
// took longest. With CI=true it runs each package that fails once more, alone, and fails only
// if the package fails again:
//
//	CI=true gotest -race ./server/...
//
// It writes both outputs of a package that failed and then passed to the directory in
// PAGEMCP_FLAKY, one file for each package; `make test` prints them at its end. Each is a
// defect with a cause, in the test or in the program. Packages that do not build, and more
// than five failing packages, are not repeated: these failures are not intermittent.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// module is the prefix of the import paths of this project's packages.
const module = "github.com/pagemcp/pagemcp"

// maxRepeated is how many packages may fail and be repeated: more failures have one cause.
const maxRepeated = 5

func main() {
	os.Exit(test(os.Args[1:], os.Getenv("CI") == "true", os.Getenv("PAGEMCP_FLAKY"), goTest, os.Stdout))
}

// A runner runs go test with args, writes what it prints to out, and returns the exit code.
type runner func(args []string, out io.Writer) int

// test runs go test and returns the exit code of the whole. It repeats failed packages if
// repeat is set, and writes the outputs of those that passed then to dir.
func test(args []string, repeat bool, dir string, run runner, out io.Writer) int {
	var first bytes.Buffer
	code := run(args, io.MultiWriter(out, &first))
	if code == 0 || !repeat {
		return code
	}
	failed, repeatable := failures(first.String())
	if !repeatable || len(failed) == 0 || len(failed) > maxRepeated {
		return code
	}
	for _, failure := range failed {
		fmt.Fprintf(out, "%s failed; running it once more alone\n", failure.pkg)
		var second bytes.Buffer
		if code := run(only(args, failure.pkg), io.MultiWriter(out, &second)); code != 0 {
			fmt.Fprintf(out, "%s failed again\n", failure.pkg)
			return code
		}
		if err := keep(dir, failure, second.String()); err != nil {
			fmt.Fprintln(out, "gotest:", err)
			return 1
		}
	}
	return 0
}

// A failure is a package and the lines that go test printed for it.
type failure struct{ pkg, output string }

// failures returns the packages that failed in output. It reports false if one of them cannot
// succeed by being repeated, because it was not built.
func failures(output string) (failed []failure, repeatable bool) {
	repeatable = true
	var lines strings.Builder
	for line := range strings.Lines(output) {
		lines.WriteString(line)
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		switch strings.TrimSpace(fields[0]) {
		case "ok", "?", "":
			if len(fields) > 1 && strings.HasPrefix(fields[1], module) {
				lines.Reset()
			}
		case "FAIL":
			if len(fields) < 2 {
				continue // the last line of a package's or of the whole output
			}
			if strings.Contains(line, "[build failed]") || strings.Contains(line, "[setup failed]") {
				repeatable = false
			}
			failed = append(failed, failure{fields[1], lines.String()})
			lines.Reset()
		}
	}
	return failed, repeatable
}

// only returns args with pkg in the place of all packages. Arguments that begin with "./"
// or with the module's path are packages.
func only(args []string, pkg string) []string {
	isPackage := func(arg string) bool {
		return strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, module)
	}
	at := slices.IndexFunc(args, isPackage)
	if at < 0 {
		return args // the package in the current directory
	}
	kept := slices.DeleteFunc(slices.Clone(args[at:]), isPackage)
	return slices.Concat(args[:at], []string{pkg}, kept)
}

// keep writes both outputs of a package to a file in dir.
func keep(dir string, first failure, second string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := strings.NewReplacer("/", "-", ".", "-").Replace(strings.TrimPrefix(first.pkg, module+"/"))
	file, err := os.CreateTemp(dir, name+"-*.txt") // stages may repeat one package each
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s\n--- first run, failed\n%s--- second run, passed\n%s", first.pkg, first.output, second)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file.Name()), err)
	}
	return nil
}
