package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// messagesVariable names a directory: what clients and engines of transcripts send is
// written to a file there, a line for each message. The tests of server/interop compare
// what engines sent with the schemas of all revisions.
const messagesVariable = "PAGEMCP_MESSAGES"

var recording = sync.OnceValues(func() (*os.File, error) {
	dir := os.Getenv(messagesVariable)
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(dir, fmt.Sprintf("engine-%d.jsonl", os.Getpid())))
})

// record writes down a message of a conversation; from is client or server.
func record(t *testing.T, conversation, from string, message []byte) {
	t.Helper()
	file, err := recording()
	if err != nil {
		t.Error(err)
	}
	if file == nil || err != nil {
		return
	}
	line, err := json.Marshal(map[string]string{"in": conversation, "from": from, "text": string(message)})
	if err == nil {
		_, err = file.Write(append(line, '\n'))
	}
	if err != nil {
		t.Error(err)
	}
}
