package clientconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxFile bounds the files that are read, in bytes. Claude Code keeps the history of its
// projects in its file.
const maxFile = 64 << 20

// An Outcome is what a [Change] does.
type Outcome int

// Outcomes of [Client.Install] and [Client.Uninstall].
const (
	Added     Outcome = iota // the entry is new
	Replaced                 // another entry of this name is replaced
	Removed                  // the entry is removed
	Unchanged                // the entry is there already
	Absent                   // there is no entry to remove
	Differs                  // another entry of this name is there; force would replace it
	ByHand                   // the user has to edit the file
)

// A Change is a planned change of one file.
type Change struct {
	Outcome Outcome
	Path    string // of the file, as the client knows it
	Text    string // the entry, as it is added to the file; or what the user adds to it

	// Commands are command lines of the client that make the change. Without any, the file
	// is edited.
	Commands [][]string

	target        string // Path with symbolic links resolved
	before, after []byte
	isNew         bool
}

// Writes reports whether Apply changes something.
func (ch *Change) Writes() bool {
	return ch.Outcome == Added || ch.Outcome == Replaced || ch.Outcome == Removed
}

// Install returns the change that adds s to the file of the user, or of the project in h.Dir.
// It writes nothing. With force another entry of the same name is replaced.
func (c Client) Install(h Host, s Server, project, force bool) (*Change, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`).MatchString(s.Name) {
		return nil, fmt.Errorf("the name %q is not valid: use letters, digits, '-' and '_'", s.Name)
	}
	ch, old, err := c.open(h, s.Name, project)
	if err != nil {
		return nil, err
	}
	byCommand := !project && c.hasCommand(h)
	if c.parent == "" {
		ch.Text, ch.Outcome = c.snippet(s), ByHand
		if byCommand {
			ch.Outcome, ch.Commands = Added, [][]string{append([]string{c.program}, c.add(s)...)}
		}
		return ch, nil
	}
	value := text(c.entry(s))
	switch {
	case old != nil && sameEntry(old, []byte(value)):
		ch.Outcome = Unchanged
	case old != nil && !force:
		ch.Outcome = Differs
	case old != nil:
		ch.Outcome = Replaced
	}
	if ch.after, ch.Text, err = setMember(ch.before, c.parent, s.Name, value); err != nil {
		return nil, ch.explain(err)
	}
	if byCommand {
		if ch.Outcome == Replaced && c.remove != nil {
			ch.Commands = append(ch.Commands, append([]string{c.program}, c.remove(s)...))
		}
		ch.Commands = append(ch.Commands, append([]string{c.program}, c.add(s)...))
	}
	return ch, nil
}

// Uninstall returns the change that removes the server name. It writes nothing.
func (c Client) Uninstall(h Host, name string, project bool) (*Change, error) {
	ch, old, err := c.open(h, name, project)
	if err != nil {
		return nil, err
	}
	if !project && c.hasCommand(h) && c.remove != nil {
		ch.Commands = [][]string{append([]string{c.program}, c.remove(Server{Name: name})...)}
	}
	switch {
	case c.parent == "" && ch.Commands != nil:
		ch.Outcome = Removed
	case c.parent == "" && !bytes.Contains(ch.before, []byte(name)), c.parent != "" && old == nil:
		ch.Outcome = Absent
	case c.parent == "":
		ch.Outcome = ByHand
	default:
		ch.Outcome = Removed
		if ch.after, err = removeMember(ch.before, c.parent, name); err != nil {
			return nil, ch.explain(err)
		}
	}
	return ch, nil
}

// open reads the file, and returns the entry of the server name, or nil.
func (c Client) open(h Host, name string, project bool) (ch *Change, old []byte, err error) {
	ch = &Change{}
	if ch.Path, err = c.File(h, project); err != nil {
		return nil, nil, err
	}
	ch.target, err = filepath.EvalSymlinks(ch.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(ch.Path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, nil, fmt.Errorf("%s is a symbolic link to a file that does not exist: create that file, or remove the link", ch.Path)
		}
		ch.target, err = ch.Path, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find the configuration of %s: %w", c.Title, err)
	}
	if project {
		if err := checkInside(h.Dir, ch); err != nil {
			return nil, nil, err
		}
	}
	ch.before, err = readFile(ch.target)
	if errors.Is(err, fs.ErrNotExist) {
		ch.isNew, err = true, nil
	}
	if err == nil && c.parent != "" {
		old, err = findMember(ch.before, c.parent, name)
		err = ch.explain(err)
	}
	return ch, old, err
}

// explain adds the path, and what to do, to errors of a file that cannot be edited.
func (ch *Change) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s was not changed: %w", ch.Path, err)
}

// checkInside rejects files of a project that are links to somewhere else: a project that was
// downloaded must not choose which file of the user is edited.
func checkInside(dir string, ch *Change) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	defer root.Close()
	relative, err := filepath.Rel(dir, ch.Path)
	if err == nil {
		_, err = root.Stat(relative)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is a symbolic link out of the project: edit that file by hand (%w)", ch.Path, err)
	}
	return nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Mode().Perm()&0o200 == 0:
		return nil, fmt.Errorf("%s is read-only: make it writable, or edit what it is made from", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, more than the limit of %d", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}

// Apply makes the change: by the client's command, or by a temporary file that is renamed, so
// that a crash leaves the old file or the new one. Permissions and owner stay; a new file can
// be read by the user only. The first copy of a file without the entry is kept beside it.
func (ch *Change) Apply(ctx context.Context, h Host) error {
	if !ch.Writes() {
		return nil
	}
	if err := ch.backUp(); err != nil {
		return fmt.Errorf("write the backup of %s: %w", ch.Path, err)
	}
	for _, line := range ch.Commands {
		if output, err := h.Run(ctx, line[0], line[1:]...); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, bytes.TrimSpace(output))
		}
	}
	if ch.Commands != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(ch.target), 0o700); err != nil {
		return fmt.Errorf("make the directory of %s: %w", ch.Path, err)
	}
	err := replaceFile(ch.target, ch.after, ch.target, func() error {
		now, err := os.ReadFile(ch.target)
		if missing := errors.Is(err, fs.ErrNotExist); missing != ch.isNew || !missing && err == nil && !bytes.Equal(now, ch.before) {
			return errors.New("another program has changed it meanwhile: quit that program, then try again")
		} else if !missing {
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", ch.Path, err)
	}
	return nil
}

// backUp keeps a copy of the file. A copy without our entry is not replaced by one with it.
func (ch *Change) backUp() error {
	backup := ch.target + ".pagemcp-backup"
	if ch.isNew || ch.Outcome != Added && exists(backup) {
		return nil
	}
	return replaceFile(backup, ch.before, ch.target, nil)
}

// A Status is what is in the configuration file of one client.
type Status struct {
	Client    Client
	Path      string
	Found     bool     // the client seems to be installed
	Installed bool     // the server is in the file
	Command   []string // that it runs; empty if the file is not JSON
	Err       error    // the file could not be read
}

// List returns the status of each client for the server name: of the files of the user, or of
// the project in h.Dir, for clients that have one.
func List(h Host, name string, project bool) []Status {
	var all []Status
	for _, c := range Clients() {
		if project && c.project == nil {
			continue
		}
		s := Status{Client: c, Found: c.Found(h)}
		s.Path, _ = c.File(h, project)
		ch, old, err := c.open(h, name, project)
		switch {
		case err != nil:
			s.Err = err
		case c.parent == "":
			s.Installed = bytes.Contains(ch.before, []byte(name))
		case old != nil:
			s.Installed, s.Command = true, commandOf(old)
		}
		all = append(all, s)
	}
	return all
}
