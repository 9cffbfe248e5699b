package clientconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds the files that are read, in bytes. Claude Code keeps the history of its
// projects in its file.
const maxFile = 64 << 20

// An Outcome is what a [Change] does.
type Outcome int

// Outcomes of [PlanInstall] and [PlanUninstall].
const (
	Added     Outcome = iota // the entry is new
	Replaced                 // another entry of this name is replaced
	Removed                  // the entry is removed
	Unchanged                // the entry is there already
	Absent                   // there is no entry to remove
	Differs                  // another entry of this name is there; Force would replace it
)

// A Change is a planned edit of one file.
type Change struct {
	Client  Client
	Outcome Outcome
	Path    string // of the file, as the client knows it
	IsNew   bool   // the file does not exist yet

	target   string // Path with symbolic links resolved
	before   []byte
	after    []byte
	hadEntry bool
	secrets  []string
	shown    string // the entry, redacted

	beforeRename func() error // for tests
}

// Options of [PlanInstall].
type Options struct {
	Project bool // edit the file of the project, not that of the user
	Force   bool // replace another entry of the same name
}

// A ManualError reports that a file cannot be edited without changing more than the
// entry. Nothing was changed.
type ManualError struct {
	Path   string
	Reason string
	Lines  string // to be added by hand; empty if there is something to remove
}

// Error implements error. Lines are not part of it.
func (e *ManualError) Error() string {
	if e.Lines == "" {
		return fmt.Sprintf("%s cannot be edited automatically: %s; nothing was changed: remove the entry by hand", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s cannot be edited automatically: %s; nothing was changed: add the lines above by hand", e.Path, e.Reason)
}

// PlanInstall returns the change that adds s to a file of c. It writes nothing. Errors
// are [SyntaxError], [ManualError], [TokenNeededError], or about reading the file.
func PlanInstall(env Environment, c Client, s Server, opts Options) (*Change, error) {
	all, err := c.placements(s)
	if err != nil {
		return nil, err
	}
	ch, err := open(env, c, opts.Project)
	if err != nil {
		return nil, err
	}
	ch.secrets = []string{s.Token}
	for _, p := range all {
		ch.shown += redact(c.format.snippet(p), s.Token)
	}
	e, err := install(c.format, ch.before, all)
	if err != nil {
		return nil, ch.explain(err, ch.shown)
	}
	ch.after, ch.hadEntry = e.after, e.present
	switch {
	case e.equal:
		ch.Outcome = Unchanged
	case !e.present:
		ch.Outcome = Added
	case opts.Force:
		ch.Outcome = Replaced
	default:
		ch.Outcome = Differs
	}
	return ch, nil
}

// PlanUninstall returns the change that removes the server name from a file of c. It
// writes nothing.
func PlanUninstall(env Environment, c Client, name string, project bool) (*Change, error) {
	ch, err := open(env, c, project)
	if err != nil {
		return nil, err
	}
	at := []place{{c.parent, name, false}}
	value, err := find(c.format, ch.before, at[0])
	if err != nil {
		return nil, ch.explain(err, "")
	}
	if text, err := json.Marshal(value); err == nil && c.ID == "vscode" {
		own := strings.Count(string(text), inputReference(name))
		if own > 0 && strings.Count(string(ch.before), inputReference(name)) <= own { // nothing else uses the input
			at = append(at, place{"inputs", name, true})
		}
	}
	e, err := uninstall(c.format, ch.before, at)
	if err != nil {
		return nil, ch.explain(err, "")
	}
	ch.after, ch.hadEntry, ch.Outcome = e.after, e.present, Removed
	if !e.present {
		ch.Outcome = Absent
	}
	return ch, nil
}

// open finds and reads the file.
func open(env Environment, c Client, project bool) (*Change, error) {
	path, err := c.File(env, project)
	if err != nil {
		return nil, err
	}
	ch := &Change{Client: c, Path: path, target: path}
	resolved, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		ch.target = resolved
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("find the configuration of %s: %w", c.Title, err)
	default:
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a symbolic link to a file that does not exist: create that file, or remove the link", path)
		}
	}
	if project {
		if err := checkInside(env.Dir, ch); err != nil {
			return nil, err
		}
	}
	ch.before, err = readFile(ch.target)
	if errors.Is(err, fs.ErrNotExist) {
		ch.IsNew, err = true, nil
	}
	return ch, err
}

// checkInside rejects files of a project that are links to somewhere else: a project that
// was downloaded must not choose which file of the user is edited.
func checkInside(dir string, ch *Change) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	existing := ch.target // or its nearest directory that exists
	for {
		resolved, err := filepath.EvalSymlinks(existing)
		if err == nil {
			existing = resolved
			break
		}
		parent := filepath.Dir(existing)
		if parent == existing {
			break
		}
		existing = parent
	}
	if relative, err := filepath.Rel(root, existing); err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s is a symbolic link out of the project, to %s: edit that file by hand", ch.Path, existing)
	}
	return nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Mode().Perm()&0o200 == 0 {
		return nil, fmt.Errorf("%s is read-only: make it writable, or edit what it is made from", path)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, more than the limit of %d", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}

// explain adds the path to errors of a format.
func (ch *Change) explain(err error, lines string) error {
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		syntax.Path = ch.Path
		return syntax
	}
	if reason := (*notEditableError)(nil); errors.As(err, &reason) {
		return &ManualError{Path: ch.Path, Reason: reason.reason, Lines: lines}
	}
	return fmt.Errorf("edit %s: %w", ch.Path, err)
}

// Diff returns the change as a unified diff, without secrets. It is empty if nothing
// changes.
func (ch *Change) Diff() string {
	if string(ch.before) == string(ch.after) {
		return ""
	}
	return redact(withoutOthers(unified(ch.Path, ch.before, ch.after)), ch.secrets...)
}

// Writes reports whether Write changes the file.
func (ch *Change) Writes() bool {
	return ch.Outcome == Added || ch.Outcome == Replaced || ch.Outcome == Removed
}

// backup returns the path of the copy of the file before the first change.
func (ch *Change) backup() string { return ch.target + ".pagemcp-backup" }
