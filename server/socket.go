package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The socket of a gateway is a file of its state directory; on Windows, the name of a pipe
// is in that file. It serves HTTP to other processes of this user: commands, see
// [Control], and raw MCP. Whoever may open it may administer the gateway: the directory
// has mode 0700, the socket 0600, and a pipe belongs to this user alone. Tokens of
// assistants grant nothing here, and no browser can connect to it.
const socketName = "socket"

// Paths of the socket.
const (
	commandPath = "/control/" // POST, and the name of a command: JSON in, JSON out
	mcpPath     = "/mcp"      // GET with "Upgrade: mcp": after the response, one MCP message a line
)

// Headers of a request for mcpPath, which may be absent.
const (
	asHeader      = "Pagemcp-As"      // the name of the assistant
	versionHeader = "Pagemcp-Version" // of the client's program
)

// yieldsHeader, in the response, says that the gateway has an older version than the client, and ends at the next moment
// without a request: the client starts the next one.
const yieldsHeader = "Pagemcp-Yields"

// serveSocket opens the socket and serves it until Close. A state directory in memory has
// none. If it fails, as on a full disk, the sweeper tries again.
func (g *Gateway) serveSocket() error {
	if _, ok := g.state.disk.(osDisk); !ok || g.port == 0 || g.servesSocket() {
		return nil
	}
	listener, err := listenSocket(g.state.dir)
	if err != nil {
		return fmt.Errorf("open the socket of the gateway: %w", err)
	}
	server := conns.HTTPServer(g.use.count(g.socketHandler()), nil, g.log)
	if !g.begin(server) {
		listener.Close()
		return nil
	}
	go server.Serve(listener) // ends with Close
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hasSocket = true
	return nil
}

func (g *Gateway) servesSocket() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hasSocket
}

func (g *Gateway) socketHandler() http.Handler {
	mux := http.NewServeMux()
	for name, run := range g.commands() {
		mux.HandleFunc("POST "+commandPath+name, func(w http.ResponseWriter, r *http.Request) { g.serveCommand(w, r, name, run) })
	}
	mux.HandleFunc("POST "+commandPath+"log", g.serveLog)
	mux.HandleFunc("POST "+commandPath+"door", g.serveDoor)
	mux.HandleFunc("GET "+mcpPath, g.serveLines)
	return mux
}

// serveLines serves MCP to an assistant, one message a line, until one of both closes the
// connection. When the gateway closes, it breaks before requests get errors: the client
// repeats them at the next gateway.
func (g *Gateway) serveLines(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(g.lines)
	defer cancel()
	client := access.Client{Principal: stdioPrincipal, Endpoint: stdioEndpoint}
	if as := r.Header.Get(asHeader); as != "" {
		if err := CheckAssistantName(as); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		client.Principal = as
		if one := g.named.connect(as); one != nil {
			if refusal := one.refusal(); refusal != "" {
				http.Error(w, refusal, http.StatusForbidden)
				return
			}
			defer context.AfterFunc(one.valid, cancel)()
		}
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client has disconnected
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })() // ends a write that the client does not read
	conn.SetDeadline(time.Time{})
	response := "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp\r\n"
	if g.options.EndWhenIdle > 0 && goversion.Compare("go"+r.Header.Get(versionHeader), "go"+g.options.Version) > 0 { // which have the form of ours, 1.2.3
		g.yields.Store(true)
		response += yieldsHeader + ": when idle\r\n"
	}
	if _, err := io.WriteString(conn, response+"\r\n"); err != nil {
		return
	}
	g.core.ServePort(ctx, jsonrpc.Lines(buffered.Reader, conn), "", "/mcp", client) // its error concerns the client only
}

// ErrNotRunning reports that no gateway uses the state directory.
var ErrNotRunning = errors.New("no gateway is running: start one with `pagemcp dev` or `pagemcp serve`")

// A RefusedError reports that the gateway refuses an assistant: its token was revoked or
// has expired. It says what to do.
type RefusedError struct{ text string }

// Error implements error.
func (e *RefusedError) Error() string { return e.text }

