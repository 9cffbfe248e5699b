package server

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A simGateway is the gateway's process: it is started, stopped in order, killed,
// and started again from what was on its disk at that time.
type simGateway struct {
	w *simWorld

	mu       sync.Mutex
	gateway  *Gateway // nil: not running
	listener *simListener
	dir      string
	starts   int
	ending   sync.WaitGroup
}

// start begins a process. shift is how far the wall clock was moved while there
// was none.
func (p *simGateway) start(shift time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gateway != nil {
		return
	}
	p.starts++
	shiftTimes(p.dir, shift)
	g, err := New(Options{State: p.dir, Origins: simOrigins, Version: "0.0.0-sim"})
	if err != nil {
		p.w.alarm("the gateway does not start: " + err.Error())
		return
	}
	l := p.w.network.listen()
	g.port, g.listeners = 8808, []net.Listener{l}
	p.gateway, p.listener = g, l
	p.ending.Go(func() {
		if err := g.Serve(); err != nil {
			p.w.alarm("the gateway fails: " + err.Error())
		}
	})
}

// take returns the running gateway, which is the caller's to end. No lock may be
// held while it ends: under synctest a goroutine that waits for a lock stops the
// clock.
func (p *simGateway) take() *Gateway {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gateway
	p.gateway = nil
	return g
}

// stop ends the process in order.
func (p *simGateway) stop() {
	if g := p.take(); g != nil {
		g.Close()
		p.w.network.reset("")
	}
}

// kill ends the process like SIGKILL: its connections break, and nothing that it
// would still do reaches the disk of the next one.
func (p *simGateway) kill() {
	g := p.take()
	if g == nil {
		return
	}
	next := filepath.Join(filepath.Dir(p.dir), strconv.Itoa(p.starts))
	copyState(p.dir, next)
	p.dir = next
	p.listener.Close()
	p.w.network.reset("")
	p.ending.Go(g.Close) // frees what the process had
}

func (p *simGateway) running() *Gateway {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gateway
}

// copyState copies a state directory with the modes that the gateway insists on.
func copyState(from, to string) {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		there := filepath.Join(to, strings.TrimPrefix(path, from))
		if entry.IsDir() {
			return os.MkdirAll(there, 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(there, data, 0o600)
	})
	if err != nil {
		panic(err)
	}
}

// shiftTimes makes the files of a state directory look as if the clock had been
// moved: every time in them lies that much earlier.
func shiftTimes(dir string, shift time.Duration) {
	if shift == 0 {
		return
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	sessions, _ := filepath.Glob(filepath.Join(dir, sessionDir, "*.json"))
	for _, file := range append(files, sessions...) {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		shifted := simTimes.ReplaceAllFunc(data, func(text []byte) []byte {
			at, err := time.Parse(time.RFC3339Nano, string(text))
			if err != nil {
				return text
			}
			return []byte(at.Add(-shift).Format(time.RFC3339Nano))
		})
		if err := os.WriteFile(file, shifted, 0o600); err != nil {
			panic(err)
		}
	}
}
