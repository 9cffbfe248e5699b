package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

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
