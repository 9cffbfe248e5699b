package server

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Also with --no-token, a process of another user is rejected, even if it closes the
// sending side of its socket.
func TestOtherUsersAreRejected(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Log("NOT CHECKED: a process of another user can only be started by root")
		return
	}
	dir, err := os.MkdirTemp("", "pagemcp-stranger") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "stranger")
	own, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(program, own, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	ask := func(port int) string {
		t.Helper()
		const nobody = 65534
		command := exec.Command(program)
		command.Dir, command.Env = dir, []string{strangerVariable + "=" + strconv.Itoa(port)}
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	g := startGateway(t, Options{NoToken: true})
	unguarded := startGateway(t, Options{NoToken: true}) // a gateway of its own: entries follow answers, and would be counted as g's
	if got := ask(serveTwin(t, http.HandlerFunc(unguarded.core.Route))); got != "[200 200]" {
		t.Fatalf("the unguarded twin answers %s", got)
	}
	if got := ask(g.Port()); strings.Contains(got, "200") {
		t.Errorf("another user got %s", got)
	}
	if lines := served(t, g); len(lines) > 0 {
		t.Errorf("requests of another user were served: %s", lines)
	}
	if got := strangerStatuses(strconv.Itoa(g.Port())); got != [2]string{"200", "200"} {
		t.Errorf("the owner got %s", got)
	}
}
