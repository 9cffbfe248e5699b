package audit

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/keys"
)

// A pipe is a writer that blocks until it is released.
type pipe struct {
	release chan struct{}
	mu      sync.Mutex
	text    bytes.Buffer
}

func (p *pipe) Write(data []byte) (int, error) {
	<-p.release
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(data)
}

// lines returns what was written, each line as the members of its object.
func (p *pipe) lines(t *testing.T) (lines []map[string]any) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.text.String()) {
		var members map[string]any
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, members)
	}
	return lines
}

func openPipe() *pipe {
	p := &pipe{release: make(chan struct{})}
	close(p.release)
	return p
}

var testEntry = access.Entry{
	Principal: "client:agent", Owner: "oid", Client: "Agent", Endpoint: "/mcp/inbox-of-bob-k7qd2m", Verb: "resources/read",
	URI: "notes://letter-to-bob", App: "inbox-of-bob-k7qd2m", Right: "read", Outcome: "ok", Reason: "declined", Bytes: 120, Ms: 1.5, Trace: "0af7651916cd43dd8448eb211c80319c",
}

func TestAuditLinesHaveAllMembers(t *testing.T) {
	out := openPipe()
	a := New(out, func(owner access.Owner) (string, string) { return "acme", "user of " + string(owner) })
	a.Configure(config.Audit{URIs: "full"}, keys.Ring{})
	a.Record(testEntry)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	lines := out.lines(t)
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(lines[0]["time"])); err != nil || time.Since(at) > time.Hour {
		t.Errorf("the time is %v: %v", lines[0]["time"], err)
	}
	delete(lines[0], "time")
	want := map[string]any{
		"who": "client:agent", "owner": "oid", "tenant": "acme", "subject": "user of oid", "client": "Agent", "door": "/mcp/inbox-of-bob-k7qd2m", "verb": "resources/read",
		"uri": "notes://letter-to-bob", "app": "inbox-of-bob-k7qd2m", "right": "read", "outcome": "ok", "reason": "declined", "bytes": 120.0, "ms": 1.5, "trace": "0af7651916cd43dd8448eb211c80319c",
	}
	if fmt.Sprint(lines[0]) != fmt.Sprint(want) {
		t.Errorf("%v\nwant\n%v", lines[0], want)
	}
}

// With audit.uris: hash no name of a page or its user is in the log, in any member. Equal
// names have equal hashes on all nodes with the same first key, and with no other.
func TestAuditHashesNames(t *testing.T) {
	ring, err := keys.Parse([]byte(configtest.Key(1) + "\n" + configtest.Key(2)))
	if err != nil {
		t.Fatal(err)
	}
	other, err := keys.Parse([]byte(configtest.Key(2) + "\n" + configtest.Key(1)))
	if err != nil {
		t.Fatal(err)
	}
	write := func(ring keys.Ring) (string, []map[string]any) {
		out := openPipe()
		a := New(out, nil)
		a.Configure(config.Audit{URIs: "hash"}, ring)
		a.Record(testEntry)
		a.Record(access.Entry{Principal: "https://app.example", Owner: "oid", Client: "Letter to Bob", Endpoint: "/page", Verb: "join", URI: "inbox-of-bob-k7qd2m", Outcome: "ok"})
		a.Record(access.Entry{Principal: "client:agent", Owner: "oid", Endpoint: "/mcp", Verb: "tools/call", URI: "inbox-of-bob-k7qd2m+answer_bob", Outcome: "ok"})
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return out.text.String(), out.lines(t)
	}
	text, lines := write(ring)
	for _, name := range []string{"bob", "Bob", "notes:"} {
		if strings.Contains(text, name) {
			t.Errorf("%q is in %s", name, text)
		}
	}
	read, join := lines[0], lines[1]
	if door := fmt.Sprint("/mcp/", join["uri"]); read["door"] != door || len(door) != len("/mcp/hmac:")+32 {
		t.Errorf("the page is %v in one line and %v in another", join["uri"], read["door"])
	}
	if read["app"] != join["uri"] {
		t.Errorf("the app is %v, and the page %v", read["app"], join["uri"])
	}
	if read["who"] != "client:agent" || read["client"] != "Agent" || read["owner"] != "oid" || read["verb"] != "resources/read" || read["trace"] == nil {
		t.Errorf("%v", read)
	}
	if _, again := write(ring); again[0]["uri"] != read["uri"] {
		t.Error("another node has another hash")
	}
	if _, foreign := write(other); foreign[0]["uri"] == read["uri"] {
		t.Error("another key gives the same hash")
	}
}

// The node ends although its standard output is stuck.
func TestAuditEndsWithoutItsWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &pipe{release: make(chan struct{})}
		a := New(out, nil)
		a.Record(testEntry)
		begun := time.Now()
		if err := a.Close(); err == nil || time.Since(begun) != closeTime {
			t.Errorf("ended with %v after %v", err, time.Since(begun))
		}
		a.Record(testEntry)        // does nothing
		a.RecordRefusal(testEntry) // likewise
		close(out.release)
		synctest.Wait()
		if lines := out.lines(t); len(lines) != 1 {
			t.Errorf("%v", lines)
		}
	})
}

// A reload changes how URIs are written.
func TestReloadChangesTheAudit(t *testing.T) {
	ring, err := keys.Parse([]byte(configtest.Key(1)))
	if err != nil {
		t.Fatal(err)
	}
	out := openPipe()
	a := New(out, nil)
	for _, uris := range []string{"full", "hash", "full"} {
		a.Configure(config.Audit{URIs: uris}, ring)
		a.Record(access.Entry{Endpoint: "/mcp", URI: "notes://1"})
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if lines := out.lines(t); lines[0]["uri"] != "notes://1" || lines[1]["uri"] == "notes://1" || lines[2]["uri"] != "notes://1" {
		t.Errorf("%v", lines)
	}
}
