package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// shown is how many packages, and how many tests, the list of the slowest has.
const shown = 10

// shortest is what is not worth a line, in seconds.
const shortest = 0.05

// An event is a line of `go test -json`, see https://pkg.go.dev/cmd/test2json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // s
}

// A report prints the results of packages as go test does without -json, and notes how long
// they and their tests took.
type report struct {
	out             io.Writer
	output          map[string][]event // of packages that have not ended
	packages, tests map[string]float64 // s
}

// goTest is the [runner] that starts the go command.
func goTest(args []string, out io.Writer) int {
	began := time.Now()
	at := 0
	if len(args) > 1 && args[0] == "-C" {
		at = 2 // it must come first
	}
	// Without vet, which `make lint` runs for all packages: go test would do parts of it again, for each mode of a build.
	args = slices.Insert(slices.Clone(args), at, "-json", "-vet=off")
	command := exec.Command("go", append([]string{"test"}, args...)...)
	command.Stderr = out
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(out, "gotest:", err)
		return 1
	}
	r := &report{out, map[string][]event{}, map[string]float64{}, map[string]float64{}}
	lines := bufio.NewReader(stdout)
	for err == nil {
		var line []byte
		if line, err = lines.ReadBytes('\n'); len(line) > 0 {
			r.add(line)
		}
	}
	err = command.Wait()
	r.printSlowest(time.Since(began))
	if code := command.ProcessState.ExitCode(); err == nil || code > 0 {
		return code
	}
	fmt.Fprintln(out, "gotest:", err)
	return 1
}

// add takes a line of `go test -json`. What is not JSON is printed as it is.
func (r *report) add(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		r.out.Write(line)
		return
	}
	key := e.Package + "\t" + e.Test
	switch {
	case e.Action == "build-output":
		io.WriteString(r.out, e.Output)
	case e.Action == "output":
		r.output[e.Package] = append(r.output[e.Package], e)
	case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
	case e.Test == "":
		r.printPackage(e)
		delete(r.output, e.Package)
	default:
		switch name, part, _ := strings.Cut(e.Test, "/"); {
		case part == "": // parallel parts run after the function of the test
			r.tests[key] = max(e.Elapsed, r.tests[key])
		case !strings.Contains(part, "/"):
			r.tests[e.Package+"\t"+name] += e.Elapsed
		}
		if e.Action != "fail" { // its output is not printed, as by go test without -v
			r.output[e.Package] = slices.DeleteFunc(r.output[e.Package], func(o event) bool { return o.Test == e.Test })
		}
	}
}

// printPackage prints the line of a package that has ended, and before it what its failed
// tests have printed.
func (r *report) printPackage(end event) {
	cached := false
	for _, e := range r.output[end.Package] {
		isResult := strings.HasPrefix(e.Output, "ok ") || strings.HasPrefix(e.Output, "? ") || strings.HasPrefix(e.Output, "FAIL\t")
		cached = cached || isResult && strings.HasSuffix(e.Output, "(cached)\n")
		if isResult || end.Action == "fail" && !strings.HasPrefix(e.Output, "=== ") {
			io.WriteString(r.out, e.Output)
		}
	}
	if cached { // the times are those of an earlier run
		maps.DeleteFunc(r.tests, func(key string, _ float64) bool { return strings.HasPrefix(key, end.Package+"\t") })
		return
	}
	r.packages[end.Package] = end.Elapsed
}

// printSlowest prints how long all took, and which packages and tests took longest.
func (r *report) printSlowest(all time.Duration) {
	fmt.Fprintf(r.out, "slowest of %.0f s:\n", all.Seconds())
	for _, took := range []map[string]float64{r.packages, r.tests} {
		if took = maps.Clone(took); len(took) == 1 && len(r.packages) == 1 && len(r.tests) > 1 {
			continue // the package is the whole
		}
		slowest := slices.SortedFunc(maps.Keys(took), func(a, b string) int { return cmp.Or(cmp.Compare(took[b], took[a]), strings.Compare(a, b)) })
		for _, key := range slowest[:min(shown, len(slowest))] {
			if took[key] < shortest {
				break
			}
			name := strings.TrimPrefix(strings.Join(strings.Fields(key), " "), module+"/")
			fmt.Fprintf(r.out, "%7.1f s  %s\n", took[key], name)
		}
	}
}
