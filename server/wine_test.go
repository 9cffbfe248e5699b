//go:build wine

package server

import (
	"bufio"
	"bytes"
	"debug/pe"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// The program of Windows, driven from Linux: `make wine`.
func TestWindowsProgram(t *testing.T) {
	w := startWine(t)
	paired := w.pair(t)
	t.Run("orders of starts", func(t *testing.T) {
		permutations(parts, func(order []string) {
			t.Run(strings.Join(order, " "), func(t *testing.T) {
				t.Parallel()
				m := w.machine(t, paired)
				stdio := func() *parent { return m.stdio(t) }
				args := map[string][]string{"dev": {"--web=127.0.0.1:0", "--files=" + windowsPath(t.TempDir())}}
				hold := func(command string) (end func()) { return m.hold(t, command, args[command]...).end }
				startInOrder(t, order, paired.page(t), m.address, stdio, hold)
			})
		})
	})
	t.Run("upgrade", func(t *testing.T) { upgradeWindowsGateway(t, w.machine(t, paired), paired.page(t)) })
	t.Run("kill", func(t *testing.T) { killWindowsGateway(t, w.machine(t, paired), paired.page(t)) })
	t.Run("broken state", func(t *testing.T) { breakWindowsState(t, w.machine(t, paired)) })
	t.Run("printed texts", func(t *testing.T) { checkWindowsTexts(t, w.machine(t, paired)) })
}

// An assistant starts a newer version: that takes over from the gateway of the background, also for an older assistant.
func upgradeWindowsGateway(t *testing.T, m *machine, page *testPage) {
	newer := *m
	newer.wine = &wine{filepath.Join(t.TempDir(), "pagemcp.exe"), m.env}
	const version = "99.0.0"
	newer.build(t, version)
	var assistants []*parent
	for _, one := range []*machine{m, &newer} {
		assistant := one.stdio(t)
		assistant.ask(gatewaytest.Initialize)
		assistants = append(assistants, assistant)
	}
	gatewaytest.Eventually(t, "the newer version runs", func() bool {
		out, _, _ := m.run("status", "--json", "--state="+windowsPath(m.state)) // fails while none runs
		return strings.Contains(out, `"version":"`+version+`"`)
	})
	page.joinAt("ws://"+m.address+"/page", nil)
	for _, assistant := range assistants {
		if got := assistant.response(gatewaytest.Classic("1", "resources/read", `"uri":"notes+notes://a"`), `"id":1`); !strings.Contains(got, `"text":"1"`) {
			t.Error(got)
		}
		assistant.end()
	}
}

// The gateway of the background is killed, or told to end, while its assistant has a subscription: the next one keeps it.
func killWindowsGateway(t *testing.T, m *machine, page *testPage) {
	assistant := m.stdio(t)
	assistant.ask(gatewaytest.Initialize)
	join := func() { page.joinAt("ws://"+m.address+"/page", nil) }
	join()
	const uri = "notes+notes://a"
	assistant.response(gatewaytest.Classic("1", "resources/subscribe", `"uri":"`+uri+`"`), `"id":1`)
	for i, end := range []func(){
		func() {
			if m.killGateway(t) != 1 {
				t.Fatal("there is not one gateway of the background")
			}
		},
		func() {
			if _, text, err := m.run("restart", "--state="+windowsPath(m.state)); err != nil {
				t.Fatal(err, text)
			}
		},
		func() { m.killGateway(t) },
	} {
		end()
		page.leave()
		page.write("notes://a", strconv.Itoa(2+i))
		gatewaytest.Eventually(t, "the next gateway runs", func() bool { return isServed(m.address) })
		join()
		for got := ""; !strings.Contains(got, engine.MethodUpdated) || !strings.Contains(got, uri); {
			got = gatewaytest.Receive(t, assistant.lines)
		}
		read := gatewaytest.Classic(strconv.Itoa(2+i), "resources/read", `"uri":"`+uri+`"`)
		if got := assistant.response(read, fmt.Sprintf(`"id":%d`, 2+i)); !strings.Contains(got, fmt.Sprintf(`"text":"%d"`, 2+i)) {
			t.Errorf("after end %d: %s", i+1, got)
		}
		page.write("notes://a", "later")
		for got := ""; !strings.Contains(got, engine.MethodUpdated) || !strings.Contains(got, uri); {
			got = gatewaytest.Receive(t, assistant.lines)
		}
	}
	assistant.end()
}

// With broken files of state the gateway starts, says which, and keeps them; a pause holds.
func breakWindowsState(t *testing.T, m *machine) {
	serve := m.hold(t, "serve")
	secret, err := os.ReadFile(filepath.Join(m.state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	session := gatewaytest.Client{T: t, URL: "http://" + m.address, Token: strings.TrimSpace(string(secret))}.Begin("/mcp", gatewaytest.Initialize)
	for _, args := range [][]string{{"token", "add", "ci", "--read-only"}, {"pause", "1h"}} {
		if _, text, err := m.run(append(args, "--state="+windowsPath(m.state))...); err != nil {
			t.Fatal(err, text)
		}
	}
	serve.end()
	sessions, err := filepath.Glob(filepath.Join(m.state, sessionDir, "*.json"))
	if err != nil || len(sessions) != 1 {
		t.Fatalf("sessions: %q, %v", sessions, err)
	}
	files := []string{namesFile, keysFile, assistantsFile, pauseFile, path.Join(sessionDir, filepath.Base(sessions[0]))}
	for round, damage := range []func(text []byte) []byte{
		func(text []byte) []byte { return text[:len(text)/2] },
		func(text []byte) []byte { return bytes.Repeat([]byte{0}, len(text)) },
	} {
		broken := map[string]string{}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(m.state, name))
			if os.IsNotExist(err) && round > 0 {
				text = []byte("{}") // it was renamed
			} else if err != nil {
				t.Fatal(err)
			}
			broken[name] = string(damage(text))
			writeState(t, m.state, name, broken[name])
		}
		serve := m.hold(t, "serve")
		if status, _ := session.Request("1", "tools/list", ""); status != 404 {
			t.Errorf("a session whose file is broken: %d", status)
		}
		assistant := m.stdio(t)
		assistant.ask(gatewaytest.Initialize)
		if got := assistant.response(gatewaytest.Classic("1", "resources/list", ""), `"id":1`); !strings.Contains(got, "paused") {
			t.Errorf("the pause is lost: %s", got)
		}
		assistant.end()
		serve.end()
		for name, text := range broken {
			if file := windowsPath(filepath.Join(m.state, name)); !strings.Contains(serve.errors(), file) {
				t.Errorf("nothing names %s: %s", file, serve.errors())
			}
			if !isKept(t, filepath.Join(m.state, name), text) {
				t.Errorf("%s is not kept", name)
			}
		}
	}
}

// isKept reports whether a file with this text was set aside.
func isKept(t *testing.T, name, text string) bool {
	kept, err := filepath.Glob(name + brokenSuffix + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		if got, err := os.ReadFile(file); err == nil && string(got) == text {
			return true
		}
	}
	return false
}

// Paths and commands are printed as users of Windows type them.
func checkWindowsTexts(t *testing.T, m *machine) {
	serve := m.start(t, "serve", m.flags("serve")...)
	gatewaytest.Eventually(t, "the gateway runs", func() bool { return isServed(m.address) })
	for _, args := range [][]string{{"status"}, {"doctor"}} {
		out, _, _ := m.run(append(args, "--state="+windowsPath(m.state))...)
		if !strings.Contains(out, windowsPath(m.state)) || strings.Contains(out, `\\`) {
			t.Errorf("%s: %s", args, out)
		}
	}
	serve.end()
	printed := serve.errors()
	for _, want := range []string{
		"Invoke-RestMethod http://" + m.address + "/mcp -Method Post", "$(Get-Content '" + windowsPath(filepath.Join(m.state, "token")) + "')",
		"& '" + windowsPath(m.program) + "' install claude-code --state '" + windowsPath(m.state) + "'",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %s in %s", want, printed)
		}
	}
	if strings.Contains(printed, "curl") || strings.Contains(printed, `\\`) {
		t.Errorf("serve prints %s", printed)
	}
	if out, text, err := m.run("install", "--list"); err != nil || !strings.Contains(out, `C:\users\`) || strings.Contains(out, `\\`) {
		t.Errorf("%s%s, %v", out, text, err)
	}
}

// A wine runs the program of Windows. It has a prefix, and so processes, of its own.
type wine struct {
	program string
	env     []string
}

func startWine(t *testing.T) *wine {
	dir := t.TempDir()
	w := &wine{program: filepath.Join(dir, "the program", "pagemcp.exe"), env: append(os.Environ(), "HOME="+dir, "WINEPREFIX="+filepath.Join(dir, "prefix"), "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=")}
	w.build(t, "")
	boot := exec.Command("wine", "wineboot", "-i")
	boot.Env = w.env
	t.Cleanup(func() {
		for _, flag := range []string{"-k", "-w"} {
			end := exec.Command("wineserver", flag)
			end.Env = w.env
			end.Run() // it may have ended
		}
	})
	if text, err := boot.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", boot, err, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "prefix/drive_c/windows/system32/bcryptprimitives.dll"), bcryptPrimitives(), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// build builds the program, with another version than that of the sources unless it is "". It differs from the one that is
// published in one more point. In Windows, no client can connect to the first instance of a pipe, by which go-winio keeps its
// name; Wine 8 gives it to the first client, which then waits for ever: here, one that goes at once.
func (w *wine) build(t *testing.T, version string) {
	t.Helper()
	dir, replaced := t.TempDir(), map[string]string{}
	replace := func(name, old, by string) {
		file, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, after, found := strings.Cut(string(source), old)
		if !found {
			t.Fatalf("%s has no %s", file, old)
		}
		replaced[file] = filepath.Join(dir, filepath.Base(name))
		writeState(t, dir, filepath.Base(name), before+by+after)
	}
	const written = "\tif err := os.WriteFile(" // after which others know the name
	replace("socket_windows.go", written, "\tif conn, err := winio.DialPipe(name, nil); err == nil {\n\t\tconn.Close()\n\t}\n"+written)
	if version != "" {
		replace("../web/package.json", `"version": "`, `"version": "`+version+`", "before": "`)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	writeState(t, dir, "overlay.json", string(overlay))
	build := exec.Command("go", "build", "-buildvcs=false", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", w.program, "../cmd/pagemcp")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", build, err, text)
	}
}

// bcryptPrimitives returns a library that Go's runtime needs and Wine 8 lacks, as a PE file: its one function,
// ProcessPrng, is another name of RtlGenRandom.
func bcryptPrimitives() []byte {
	const (
		headers, at = 0x200, 0x1000 // the size of all headers; where the one section is loaded
		name        = "bcryptprimitives.dll\x00"
		function    = "ProcessPrng\x00"
		target      = "ADVAPI32.SystemFunction036\x00"

		tables = at + 40 // after the directory: addresses of functions, of names, and ordinals, one each
		texts  = tables + 12
	)
	exports := binary.LittleEndian.AppendUint32(nil, 0)
	for _, value := range []uint32{
		0, 0, texts, 1, 1, 1, tables, tables + 4, tables + 8,
		uint32(texts + len(name+function)), uint32(texts + len(name)), 0,
	} {
		exports = binary.LittleEndian.AppendUint32(exports, value)
	}
	exports = append(exports, name+function+target...)
	optional := pe.OptionalHeader64{
		Magic: 0x20b, ImageBase: 0x1_8000_0000, SectionAlignment: 0x1000, FileAlignment: headers, MajorOperatingSystemVersion: 6, MajorSubsystemVersion: 6,
		SizeOfImage: 2 * at, SizeOfHeaders: headers, Subsystem: pe.IMAGE_SUBSYSTEM_WINDOWS_GUI, NumberOfRvaAndSizes: 16,
	}
	optional.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT] = pe.DataDirectory{VirtualAddress: at, Size: uint32(len(exports))}
	var file bytes.Buffer
	file.WriteString("MZ" + strings.Repeat("\x00", 58) + "\x40\x00\x00\x00PE\x00\x00")
	for _, part := range []any{
		pe.FileHeader{
			Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: uint16(binary.Size(optional)),
			Characteristics: pe.IMAGE_FILE_DLL | pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_LARGE_ADDRESS_AWARE,
		},
		optional,
		pe.SectionHeader32{
			Name: [8]uint8{'.', 'e', 'd', 'a', 't', 'a'}, VirtualSize: uint32(len(exports)), VirtualAddress: at, SizeOfRawData: headers, PointerToRawData: headers,
			Characteristics: pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ,
		},
	} {
		binary.Write(&file, binary.LittleEndian, part) // cannot fail: fixed sizes, in memory
	}
	file.Write(make([]byte, headers-file.Len()))
	file.Write(exports)
	file.Write(make([]byte, 2*headers-file.Len()))
	return file.Bytes()
}

// command returns one that runs the program.
func (w *wine) command(args ...string) *exec.Cmd {
	c := exec.Command("wine", append([]string{w.program}, args...)...)
	c.Env = w.env
	return c
}

// run runs the program to its end.
func (w *wine) run(args ...string) (out, text string, err error) {
	c := w.command(args...)
	var printed, errors strings.Builder
	c.Stdout, c.Stderr = &printed, &errors
	err = c.Run()
	return printed.String(), errors.String(), err
}

// A pairedState is a state directory in which a page has a key.
type pairedState struct {
	state, keyID string
	key          []byte
}

// page returns the page, which has not joined.
func (p *pairedState) page(t *testing.T) *testPage {
	page := newPage(t, testOrigin, "tab")
	page.keyID, page.key = p.keyID, p.key
	page.write("notes://a", "1")
	return page
}

// pair lets a page join a gateway that ends then.
func (w *wine) pair(t *testing.T) *pairedState {
	m := w.machine(t, nil)
	serve := m.hold(t, "serve", "--allow-origin="+testOrigin)
	page := (&pairedState{}).page(t)
	page.joinAt("ws://"+m.address+"/page", func() (pass, []byte) {
		pass := readFragment(t, serve.Pairing)
		secret, err := decodeBinary(pass.Secret)
		if err != nil {
			t.Fatal(err)
		}
		var keys storedKeys
		if err := json.Unmarshal([]byte(readIdentity(t, m.state)), &keys); err != nil {
			t.Fatal(err)
		}
		key, err := deriveKey(secret, keys.Gateway, testOrigin)
		if err != nil {
			t.Fatal(err)
		}
		return pass, key
	})
	page.leave()
	serve.end()
	return &pairedState{m.state, page.keyID, page.key}
}

// A machine is what the processes of one test share.
type machine struct {
	*wine
	state, address string
}

// machine returns one with a copy of a state directory, if there is one.
func (w *wine) machine(t *testing.T, paired *pairedState) *machine {
	m := &machine{w, filepath.Join(t.TempDir(), "the state"), "127.0.0.1:" + strconv.Itoa(gatewaytest.FreePorts(t, 1)[0])}
	if paired != nil {
		if err := os.CopyFS(m.state, os.DirFS(paired.state)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { m.killGateway(t) })
	return m
}

// windowsPath returns the name of a file of Linux in Wine.
func windowsPath(name string) string { return "Z:" + strings.ReplaceAll(name, "/", `\`) }

// flags returns the flags that all processes of the machine have.
func (m *machine) flags(more ...string) []string {
	return append(more, "--state="+windowsPath(m.state), "--mcp="+m.address)
}

// A windowsProcess is one that serves until it is ended.
type windowsProcess struct {
	Pairing string `json:"pairing"` // of serve --json

	end    func()
	out    *bufio.Reader
	errors func() string // what it has printed on standard error
}

func (m *machine) start(t *testing.T, command string, args ...string) *windowsProcess {
	c := m.command(args...)
	in, out, errors := startPiped(t, c)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }() // ends with the process
	return &windowsProcess{out: bufio.NewReader(out), errors: errors, end: func() {
		t.Helper()
		c.Process.Signal(os.Interrupt) // Ctrl+C
		in.Close()
		err := gatewaytest.Await(t, "the end of "+command, ended)
		if err != nil && c.ProcessState.Exited() { // Wine kills a process that has not gone two seconds after its exit
			t.Errorf("%s: %v: %s", command, err, errors())
		}
	}}
}

// startPiped starts a command. Its standard error is a file: processes of Wine that it starts keep that open.
func startPiped(t *testing.T, c *exec.Cmd) (in io.WriteCloser, out io.Reader, errors func() string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c.Stderr = file
	if in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	return in, out, func() string {
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// hold starts a command, and returns when it serves.
func (m *machine) hold(t *testing.T, command string, args ...string) *windowsProcess {
	t.Helper()
	p := m.start(t, command, m.flags(append([]string{command, "--json"}, args...)...)...)
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, p)
	}
	if err != nil {
		p.end()
		t.Fatalf("%s prints %q: %v: %s", command, line, err, p.errors())
	}
	return p
}

// stdio starts an assistant.
func (m *machine) stdio(t *testing.T) *parent {
	t.Helper()
	c := m.command(m.flags("stdio")...)
	in, out, _ := startPiped(t, c)
	p := newParent(t, in, out)
	go func() { p.ended <- c.Wait() }() // ends with the process
	return p
}

// killGateway kills the gateways that `pagemcp stdio` has started, and returns how many there were.
func (m *machine) killGateway(t *testing.T) (n int) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte("serve\x00--until-idle")) || !bytes.Contains(line, []byte(m.address)) {
			continue // it may have ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		process.Kill()
		gatewaytest.Eventually(t, "the killed gateway has ended", func() bool {
			line, err := os.ReadFile(file)
			return err != nil || len(line) == 0 // a process that nothing has waited for has no command line
		})
		n++
	}
	return n
}
