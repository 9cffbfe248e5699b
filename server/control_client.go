package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
)

// A Control sends commands to the running gateway of this user.
type Control struct {
	Running Running // the gateway

	client *http.Client
}

// A Running describes the running gateway of this user.
type Running struct {
	PID       int    `json:"pid"`
	MCP       string `json:"mcp"` // http://127.0.0.1:8808/mcp
	TokenFile string `json:"tokenFile"`
	Dev       string `json:"dev,omitempty"` // that and where `pagemcp dev` runs; "" if it does not
}

// controlTime is how long a command may take, the log excepted.
const controlTime = 15 * time.Second

// Connect finds the gateway that uses the state directory dir. The error is
// [ErrNotRunning] if there is none.
func Connect(ctx context.Context, dir string) (*Control, error) {
	c := &Control{client: &http.Client{Transport: &http.Transport{
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return dialSocket(ctx, dir) },
		IdleConnTimeout: time.Second,
	}}}
	if err := c.call(ctx, "running", none{}, &c.Running); err != nil {
		return nil, err
	}
	return c, nil
}

func socketURL(path string) *url.URL { return &url.URL{Scheme: "http", Host: "pagemcp", Path: path} }

// Status returns the state of the gateway.
func (c *Control) Status(ctx context.Context) (status Status, err error) {
	return status, c.call(ctx, "status", none{}, &status)
}

// Fragment returns the fragment for the URL of a page that may join at a port of the
// gateway: see [Gateway.Fragment].
func (c *Control) Fragment(ctx context.Context, port int) (string, error) {
	var invitation Invitation
	err := c.call(ctx, "invite", portNumber{port}, &invitation)
	return invitation.Fragment, err
}

// Pair allows an origin and returns an invitation for one of its pages. The origin stays
// allowed until it is revoked, or the gateway ends before a page has joined.
func (c *Control) Pair(ctx context.Context, origin string) (invitation Invitation, err error) {
	return invitation, c.call(ctx, "pair", originName{origin}, &invitation)
}

// Open returns an invitation for a page of the web server of a command.
func (c *Control) Open(ctx context.Context) (invitation Invitation, err error) {
	return invitation, c.call(ctx, "open", none{}, &invitation)
}

// Revoke disconnects the pages of an origin and deletes their keys and names. The origin
// may no longer join, unless the command line of the gateway allows it.
func (c *Control) Revoke(ctx context.Context, origin string) (revoked Revoked, err error) {
	return revoked, c.call(ctx, "revoke", revokeRequest{Origin: origin}, &revoked)
}

// RevokeAll is Revoke for all origins.
func (c *Control) RevokeAll(ctx context.Context) (revoked Revoked, err error) {
	return revoked, c.call(ctx, "revoke", revokeRequest{All: true}, &revoked)
}

// RotateToken replaces the token of assistants. Connections with the old one end.
func (c *Control) RotateToken(ctx context.Context) (rotated Rotated, err error) {
	return rotated, c.call(ctx, "token", none{}, &rotated)
}

// Pause withholds everything from all assistants for d, at most [MaxPause]: requests that
// wait get an error at once, and subscriptions are silent. It holds for later gateways of
// the state directory, too. 0 ends it, and the stops of single assistants; then assistants
// learn what has changed meanwhile.
func (c *Control) Pause(ctx context.Context, d time.Duration) (paused Paused, err error) {
	return paused, c.call(ctx, "pause", pauseRequest{d.Seconds()}, &paused)
}

// End closes the gateway. The processes that need one start it again.
func (c *Control) End(ctx context.Context) error { return c.call(ctx, "end", none{}, &none{}) }

// Log calls line with each line of the log that the gateway keeps, JSON objects; and if
// follow is set with further ones, until ctx ends or the gateway closes.
func (c *Control) Log(ctx context.Context, follow bool, line func(text []byte) error) error {
	name := "log"
	if follow {
		name += "?follow=1"
	}
	answer, err := c.send(ctx, name, none{})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if err := line(lines.Bytes()); err != nil {
			return err
		}
	}
	if ctx.Err() != nil || follow && errors.Is(lines.Err(), io.ErrUnexpectedEOF) {
		return nil // the gateway has ended
	}
	return lines.Err()
}

// A lostError is that of a connection: the gateway may be ending.
type lostError struct{ cause error }

// Error implements error.
func (e *lostError) Error() string { return "ask the gateway: " + e.cause.Error() }

// isLost reports whether there may be another gateway soon.
func isLost(err error) bool { return errors.Is(err, ErrNotRunning) || errors.As(err, new(*lostError)) }

// call sends a command and decodes the result.
func (c *Control) call(ctx context.Context, name string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	answer, err := c.send(ctx, name, params)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := json.UnmarshalRead(answer.Body, result); err != nil {
		return &lostError{err}
	}
	return nil
}

// send returns the response to a command, which has succeeded.
func (c *Control) send(ctx context.Context, name string, params any) (*http.Response, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://pagemcp"+commandPath+name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	answer, err := c.client.Do(r)
	if err != nil && !errors.Is(err, ErrNotRunning) && ctx.Err() == nil {
		return nil, &lostError{err}
	}
	if err != nil {
		return nil, cmp.Or(ctx.Err(), ErrNotRunning)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	message, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10)) // bytes
	if answer.StatusCode == http.StatusNotFound {
		return nil, errors.New("the gateway has an older version, without this command: `pagemcp restart` ends it")
	}
	return nil, errors.New(strings.TrimSpace(string(message)))
}
