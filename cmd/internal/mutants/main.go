// Command mutants changes one expression or statement of a package at a time, runs the
// tests of the package against each change, and reports the changes with which all tests
// pass. Such a mutant is either a behaviour that no test requires, or a change without
// effect; a person must decide.
//
//	go run ./cmd/internal/mutants -pkg ./wasm/engine -every 10
//
// Files are not modified: the changed file is passed to the go command by -overlay.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

var (
	pkg     = flag.String("pkg", "./wasm/engine", "the package whose code is changed")
	tests   = flag.String("tests", "", "packages whose tests run, separated by spaces; default: -pkg")
	run     = flag.String("run", "", "only tests that match, as go test has it")
	files   = flag.String("files", "*.go", "pattern of the files to change")
	lines   = flag.String("lines", "", "only lines that contain this text")
	every   = flag.Int("every", 1, "try one mutant in so many")
	from    = flag.Int("from", 0, "the first one to try")
	workers = flag.Int("workers", runtime.NumCPU(), "mutants at a time")
	timeout = flag.Duration("timeout", time.Minute, "for the tests of one mutant; a mutant that hangs is noticed")
)

func main() {
	flag.Parse()
	if err := report(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// An outcome is the result of one mutant.
type outcome string

const (
	killed   outcome = "killed"    // a test failed, or hung
	survived outcome = "survived"  // all tests passed
	unbuilt  outcome = "not built" // the change does not compile
)

func report(ctx context.Context) error {
	dir := filepath.Clean(*pkg)
	all, err := mutantsOf(dir, *files)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !strings.Contains(m.line, *lines) })
	var chosen []mutant
	for i := *from; i < len(all); i += *every {
		chosen = append(chosen, all[i])
	}
	if out, err := test(ctx, ""); err != nil {
		return fmt.Errorf("the tests fail without any change:\n%s", out)
	}
	fmt.Printf("%d of %d mutants\n", len(chosen), len(all))

	outcomes := make([]outcome, len(chosen))
	next := make(chan int)
	var working sync.WaitGroup
	for range *workers {
		working.Go(func() {
			for i := range next {
				outcomes[i] = try(ctx, chosen[i])
				if outcomes[i] == survived {
					fmt.Printf("survived  %s:%d  %s\n          %s\n", chosen[i].file, chosen[i].number, chosen[i].what, chosen[i].line)
				}
			}
		})
	}
	for i := range chosen {
		next <- i
	}
	close(next)
	working.Wait()
	return table(chosen, outcomes)
}

// table prints the counts by file.
func table(chosen []mutant, outcomes []outcome) error {
	counts := map[string]map[outcome]int{}
	var names []string
	for i, m := range chosen {
		for _, name := range [...]string{m.file, "all"} {
			if counts[name] == nil {
				counts[name] = map[outcome]int{}
				names = append(names, name)
			}
			counts[name][outcomes[i]]++
		}
	}
	slices.Sort(names)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "file\tkilled\tsurvived\tnot built")
	for _, name := range names {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", name, counts[name][killed], counts[name][survived], counts[name][unbuilt])
	}
	return w.Flush()
}

// try runs the tests against one mutant.
func try(ctx context.Context, m mutant) outcome {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return unbuilt
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	original, err := filepath.Abs(m.path)
	if err != nil {
		return unbuilt
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return unbuilt
	}
	if os.WriteFile(changed, m.text, 0o600) != nil || os.WriteFile(overlay, replace, 0o600) != nil {
		return unbuilt
	}
	out, err := test(ctx, overlay)
	switch {
	case err == nil:
		return survived
	case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
		return unbuilt
	}
	return killed
}

// test runs the tests with a timeout.
func test(ctx context.Context, overlay string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	args := []string{"test", "-count=1", "-failfast", "-vet=off", "-timeout", timeout.String()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if *run != "" {
		args = append(args, "-run", *run)
	}
	packages := strings.Fields(*tests)
	if len(packages) == 0 {
		packages = []string{*pkg}
	}
	command := exec.CommandContext(ctx, "go", append(args, packages...)...)
	command.WaitDelay = 5 * time.Second
	out, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return out, errors.Join(ctx.Err(), err)
	}
	return out, err
}
