package mcpschema

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// messagesVariable names a directory of recorded messages: a file for each process and a
// line for each message. The tests in web/, of wasm/engine and of server write there when
// it is set.
const messagesVariable = "PAGEMCP_MESSAGES"

// What engines send in the transcripts fits the schemas of their revisions.
func TestTranscriptsFit(t *testing.T) {
	root, err := projectRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := exec.Command("go", "test", "-count=1", "-run=^TestTranscripts$", "./wasm/engine")
	run.Dir, run.Env = root, append(os.Environ(), messagesVariable+"="+dir)
	if text, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	checkFiles(t, dir)
}

// What our engine and our gateway sent to clients in tests before fits too: `make test`
// runs this with PAGEMCP_MESSAGES set.
func TestRecordedMessagesFit(t *testing.T) {
	dir, isSet := os.LookupEnv(messagesVariable)
	if !isSet {
		t.Log("PAGEMCP_MESSAGES names no directory: the messages of web/ and server/ are compared by make test")
		return
	}
	checkFiles(t, dir)
}

func checkFiles(t *testing.T, dir string) {
	t.Helper()
	schemas, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, file := range files {
		checker := schemas.Checker() // numbers of conversations begin anew in each process
		if err := checkFile(checker, file); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
		count += checker.Count()
	}
	t.Logf("%d messages of %d processes", count, len(files))
	if count == 0 {
		t.Errorf("no messages in %s", dir)
	}
}

func checkFile(checker *Checker, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return checker.Err()
		}
		if err != nil {
			return err
		}
		var message struct{ In, From, Text string }
		if err := json.Unmarshal(line, &message); err != nil {
			return err
		}
		checker.Record(message.In, message.From, []byte(message.Text))
	}
}
