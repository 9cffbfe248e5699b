package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A stuckDisk blocks writes until it is released.
type stuckDisk struct {
	disk
	let chan struct{}
}

type stuckFile struct {
	diskFile
	let chan struct{}
}

func (d stuckDisk) Append(name string) (diskFile, int64, error) {
	file, size, err := d.disk.Append(name)
	return stuckFile{file, d.let}, size, err
}

func (f stuckFile) Write(data []byte) (int, error) {
	<-f.let
	return f.diskFile.Write(data)
}

// A disk that hangs delays no response. Lines recorded meanwhile are bounded, and
// written in order later; dropped lines are counted.
func TestAuditNeverWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, let := newMemDisk(), make(chan struct{})
		a, err := openAudit(&state{disk: stuckDisk{d, let}})
		if err != nil {
			t.Fatal(err)
		}
		const many = 2 * auditlog.MaxQueue / 100
		for i := range many {
			a.Record(access.Entry{Verb: "resources/read", URI: fmt.Sprint("a:", i), Outcome: "ok"})
			if i == 0 {
				synctest.Wait() // the writer has it
			}
		}
		close(let)
		a.close()
		lines := strings.Split(strings.TrimSuffix(d.text(auditFile), "\n"), "\n")
		left := 0
		if _, err := fmt.Sscanf(lines[len(lines)-1][strings.Index(lines[len(lines)-1], `"count":`):], `"count":%d}`, &left); err != nil {
			t.Fatalf("the last line is %s", lines[len(lines)-1])
		}
		if written := len(lines) - 1; written+left != many || left == 0 || len(d.text(auditFile)) > auditlog.MaxQueue+1_000 {
			t.Errorf("%d lines are written and %d left out, of %d", written, left, many)
		}
		for i, line := range lines[:len(lines)-1] {
			if !strings.Contains(line, fmt.Sprintf(`"uri":"a:%d"`, i)) {
				t.Fatalf("line %d: %s", i, line)
			}
		}
	})
}

// Text of a client is truncated, also if the limit is inside a rune.
func TestAuditCutsLongText(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	a, err := openAudit(&state{disk: d})
	if err != nil {
		t.Fatal(err)
	}
	a.Record(access.Entry{Verb: strings.Repeat("v", 1<<20), URI: "a" + strings.Repeat("ü", limits.MaxURI), Outcome: "ok"})
	a.close()
	if got := len(d.text(auditFile)); got < limits.MaxURI || got > limits.MaxURI+auditlog.MaxVerb+300 {
		t.Errorf("%d bytes", got)
	}
}

// A rotation keeps the two files before the current one, so that no history is lost at that
// moment; the file before these goes away.
func TestAuditKeepsTwoEarlierFiles(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	a, err := openAudit(&state{disk: d})
	if err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("x", limits.MaxAuditFile)
	for _, round := range []string{"first", "second", "third", "fourth"} {
		a.append([]byte(round + filler + "\n"))
	}
	a.close()
	got := []string{}
	for _, name := range []string{auditFile, auditOlder, auditOldest} {
		text := d.text(name)
		got = append(got, strings.TrimRight(text, "x\n"))
	}
	if want := []string{"fourth", "third", "second"}; !slices.Equal(got, want) {
		t.Errorf("the files begin with %q, want %q", got, want)
	}
}
