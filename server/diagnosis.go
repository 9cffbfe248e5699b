package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/loopback"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// A Level tells how much a [Finding] matters.
type Level string

// Levels of findings.
const (
	LevelOK      Level = "ok"
	LevelWarning Level = "warning" // it works, but perhaps not as intended
	LevelProblem Level = "problem" // something does not work
)

// A Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"` // what was checked, like "token"
	Level  Level  `json:"level"`
	Text   string `json:"text"`             // what was found
	Advice string `json:"advice,omitempty"` // what to do; empty if Level is "ok"
}

// DiagnoseOptions tell Diagnose what to look at.
type DiagnoseOptions struct {
	State   string // directory
	Addr    string // that a gateway would listen on
	Version string // of the calling program
}

// Diagnose checks the state directory, the token, the port, the running gateway, and the pages. It changes nothing but a temporary file, by which it
// learns that it may write.
func Diagnose(ctx context.Context, o DiagnoseOptions) []Finding {
	d := &diagnosis{ctx: ctx, dir: o.State}
	d.checkState()
	control := d.checkGateway(o.Addr)
	d.checkToken(control)
	if control == nil {
		return d.findings
	}
	status, err := control.Status(ctx)
	if err != nil {
		d.problem("gateway", "its status cannot be read: "+err.Error(), "restart the gateway")
		return d.findings
	}
	d.checkVersion(status, o.Version)
	d.checkPages(status)
	d.checkSchemas(status)
	return d.findings
}

// A diagnosis collects findings.
type diagnosis struct {
	ctx      context.Context
	dir      string
	findings []Finding
}

func (d *diagnosis) ok(check, text string) {
	d.findings = append(d.findings, Finding{Check: check, Level: LevelOK, Text: text})
}

func (d *diagnosis) warning(check, text, advice string) {
	d.findings = append(d.findings, Finding{check, LevelWarning, text, advice})
}

func (d *diagnosis) problem(check, text, advice string) {
	d.findings = append(d.findings, Finding{check, LevelProblem, text, advice})
}

// checkState looks at the state directory: whether it can be used, by this user alone, and
// whether files in it were broken.
func (d *diagnosis) checkState() {
	const check = "state directory"
	info, err := os.Stat(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.ok(check, d.dir+" does not exist yet: no gateway has run")
		return
	case err != nil:
		d.problem(check, "the directory cannot be accessed: "+err.Error(), "make it accessible, or name another one with --state")
		return
	case !info.IsDir():
		d.problem(check, d.dir+" is not a directory", "remove that file, or name another directory with --state")
		return
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		d.warning(check, fmt.Sprintf("%s is open to other users (mode %o)", d.dir, info.Mode().Perm()), "chmod 700 "+d.dir+"; the gateway does that when it starts")
	case !isWritable(d.dir):
		d.problem(check, "this user cannot write to "+d.dir, "chown it to this user, or name another directory with --state")
		return
	default:
		d.ok(check, d.dir)
	}
	if broken, _ := filepath.Glob(filepath.Join(d.dir, "*"+brokenSuffix+"*")); len(broken) > 0 {
		d.warning(check, fmt.Sprintf("%d broken files were set aside, like %s", len(broken), filepath.Base(broken[0])), "pages may need to be paired again; remove these files when you do not need them")
	}
}

// isWritable reports whether this user may create files in dir. It creates and removes one.
func isWritable(dir string) bool {
	file, err := os.CreateTemp(dir, "doctor-*"+newSuffix) // a gateway removes such files when it starts
	if err != nil {
		return false
	}
	file.Close()
	return os.Remove(file.Name()) == nil
}

// checkToken looks at the file of the token.
func (d *diagnosis) checkToken(control *Control) {
	const check = "token"
	name := filepath.Join(d.dir, "token")
	if control != nil {
		name = control.Running.TokenFile
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.ok(check, "there is none yet: the first start of the gateway makes it")
	case err != nil:
		d.problem(check, "the file cannot be read: "+err.Error(), "make the file readable for this user")
	case !(osDisk{filepath.Dir(name)}).isPrivate(filepath.Base(name)):
		d.problem(check, "other users can read "+name, "chmod 600 "+name+", then `pagemcp token rotate`")
	case len(strings.TrimSpace(string(text))) < tokenLength:
		d.problem(check, fmt.Sprintf("%s is shorter than %d characters", name, tokenLength), "stop the gateway, remove the file, and start the gateway: it makes a new token")
	default:
		d.ok(check, name)
	}
}

