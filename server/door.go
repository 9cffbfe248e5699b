package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// A Door is what a command asks of the gateway that runs, for as long as the command does.
type Door struct {
	Command string `json:"command"` // of pagemcp, such as "dev", of which one runs at a time
	PID     int    `json:"pid"`

	MCP string `json:"mcp,omitzero"` // address on loopback that the gateway serves as well; with port 0 any port

	Origins    []string `json:"origins,omitempty"`    // see Options.Origins
	Assistants []string `json:"assistants,omitempty"` // see Options.AssistantOrigins
	Only       bool     `json:"only,omitzero"`        // all origins that no door allows are revoked
	Sampling   []string `json:"sampling,omitempty"`   // see Options.SamplingOrigins
	Monitors   []string `json:"monitors,omitempty"`   // whose pages may monitor the traffic and send requests, besides joining

	Web string `json:"web,omitzero"` // URL of the command's web server, whose origins are above; it ends with a slash

	// Settings hold for the whole gateway: see Options.settings.
	Settings map[string]string `json:"settings,omitempty"`
}

// An Opened is a door that is open.
type Opened struct {
	MCP       string   `json:"mcp"`  // URL for assistants, at the port of the door
	Page      string   `json:"page"` // URL for pages
	Port      int      `json:"port"`
	TokenFile string   `json:"tokenFile"`
	PID       int      `json:"pid"`
	Kept      []string `json:"kept,omitempty"` // names of Door.Settings that are others at this gateway

	Closed <-chan struct{} `json:"-"` // closed when the gateway has ended
}

// A door that is open, or what Options allow, which is never closed.
type door struct {
	Door
	port int // 0 if Options have it
}

// doors are those of a gateway, the oldest first.
type doors struct {
	mu    sync.Mutex
	open  []*door
	ports []*extraPort
}

// An extraPort is a port besides that of Listen.
type extraPort struct {
	number, users int
	server        *http.Server
}

// list returns the doors.
func (d *doors) list() []*door {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.open)
}

// web returns the newest door with a web server, or a door without one.
func (d *doors) web() *door {
	for _, one := range slices.Backward(d.list()) {
		if one.Web != "" {
			return one
		}
	}
	return &door{}
}

// add opens a door, or returns the one that excludes it.
func (d *doors) add(one *door) (other *door) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if other := d.find("dev"); one.Command == "dev" && other != nil {
		return other
	}
	d.open = append(d.open, one)
	return nil
}

// dev returns the door of pagemcp dev, or nil.
func (d *doors) dev() *door {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.find("dev")
}

// find returns the door of a command, or nil. The caller holds the lock.
func (d *doors) find(command string) *door {
	at := slices.IndexFunc(d.open, func(o *door) bool { return o.Command == command })
	if at < 0 {
		return nil
	}
	return d.open[at]
}

// runs says that a command runs, and where.
func (d *door) runs() string {
	return fmt.Sprintf("`pagemcp %s` runs already, at %s (process %d): `pagemcp open` opens it", d.Command, d.Web, d.PID)
}

func (d *doors) remove(one *door) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = slices.DeleteFunc(d.open, func(o *door) bool { return o == one })
}

// permit allows the origins of all doors, and no others.
func (g *Gateway) permit() {
	var pages, assistants, sampling, monitors []string
	for _, d := range g.doors.list() {
		pages, assistants = append(pages, d.Origins...), append(assistants, d.Assistants...)
		sampling, monitors = append(sampling, d.Sampling...), append(monitors, d.Monitors...)
	}
	g.given.Set(pages)
	g.origins.Set(slices.Concat(pages, g.paired.List(), g.keys.origins()))
	g.assistantOrigins.Set(assistants)
	g.sampling.Set(sampling)
	g.monitorOrigins.Set(monitors)
	g.monitors.PagesChanged()
}

func (g *Gateway) allow(d Door) {
	g.doors.add(&door{Door: d})
	g.permit()
}

// settings returns the options that a door cannot change, by the names of flags.
func (o *Options) settings() map[string]string {
	return map[string]string{
		"tls-cert": o.TLSCert, "tls-key": o.TLSKey, "token-file": o.TokenFile, "no-token": strconv.FormatBool(o.NoToken), "lenient": strconv.FormatBool(o.Lenient),
		"page-size": strconv.Itoa(o.PageSize), "logging": strconv.FormatBool(o.Logging), "no-resource-tools": strconv.FormatBool(o.NoResourceTools),
		"reads-per-second": strconv.FormatFloat(o.ReadsPerSecond, 'g', -1, 64),
	}
}

// serveDoor opens a door until the command disconnects or the gateway closes. The response
// is an Opened, and ends then.
func (g *Gateway) serveDoor(w http.ResponseWriter, r *http.Request) {
	one := &door{}
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, maxControlBody), &one.Door); err != nil {
		http.Error(w, "the door is not valid: "+err.Error(), http.StatusBadRequest)
		return
	}
	opened, shut, err := g.openDoor(one)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer shut()
	if json.MarshalWrite(w, opened) == nil && http.NewResponseController(w).Flush() == nil {
		select {
		case <-r.Context().Done():
		case <-g.closing:
		}
	}
}

