package mcpschema

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// fewest is how many messages a whole run of the tests in web/ leaves behind,
// and more: with fewer, the recording is broken.
const fewest = 2000

// What our engine and our gateway said to clients while the tests in web/ ran is
// right too. web/test/harness/record.ts writes it down, a file for each process
// and a line for each message; `make test` then runs this with
// PAGEMCP_MESSAGES set to the directory.
func TestRecordedMessagesFit(t *testing.T) {
	dir, asked := os.LookupEnv("PAGEMCP_MESSAGES")
	if !asked {
		t.Log("PAGEMCP_MESSAGES names no directory: the messages of web/ are checked by make in-node")
		return
	}
	s := For(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, file := range files {
		count += s.checkFile(t, file)
	}
	t.Logf("%d messages of %d processes", count, len(files))
	if count < fewest {
		t.Errorf("%d messages in %s, want at least %d", count, dir, fewest)
	}
}

// checkFile returns how many messages of our side it has looked at.
func (s *Schemas) checkFile(t *testing.T, name string) (count int) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	talks := map[string]*Conversation{}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return count
		}
		var said struct {
			In   string // which conversation
			From string // client or server
			Text string // the message
		}
		if err := json.Unmarshal(line, &said); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		talk := talks[said.In]
		if talk == nil {
			talk = s.Conversation()
			talks[said.In] = talk
		}
		if said.From == "client" {
			talk.FromClient([]byte(said.Text))
			continue
		}
		count++
		if err := talk.Check([]byte(said.Text)); err != nil {
			t.Errorf("%s, %s: %v\n  <- %.2000s", filepath.Base(name), said.In, err, said.Text)
		}
	}
}
