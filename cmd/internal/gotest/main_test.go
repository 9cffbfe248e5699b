package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	passedOutput = "ok  \tgithub.com/pagemcp/pagemcp/cmd/a\t0.1s\n"
	failedOutput = "--- FAIL: TestB (0.00s)\n    b_test.go:1: late\nFAIL\nFAIL\tgithub.com/pagemcp/pagemcp/server/b\t0.2s\n"
	brokenOutput = "FAIL\tgithub.com/pagemcp/pagemcp/server/c [build failed]\n"
)

// TestRepeatsFailedPackages states when a failure of a package fails the run.
func TestRepeatsFailedPackages(t *testing.T) {
	type result struct {
		output string
		code   int
	}
	many := strings.Repeat(failedOutput, maxRepeated+1)
	for _, row := range []struct {
		name   string
		repeat bool
		runs   []result
		code   int
		flaky  int // files
	}{
		{"all packages pass", true, []result{{passedOutput, 0}}, 0, 0},
		{"a package fails outside CI", false, []result{{passedOutput + failedOutput, 1}}, 1, 0},
		{"a package passes when it runs again", true, []result{{passedOutput + failedOutput + "FAIL\n", 1}, {"ok\n", 0}}, 0, 1},
		{"a package fails twice", true, []result{{failedOutput, 1}, {failedOutput, 1}}, 1, 0},
		{"a package does not build", true, []result{{failedOutput + brokenOutput, 1}}, 1, 0},
		{"no package is named", true, []result{{"go: unknown flag\n", 2}}, 2, 0},
		{"more packages fail than by chance", true, []result{{many, 1}}, 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "flaky")
			var calls [][]string
			run := func(args []string, out io.Writer) int {
				calls = append(calls, args)
				if len(calls) > len(row.runs) {
					t.Fatalf("go test ran %d times, want %d: %q", len(calls), len(row.runs), calls)
				}
				fmt.Fprint(out, row.runs[len(calls)-1].output)
				return row.runs[len(calls)-1].code
			}
			if code := test([]string{"-race", "./..."}, row.repeat, dir, run, io.Discard); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			if len(calls) != len(row.runs) {
				t.Errorf("go test ran %d times, want %d", len(calls), len(row.runs))
			}
			if want := []string{"-race", "github.com/pagemcp/pagemcp/server/b"}; len(calls) > 1 && !slices.Equal(calls[1], want) {
				t.Errorf("the second run has the arguments %q, want %q", calls[1], want)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
			if err != nil || len(files) != row.flaky {
				t.Fatalf("files of flaky packages: %q, %v, want %d", files, err, row.flaky)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range []string{"server/b\n", "b_test.go:1: late", "ok\n"} {
					if !strings.Contains(string(text), part) {
						t.Errorf("%s lacks %q:\n%s", filepath.Base(file), part, text)
					}
				}
				if strings.Contains(string(text), "cmd/a") {
					t.Errorf("%s has the output of another package:\n%s", filepath.Base(file), text)
				}
			}
		})
	}
}

// TestOnlyReplacesPackages states which arguments name packages.
func TestOnlyReplacesPackages(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"-race -skip ^(TestA|TestB)$ " + module + "/a " + module + "/b", "-race -skip ^(TestA|TestB)$ p"},
		{"-race ./server -run ^TestSimulation$ -sim.seeds 4", "-race p -run ^TestSimulation$ -sim.seeds 4"},
		{"-C server/interop -count=1 ./...", "-C server/interop -count=1 p"},
		{"-run TestA", "-run TestA"},
	} {
		if got := strings.Join(only(strings.Fields(row.args), "p"), " "); got != row.want {
			t.Errorf("only(%q) = %q, want %q", row.args, got, row.want)
		}
	}
}
