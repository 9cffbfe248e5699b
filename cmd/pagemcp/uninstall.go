package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pagemcp/pagemcp/server/clientconfig"
)

// uninstall removes the server from the file of a client, its token, and the copy of the
// program if no client needs it any more.
func (e *clientEditor) uninstall(ctx context.Context, opts installOptions) error {
	client, err := clientconfig.ClientNamed(opts.client)
	if err != nil {
		return mistake{err}
	}
	s := clientconfig.Server{Name: opts.name}
	plan := func() (*clientconfig.Change, error) {
		return clientconfig.PlanUninstall(e.env, client, opts.name, opts.project)
	}
	change, err := plan()
	if err != nil {
		return err
	}
	if opts.dryRun {
		return e.preview(change, s, opts)
	}
	if change.Outcome == clientconfig.Absent {
		fmt.Fprintf(e.std.out, "%s is not installed in %s: %s\n", opts.name, client.Title, change.Path)
		return e.removeTraces(ctx, opts)
	}
	if change, err = e.apply(ctx, change, s, opts, plan); err != nil {
		return err
	}
	fmt.Fprintf(e.std.out, "Removed %s from %s: %s\n%s\n", opts.name, client.Title, change.Path, client.Reload)
	return e.removeTraces(ctx, opts)
}

// removeTraces revokes the token of the client and removes the copy of the program, if nothing
// needs them any more.
func (e *clientEditor) removeTraces(ctx context.Context, opts installOptions) error {
	if err := e.revokeToken(ctx, opts); err != nil {
		return err
	}
	return e.removeCopy(opts.state)
}

// removeCopy removes the copy of the program, unless a client runs it.
func (e *clientEditor) removeCopy(state string) error {
	state, err := stateDirectory(state)
	if err != nil {
		return err
	}
	program := "pagemcp"
	if e.env.OS == "windows" {
		program += ".exe"
	}
	path := clientconfig.ProgramCopy(state, program)
	if _, err := os.Lstat(path); err != nil || clientconfig.Mentions(e.env, path) {
		return nil
	}
	if err := clientconfig.RemoveProgram(path); err != nil {
		return err
	}
	fmt.Fprintf(e.std.out, "Removed %s, which no client runs any more.\n", path)
	return nil
}
