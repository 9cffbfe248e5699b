package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
)

// futureToken stands for a token that is not made yet, in a plan.
const futureToken = "(a new token)"

// ensureToken makes the token of the client, with the rights of one that was revoked or has
// expired. It changes nothing if the client has one in its file. s gets the token if the file
// of the client is to contain it.
func (e *clientEditor) ensureToken(ctx context.Context, opts installOptions, s *clientconfig.Server) error {
	state, err := stateDirectory(opts.state)
	if err != nil {
		return err
	}
	all, err := server.Assistants(ctx, state)
	if err != nil {
		return err
	}
	fresh := server.NewToken{Name: opts.client, Save: true}
	at := slices.IndexFunc(all, func(a server.NamedAssistant) bool { return a.Name == opts.client })
	text, missing := server.ReadSavedToken(state, opts.client)
	if at >= 0 {
		known := all[at]
		fresh.ReadOnly, fresh.Apps = known.ReadOnly, known.Apps
		switch usable := known.IsUsable(time.Now()); {
		case usable && known.Saved && missing == nil:
			return writeToken(opts, s, text)
		case usable && !known.Saved:
			return fmt.Errorf("the token of %q was printed and not saved: end it with `pagemcp token revoke %[1]s`, then run this command again", opts.client)
		case usable: // its file was removed
			if err := server.RevokeToken(ctx, state, opts.client); err != nil {
				return err
			}
		}
	}
	if _, err := server.AddToken(ctx, state, fresh); err != nil {
		return err
	}
	if text, err = server.ReadSavedToken(state, opts.client); err != nil {
		return err
	}
	fmt.Fprintf(e.std.out, "Made a token for %s: `pagemcp token list` shows its rights.\n", opts.client)
	return writeToken(opts, s, text)
}

func writeToken(opts installOptions, s *clientconfig.Server, text string) error {
	if opts.writeToken {
		s.Token = text
	}
	return nil
}

// revokeToken revokes the token that install has made for a client, unless a file of a client
// needs it still.
func (e *clientEditor) revokeToken(ctx context.Context, opts installOptions) error {
	state, err := stateDirectory(opts.state)
	if err != nil {
		return err
	}
	all, err := server.Assistants(ctx, state)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(a server.NamedAssistant) bool { return a.Name == opts.client })
	if at < 0 || !all[at].Saved {
		return nil
	}
	traces := []string{server.SavedToken(state, opts.client), "token headers --as " + opts.client}
	if text, err := server.ReadSavedToken(state, opts.client); err == nil {
		traces = append(traces, text)
	}
	if slices.ContainsFunc(traces, func(trace string) bool { return clientconfig.Mentions(e.env, trace) }) {
		return nil
	}
	if err := server.RevokeToken(ctx, state, opts.client); err != nil {
		return err
	}
	fmt.Fprintf(e.std.out, "Revoked the token of %s.\n", opts.client)
	return nil
}
