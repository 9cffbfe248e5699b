package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
)

// A Control sends commands to the running gateway of this user.
type Control struct {
	Running Running // the gateway

	token  string
	client *http.Client
}

// ErrNotRunning reports that no gateway uses the state directory.
var ErrNotRunning = errors.New("no gateway is running: start one with `pagemcp dev` or `pagemcp serve`")

// controlTime is how long a command may take, the log excepted.
const controlTime = 15 * time.Second

// Connect finds the gateway that uses the state directory dir. The gateway has proved that
// it knows the token, so that the token is never sent to another program. The error is
// [ErrNotRunning] if there is none.
func Connect(ctx context.Context, dir string) (*Control, error) {
	running, ok := FindRunning(ctx, dir)
	if !ok {
		return nil, ErrNotRunning
	}
	token, err := os.ReadFile(running.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the token of the running gateway: %w", err)
	}
	return &Control{Running: running, token: strings.TrimSpace(string(token)), client: &http.Client{
		Transport:     &http.Transport{}, // without proxy: the gateway is on this machine
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Status returns the state of the gateway.
func (c *Control) Status(ctx context.Context) (status Status, err error) {
	return status, c.call(ctx, http.MethodGet, controlStatus, nil, &status)
}

// Pair allows an origin and returns an invitation for one of its pages. The origin stays
// allowed until it is revoked.
func (c *Control) Pair(ctx context.Context, origin string) (invitation Invitation, err error) {
	return invitation, c.call(ctx, http.MethodPost, controlPair, map[string]string{"origin": origin}, &invitation)
}

// Open returns an invitation for a page of the web server of the gateway's program.
func (c *Control) Open(ctx context.Context) (invitation Invitation, err error) {
	return invitation, c.call(ctx, http.MethodPost, controlOpen, struct{}{}, &invitation)
}

// Revoke disconnects the pages of an origin and deletes their keys and names. The origin
// may no longer join, unless the command line of the gateway allows it.
func (c *Control) Revoke(ctx context.Context, origin string) (revoked Revoked, err error) {
	return revoked, c.call(ctx, http.MethodPost, controlRevoke, map[string]string{"origin": origin}, &revoked)
}

// RevokeAll is Revoke for all origins.
func (c *Control) RevokeAll(ctx context.Context) (revoked Revoked, err error) {
	return revoked, c.call(ctx, http.MethodPost, controlRevoke, map[string]bool{"all": true}, &revoked)
}

// RotateToken replaces the token of assistants. Connections with the old one end, and
// the Control needs a new Connect.
func (c *Control) RotateToken(ctx context.Context) (rotated Rotated, err error) {
	return rotated, c.call(ctx, http.MethodPost, controlToken, struct{}{}, &rotated)
}

// Log calls line with each line of the log that the gateway keeps, JSON objects; and if
// follow is set with further ones, until ctx ends or the gateway closes.
func (c *Control) Log(ctx context.Context, follow bool, line func(text []byte) error) error {
	path := controlLog
	if follow {
		path += "?follow=1"
	}
	answer, err := c.send(ctx, http.MethodGet, path, nil)
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

// call sends a command and decodes the result.
func (c *Control) call(ctx context.Context, method, path string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	answer, err := c.send(ctx, method, path, params)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.UnmarshalRead(answer.Body, result)
}

func (c *Control) send(ctx context.Context, method, path string, params any) (*http.Response, error) {
	gateway, err := url.Parse(c.Running.MCP)
	if err != nil {
		return nil, err
	}
	endpoint, err := gateway.Parse(path)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if params != nil {
		text, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, endpoint.String(), body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask the gateway at %s: %w", c.Running.MCP, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10)) // bytes
	if answer.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("the gateway at %s has an older version, without this command: restart it", c.Running.MCP)
	}
	return nil, errors.New(strings.TrimSpace(string(text)))
}
