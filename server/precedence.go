package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	json "github.com/go-json-experiment/json"
)

// A Precedence decides which gateway serves if several processes want one state directory.
// A gateway of an earlier value replaces one of a later value, which answers its requests
// first; its clients and pages connect again to the new one.
type Precedence int

const (
	Foreground Precedence = iota // a command or program that the user has started: it is not replaced
	Background                   // a service: a Foreground gateway replaces it
	OnDemand                     // started by an assistant, which continues at another gateway: all others replace it
)

// ReplacedBy reports whether a gateway of precedence p ends for one of precedence other.
func (p Precedence) ReplacedBy(other Precedence) bool { return other < p }

// successorLock is held by a process that is replacing a gateway. Meanwhile no gateway of
// precedence OnDemand starts: many assistants may wait for the one that ends.
const successorLock = "successor"

// takeState opens the state directory. It replaces a gateway of later precedence.
func takeState(opts *Options) (*state, error) {
	if opts.Precedence == OnDemand {
		if err := checkNoSuccessor(opts); err != nil {
			return nil, err
		}
		return openState(opts.State, opts.disk, opts.lockWait, opts.Logger, nil)
	}
	if err := opts.disk.MkdirAll("."); err != nil {
		return nil, fmt.Errorf("make the state directory: %w; name another with --state", err)
	}
	successor := &state{dir: opts.State, disk: opts.disk}
	switch owned, err := (*OwnedError)(nil), successor.lock(successorLock, opts.lockWait, nil); {
	case err == nil:
		defer successor.unlock()
	case errors.As(err, &owned):
		return nil, err
	default: // a full disk: an assistant's process may come first, and is replaced then
	}
	r := &replacement{state: opts.State, precedence: opts.Precedence}
	return openState(opts.State, opts.disk, opts.lockWait, opts.Logger, r.request)
}

// checkNoSuccessor returns an OwnedError while another process replaces a gateway.
func checkNoSuccessor(opts *Options) error {
	if _, err := opts.disk.ReadFile(successorLock); errors.Is(err, fs.ErrNotExist) {
		return nil // no gateway has been replaced yet
	}
	successor := &state{dir: opts.State, disk: opts.disk}
	if err := successor.lock(successorLock, -1, nil); err != nil {
		return err
	}
	successor.unlock()
	return nil
}

// A replacement asks the gateway that uses a state directory to end.
type replacement struct {
	state      string
	precedence Precedence
	accepted   int // process that ends; 0: none yet
}

// request is called while the state directory is locked. Its error is that of a gateway that
// does not end.
func (r *replacement) request() error {
	ctx, cancel := context.WithTimeout(context.Background(), controlTime)
	defer cancel()
	running, ok := readRunning(osDisk{r.state})
	if !ok || running.PID == r.accepted || !running.Precedence.ReplacedBy(r.precedence) {
		return nil // it starts or ends; the lock's timeout has an error for the others
	}
	control, err := Connect(ctx, r.state)
	if err != nil {
		return nil // it starts or ends
	}
	if err := control.Replace(ctx, r.precedence); err != nil {
		return fmt.Errorf("replace the gateway at %s (process %d): %w", running.MCP, running.PID, err)
	}
	r.accepted = running.PID
	return nil
}

// Replace ends the gateway if a gateway of precedence p replaces it; the caller will start
// one.
func (c *Control) Replace(ctx context.Context, p Precedence) error {
	return c.call(ctx, http.MethodPost, controlReplace, replaceRequest{p}, &struct{}{})
}

type replaceRequest struct {
	Precedence Precedence `json:"precedence"`
}

// controlReplace closes the gateway for one that replaces it.
func (g *Gateway) controlReplace(_ *http.Request, body []byte) (any, error) {
	var request replaceRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, badControl{fmt.Errorf("want {\"precedence\": 0 or 1}: %w", err)}
	}
	if !g.options.Precedence.ReplacedBy(request.Precedence) {
		return nil, badControl{errors.New("it ends when it is stopped only")}
	}
	if !g.replaced.Swap(true) {
		g.log.Info("another gateway of this user replaces this one")
		go g.Close(context.Background()) // waits for this response
	}
	return struct{}{}, nil
}

// Replaced reports whether the gateway has closed, or is closing, since another one of this
// state directory has taken its place. See [Precedence].
func (g *Gateway) Replaced() bool { return g.replaced.Load() }
