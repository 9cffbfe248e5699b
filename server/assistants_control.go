package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

type newTokenRequest struct {
	NewToken
	Seconds int64 `json:"lifetimeSeconds,omitzero"`
}

func (g *Gateway) addToken(request newTokenRequest) (AddedToken, error) {
	t := request.NewToken
	t.Lifetime = time.Duration(request.Seconds) * time.Second
	added, err := g.named.add(t)
	if err == nil {
		g.log.Info("an assistant got a token", "name", request.Name)
	}
	return added, err
}

type tokenName struct {
	Name string `json:"name"`
}

func (g *Gateway) revokeToken(name string) error {
	err := g.named.revoke(name)
	if err == nil {
		g.log.Info("the token of an assistant was revoked", "name", name)
	}
	return err
}

// AddToken makes a token for an assistant, at the gateway that uses the state directory dir, or
// in the directory if none runs. If the name has one already, nothing changes and the error
// says so.
func AddToken(ctx context.Context, dir string, t NewToken) (added AddedToken, err error) {
	if err := t.check(); err != nil {
		return added, err
	}
	err = changeTokens(ctx, dir, func(c *Control) error {
		return c.call(ctx, "tokens/add", newTokenRequest{t, int64(t.Lifetime / time.Second)}, &added)
	}, func(a *assistants) (err error) {
		added, err = a.add(t)
		return err
	})
	return added, err
}

// RevokeToken ends the token of an assistant and its connections. The name is refused from then
// on, until AddToken.
func RevokeToken(ctx context.Context, dir, name string) error {
	return changeTokens(ctx, dir, func(c *Control) error {
		return c.call(ctx, "tokens/revoke", tokenName{name}, &none{})
	}, func(a *assistants) error { return a.revoke(name) })
}

// Assistants returns those with a token, and those whose token was revoked, by name.
func Assistants(ctx context.Context, dir string) (all []NamedAssistant, err error) {
	if control, err := Connect(ctx, dir); err == nil {
		return all, control.call(ctx, "tokens", none{}, &all)
	}
	stored, err := readAssistants(dir)
	if err != nil {
		return nil, err
	}
	for _, one := range stored {
		all = append(all, one.NamedAssistant)
	}
	return all, nil
}

// readAssistants reads the file, without its lock: it is replaced as a whole.
func readAssistants(dir string) (stored []storedAssistant, err error) {
	data, err := osDisk{dir}.ReadFile(assistantsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &stored)
	}
	if err != nil {
		return nil, fmt.Errorf("read the named tokens: %w", err)
	}
	return stored, nil
}

// changeTokens changes the tokens of a state directory: at the gateway that uses it, or in the
// directory, under its lock. A gateway that is starting holds the lock before it answers.
func changeTokens(ctx context.Context, dir string, atGateway func(*Control) error, inDirectory func(*assistants) error) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	for {
		control, err := Connect(ctx, dir)
		if err == nil {
			return atGateway(control)
		}
		s, err := openState(dir, osDisk{dir}, -1, slog.New(slog.DiscardHandler))
		if owned := (*OwnedError)(nil); errors.As(err, &owned) && wait.For(ctx, 5*lockPoll) {
			continue
		}
		if err != nil {
			return err
		}
		defer s.close()
		a, err := openAssistants(s)
		if err != nil {
			return err
		}
		defer a.close() // before the state: it stores nothing new
		return inDirectory(a)
	}
}

// IsUsable reports whether the assistant is let in now.
func (a *NamedAssistant) IsUsable(now time.Time) bool { return a.Revoked.IsZero() && !a.IsExpired(now) }
