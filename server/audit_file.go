package server

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// audit writes the audit log: principal, request and outcome of each decision as JSON
// lines, never contents.
type audit struct {
	*auditlog.Log
	disk disk

	file diskFile // used by the writing goroutine only
	size int64
}

// Names of the log files. With two earlier ones, twice limits.MaxAuditFile of history is there
// at any time, also right after a rotation.
const (
	auditFile   = "audit.jsonl"
	auditOlder  = "audit.1.jsonl"
	auditOldest = "audit.2.jsonl"
)

func openAudit(s *state) (*audit, error) {
	a := &audit{disk: s.disk}
	if err := a.open(); err != nil {
		return nil, err
	}
	a.Log = auditlog.New(a.append, func(e access.Entry) any { return e })
	return a, nil
}

func (a *audit) open() (err error) {
	a.file, a.size, err = a.disk.Append(auditFile)
	return err
}

// append writes lines to the file. Errors are ignored: a full disk must not stop the
// gateway.
func (a *audit) append(lines []byte) {
	if a.size > limits.MaxAuditFile {
		a.file.Close()
		a.file = nil
		a.disk.Rename(auditOlder, auditOldest)
		a.disk.Rename(auditFile, auditOlder)
	}
	if a.file == nil && a.open() != nil {
		a.file = nil
		return
	}
	n, _ := a.file.Write(lines)
	a.size += int64(n)
}

// close writes the remaining lines and closes the file.
func (a *audit) close() {
	a.Close(context.Background()) // has no error without a deadline
	if a.file != nil {
		a.file.Close()
		a.file = nil
	}
}
