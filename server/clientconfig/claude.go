package clientconfig

import (
	"context"
	"fmt"
	"strings"
)

// A Runner runs a program and returns what it prints on both streams.
type Runner func(ctx context.Context, program string, args ...string) (output []byte, err error)

// HasCommand reports whether the file of the change is edited by the client's own
// command: Claude Code writes its file while it runs, and its command takes part in that.
func (ch *Change) HasCommand(env Environment, s Server, project bool) bool {
	if ch.Client.ID != claudeCode || project || s.Token != "" { // arguments can be seen by other users
		return false
	}
	_, ok := env.LookPath(claudeProgram)
	return ok
}

// Commands returns the command lines that make the change, without secrets.
func (ch *Change) Commands(s Server) [][]string {
	remove := []string{claudeProgram, "mcp", "remove", "-s", "user", s.Name}
	add := append([]string{claudeProgram, "mcp", "add", "-s", "user", s.Name, "--"}, s.Command...)
	if s.URL != "" {
		entry, _ := ch.Client.http(s) // without token, which HasCommand rejects, there is no error
		add = []string{claudeProgram, "mcp", "add-json", "-s", "user", s.Name, inline(entry)}
	}
	switch ch.Outcome {
	case Added:
		return [][]string{add}
	case Replaced:
		return [][]string{remove, add}
	case Removed:
		return [][]string{remove}
	}
	return nil
}

// Run writes the backup, runs the command lines, and reads the file again to see that
// they have worked: verify plans the same change once more.
func (ch *Change) Run(ctx context.Context, s Server, run Runner, verify func() (*Change, error)) error {
	if err := ch.writeBackup(); err != nil {
		return err
	}
	for _, line := range ch.Commands(s) {
		output, err := run(ctx, line[0], line[1:]...)
		if err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, strings.TrimSpace(redact(string(output))))
		}
	}
	after, err := verify()
	if err != nil {
		return err
	}
	if after.Outcome == Added || after.Outcome == Removed { // an entry that differs in details is Claude Code's form of it
		return fmt.Errorf("%s mcp ended without an error, but %s has not changed", claudeProgram, ch.Path)
	}
	return nil
}
