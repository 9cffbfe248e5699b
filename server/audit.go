package server

import (
	"io"
	"log"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
)

// An audit log says who asked for what and what became of it, as JSON lines. It
// never holds contents.
type audit struct {
	mu   sync.Mutex
	disk disk
	file diskFile
	size int64
}

// Names of the log and of its older half.
const (
	auditFile  = "audit.jsonl"
	auditOlder = "audit.1.jsonl"
)

// An entry is one line.
type entry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`              // principal
	Client  string    `json:"client,omitempty"` // what the assistant says of itself
	Door    string    `json:"door"`             // /mcp, /mcp/notes, /ws, stdio, /page
	Verb    string    `json:"verb"`             // method, or join, leave, refuse
	URI     string    `json:"uri,omitempty"`    // or the name of a prompt, tool or page
	Outcome string    `json:"outcome"`          // ok, cancelled, dropped, or an error code
	Bytes   int       `json:"bytes"`            // of the answer
	Ms      float64   `json:"ms"`
}

func openAudit(s *state) (*audit, error) {
	a := &audit{disk: s.disk}
	return a, a.open()
}

func (a *audit) open() (err error) {
	a.file, a.size, err = a.disk.Append(auditFile)
	return err
}

// note appends one line. A disk that is full stops no assistant.
func (a *audit) note(e entry) {
	e.Time = time.Now()
	if len(e.URI) > maxURI {
		e.URI = e.URI[:maxURI]
	}
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return
	}
	if a.size > auditSize {
		a.file.Close()
		a.disk.Rename(auditFile, auditOlder)
		if a.open() != nil {
			a.file = nil
			return
		}
	}
	n, _ := a.file.Write(append(line, '\n'))
	a.size += int64(n)
}

func (a *audit) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		a.file.Close()
		a.file = nil
	}
}

// quiet returns a logger for net/http, whose complaints are about broken
// clients and would fill the terminal.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