func (g *Gateway) openDoor(one *door) (opened Opened, shut func(), err error) {
	for _, origin := range slices.Concat(one.Origins, one.Assistants, one.Sampling, one.Monitors) {
		if err := access.CheckOrigin(origin); err != nil {
			return opened, nil, err
		}
	}
	release := func() {}
	if one.port = g.port; one.MCP != "" {
		if one.port, release, err = g.openPort(one.MCP); err != nil {
			return opened, nil, err
		}
	}
	if other := g.doors.add(one); other != nil {
		release()
		return opened, nil, errors.New(other.runs())
	}
	g.permit()
	if one.Only {
		if _, err := g.revoke(func(origin string) bool { return !g.given.Contains(origin) }); err != nil {
			g.log.Error(err.Error())
		}
	}
	opened = Opened{MCP: g.urlAt(one.port), Page: g.pageURLAt(one.port), Port: one.port, TokenFile: g.options.TokenFile, PID: os.Getpid()}
	own := g.options.settings()
	for name, value := range one.Settings {
		if own[name] != value {
			opened.Kept = append(opened.Kept, name)
		}
	}
	slices.Sort(opened.Kept)
	return opened, func() {
		g.doors.remove(one)
		g.permit()
		release()
	}, nil
}

// openPort serves a port besides that of Listen, until release was called as often.
func (g *Gateway) openPort(addr string) (number int, release func(), err error) {
	if number, err = loopback.CheckAddress(addr); err != nil {
		return 0, nil, err
	}
	if number == 0 || number == g.port {
		return g.port, func() {}, nil
	}
	d := &g.doors
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.ports, func(p *extraPort) bool { return p.number == number })
	if at < 0 {
		listeners, _, err := loopback.Listen(number)
		if err != nil {
			return 0, nil, err
		}
		server := conns.HTTPServer(g.use.count(g.guardAt(number)), nil, g.log)
		if !g.begin(server) {
			closeAll(listeners)
			return 0, nil, errors.New("the gateway is closing")
		}
		go g.serveListeners(server, listeners) // ends with the server
		at, d.ports = len(d.ports), append(d.ports, &extraPort{number: number, server: server})
	}
	p := d.ports[at]
	p.users++
	return number, sync.OnceFunc(func() { d.closePort(p) }), nil
}

// closePort closes the port after its last user, with the lock held: another command that opens
// it then would find it in use.
func (d *doors) closePort(p *extraPort) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.users--; p.users == 0 {
		d.ports = slices.DeleteFunc(d.ports, func(o *extraPort) bool { return o == p })
		p.server.Close()
	}
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

// OpenDoor opens a door, until ctx ends.
func (c *Control) OpenDoor(ctx context.Context, d Door) (opened Opened, err error) {
	answer, err := c.send(ctx, "door", d)
	if err != nil {
		return opened, err
	}
	if err := json.UnmarshalDecode(jsontext.NewDecoder(answer.Body), &opened); err != nil {
		answer.Body.Close()
		return opened, fmt.Errorf("open a door of the gateway: %w", err)
	}
	closed := make(chan struct{})
	opened.Closed = closed
	go func() { // ends with ctx, or the gateway
		defer close(closed)
		defer answer.Body.Close()
		io.Copy(io.Discard, answer.Body)
	}()
	return opened, nil
}

// Hold keeps a door open until ctx ends: at the gateway that uses the state directory of
// options, or at one in this process, bound to door.MCP, if none runs. When a gateway ends,
// the next one gets the door. opened is called after the first time; it may be nil, and its error ends Hold.
func Hold(ctx context.Context, options Options, door Door, opened func(*Control, Opened) error) error {
	for first := true; ; {
		control, release, err := reach(ctx, options, door.MCP)
		var open Opened
		if err == nil {
			open, err = control.OpenDoor(ctx, door)
		}
		if err == nil && first {
			first, door.MCP = false, "127.0.0.1:"+strconv.Itoa(open.Port) // the next gateway has the same
			if opened != nil {
				err = opened(control, open)
			}
		}
		if err == nil {
			select {
			case <-open.Closed:
			case <-ctx.Done():
			}
		}
		release()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !isLost(err) {
			return err
		}
		if !wait.For(ctx, lockPoll) {
			return nil
		}
	}
}

// reach connects to the gateway that uses the state directory of options; if none runs, it
// starts one in this process, bound to addr. release closes that one.
func reach(ctx context.Context, options Options, addr string) (c *Control, release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	release = func() {}
	options.lockWait = -1 // another process that starts is found by its socket
	for {
		c, err := Connect(ctx, options.State)
		if err == nil || !isLost(err) {
			return c, release, err
		}
		if errors.Is(err, ErrNotRunning) {
			g, err := New(options)
			if err == nil {
				if err = g.Listen(addr); err != nil {
					g.Close(context.Background())
				}
			}
			if owned := (*OwnedError)(nil); err != nil && !errors.As(err, &owned) {
				return nil, release, err
			}
			if err == nil {
				go g.Serve(context.Background()) // ends with release, or the command end
				release = func() { g.Close(context.Background()) }
			}
		}
		if !wait.For(ctx, lockPoll/2) {
			return nil, release, err
		}
	}
}

// uses counts the requests, streams, sockets and commands that a gateway serves now. When
// there were none for a time, it calls end.
type uses struct {
	idle time.Duration // 0: end is not called
	end  func()

	mu    sync.Mutex
	n     int
	timer *time.Timer
}

func (u *uses) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.add(1)
		defer u.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (u *uses) add(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.timer != nil {
		u.timer.Stop()
		u.timer = nil
	}
	if u.n += n; u.n == 0 && u.idle > 0 {
		u.timer = time.AfterFunc(u.idle, u.end)
	}
}