// checkGateway finds the running gateway. Without one it looks at who has the port and the
// directory.
func (d *diagnosis) checkGateway(addr string) *Control {
	const check = "gateway"
	control, err := Connect(d.ctx, d.dir)
	if err == nil {
		d.ok(check, "runs at "+control.Running.MCP+" (process "+strconv.Itoa(control.Running.PID)+")")
		return control
	}
	holder, locked := lockHolder(d.dir)
	_, missing := os.Stat(filepath.Join(d.dir, socketName))
	switch {
	case !errors.Is(err, ErrNotRunning):
		d.problem(check, err.Error(), "end the gateway, and start it again")
	case locked:
		d.problem(check, holder+" uses the state directory, but is not ready", "wait some seconds, or end it")
	case missing == nil:
		d.warning(check, "is not running; the last one was killed", "start it with `pagemcp serve` or `pagemcp dev`: nothing is lost")
	default:
		d.warning(check, "is not running", "start it with `pagemcp serve` or `pagemcp dev`, or let an assistant start `pagemcp stdio`")
	}
	d.checkPort(addr)
	return nil
}

// lockHolder reports whether another process holds the lock of a state directory, and
// which one.
func lockHolder(dir string) (holder string, locked bool) {
	if _, err := os.Stat(filepath.Join(dir, lockFileName)); err != nil {
		return "", false
	}
	disk := osDisk{dir}
	owner, _ := disk.ReadFile(lockFileName) // information only
	unlock, err := disk.Lock(lockFileName, string(owner))
	if err == nil {
		unlock()
		return "", false
	}
	return (&OwnedError{Holder: plain.Text(string(owner), 40)}).holder(), errors.Is(err, errLocked) // characters
}

// checkPort reports whether the gateway could listen on addr.
func (d *diagnosis) checkPort(addr string) {
	const check = "port"
	port, err := loopback.CheckAddress(addr)
	if err != nil {
		d.problem(check, err.Error(), "name an address on loopback, like 127.0.0.1:8808")
		return
	}
	listeners, _, err := loopback.Listen(port)
	for _, l := range listeners {
		l.Close()
	}
	if err != nil {
		d.problem(check, err.Error(), "end that program, or start the gateway with another port: --mcp 127.0.0.1:0")
		return
	}
	d.ok(check, addr+" is free")
}

func (d *diagnosis) checkVersion(status Status, version string) {
	if status.Version != version {
		d.warning("version", "the gateway has version "+status.Version+", this program "+version, "restart the gateway")
		return
	}
	d.ok("version", version)
}

// checkSchemas names the tools whose schemas APIs of models refuse.
func (d *diagnosis) checkSchemas(status Status) {
	for _, s := range status.Schemas {
		d.warning("tools", "the inputSchema of "+s.Tool+" has "+s.Rules+" at its top level, which APIs of models refuse: the list has it as text", "put alternatives into a property of the schema")
	}
}

// checkPages looks at origins and pages.
func (d *diagnosis) checkPages(status Status) {
	if status.NoToken {
		d.warning("token", "the gateway runs with --no-token: every program of this user can read what pages serve", "restart it without --no-token")
	}
	allowed, connected := 0, 0
	for _, o := range status.Origins {
		if o.Allowed != "no" {
			allowed++
		} else if o.Keys > 0 {
			d.warning("origins", o.Origin+" has keys but may not join", "`pagemcp pair "+o.Origin+"` allows it, `pagemcp revoke "+o.Origin+"` deletes the keys")
		}
	}
	for _, p := range status.Pages {
		if p.Connected {
			connected++
		}
	}
	switch {
	case allowed == 0:
		d.problem("pages", "no origin may join", "`pagemcp pair http://localhost:5173`, with the origin of your page")
	case connected == 0:
		d.warning("pages", "none is connected", "open a page of an allowed origin; the first time by the link of `pagemcp pair ORIGIN`")
	default:
		d.ok("pages", fmt.Sprintf("%d connected", connected))
	}
}
