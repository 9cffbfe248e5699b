package hosted

import (
	"bytes"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

func TestLogLevelChangesWhileInUse(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := newLog(&out)
	derived := log.With("node", "a")
	for _, step := range []struct {
		level string
		want  int // lines
	}{{"info", 3}, {"debug", 4}, {"warn", 2}, {"error", 1}, {"info", 3}} {
		if err := log.configure(config.Log{Level: step.level}); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		derived.Debug("a")
		derived.Info("b")
		derived.Warn("c")
		derived.Error("d\ne")
		if got := strings.Count(out.String(), "\n"); got != step.want {
			t.Errorf("%s: %d lines", step.level, got)
		}
		for line := range strings.Lines(out.String()) {
			var members map[string]any
			if err := json.Unmarshal([]byte(line), &members); err != nil || members["node"] != "a" || members["level"] == nil || members["time"] == nil {
				t.Errorf("%v: %s", err, line)
			}
		}
	}
	if err := log.configure(config.Log{Level: "loud"}); err == nil {
		t.Error("an unknown level is accepted")
	}
	out.Reset()
	if derived.Info("b"); out.Len() == 0 {
		t.Error("an unknown level changes the level")
	}
}