// dialLines connects to MCP of the running gateway, as an assistant whose name may be
// empty, in a program with a version. The error is ErrNotRunning, a RefusedError, or that of the connection.
func dialLines(ctx context.Context, dir, as, version string) (*linePort, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.AttachTime)
	defer cancel()
	conn, err := dialSocket(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })()
	r := &http.Request{Method: http.MethodGet, Header: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"mcp"}, asHeader: {as}, versionHeader: {version}}}
	r.URL = socketURL(mcpPath)
	p := &linePort{Conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)} // bytes
	var answer *http.Response
	if err = r.Write(conn); err == nil {
		answer, err = http.ReadResponse(p.reader, r)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("connect to the gateway: %w", err)
	case answer.StatusCode == http.StatusForbidden:
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10)) // bytes
		err = &RefusedError{strings.TrimSpace(string(text))}
	case answer.StatusCode != http.StatusSwitchingProtocols:
		err = fmt.Errorf("connect to the gateway: it answers %s", answer.Status)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	conn.SetDeadline(time.Time{})
	p.yields = answer.Header.Get(yieldsHeader) != ""
	return p, nil
}

// A linePort is the client's side of a connection to a gateway of this user, which sends
// lines of any length.
type linePort struct {
	net.Conn
	reader *bufio.Reader
	yields bool // see yieldsHeader
}

// Read implements jsonrpc.Port.
func (p *linePort) Read(ctx context.Context) ([]byte, error) {
	defer context.AfterFunc(ctx, func() { p.Close() })()
	line, err := p.reader.ReadBytes('\n')
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// Write implements jsonrpc.Port. msg has no line breaks.
func (p *linePort) Write(_ context.Context, msg []byte) error {
	_, err := p.Conn.Write(append(msg[:len(msg):len(msg)], '\n'))
	return err
}

// startLock is the file that a process locks to start the gateway.
const startLock = "start.lock"

// startPatience is how long a process waits for others that start a gateway. One that is suspended keeps none from it: the
// lock of the state directory is what decides.
const startPatience = 5 * time.Second

// lockStart returns when no other process starts a gateway, until unlock is called, or after startPatience.
func lockStart(ctx context.Context, dir string) (unlock func(), err error) {
	disk := osDisk{dir}
	if err := disk.MkdirAll("."); err != nil {
		return nil, fmt.Errorf("make the state directory: %w; name another with --state", err)
	}
	patience, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for {
		unlock, err := disk.Lock(startLock, "")
		switch {
		case err == nil:
			return unlock, nil
		case !errors.Is(err, errLocked):
			return nil, fmt.Errorf("start the gateway: %w", err)
		case !wait.For(patience, lockPoll):
			return func() {}, ctx.Err()
		}
	}
}

// startProgram starts a program as the gateway of a state directory, in the background, and returns when one runs there.
// The program goes on when the caller ends. What it writes to standard error, like a panic, is added to the file stderr.log.
func startProgram(ctx context.Context, dir string, command []string) error {
	if isRunning(ctx, dir) {
		return nil
	}
	log, before, err := openStderr(filepath.Join(dir, "stderr.log"))
	if err != nil {
		return fmt.Errorf("start the gateway: %w", err)
	}
	defer log.Close()
	process := exec.Command(command[0], command[1:]...)
	process.Dir, process.Stderr = dir, log
	detach(process)
	if err := process.Start(); err != nil {
		return fmt.Errorf("start the gateway: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }() // ends with the process, or with this one
	for !isRunning(ctx, dir) {
		select {
		case err := <-ended:
			if isRunning(ctx, dir) {
				return nil
			}
			text, _ := io.ReadAll(io.NewSectionReader(log, before, 4<<10)) // bytes
			why, _, _ := strings.Cut(strings.TrimPrefix(string(text), "pagemcp: "), "\n")
			return errors.New(cmp.Or(why, fmt.Sprintf("the gateway has not started: %v; see stderr.log in %s", err, dir)))
		case <-time.After(lockPoll / 2):
		case <-ctx.Done():
			return fmt.Errorf("the gateway has not started: %w; see stderr.log in %s", ctx.Err(), dir)
		}
	}
	return nil
}

// startTime is how long a gateway may take to start: another one may be ending.
const startTime = limits.LockWait + 5*time.Second

// openStderr opens a log for appending, or a new one if it has become long.
func openStderr(name string) (file *os.File, size int64, err error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(name); err == nil {
		if size = info.Size(); size > 1<<20 { // bytes
			flags, size = flags|os.O_TRUNC, 0
		}
	}
	file, err = os.OpenFile(name, flags, 0o600)
	return file, size, err
}

func isRunning(ctx context.Context, dir string) bool {
	conn, err := dialSocket(ctx, dir)
	if err == nil {
		conn.Close()
	}
	return err == nil
}
