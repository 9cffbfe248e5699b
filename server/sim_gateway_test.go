package server

import (
	"context"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
)

// A simGateway is the gateway's process: it is started, stopped in order, killed,
// loses power, and starts again from what its disk has kept.
type simGateway struct {
	w    *simWorld
	disk *memDisk

	mu       sync.Mutex
	gateway  *Gateway // nil: not running
	listener *simListener
	ending   sync.WaitGroup
}

// start begins a process. shift is how far the wall clock was moved while there
// was none.
func (p *simGateway) start(shift time.Duration) {
	p.mu.Lock()
	running := p.gateway != nil
	p.mu.Unlock()
	if running {
		return
	}
	p.shiftTimes(shift)
	g, err := New(Options{
		State: "/state", disk: p.disk.process(), Origins: simOrigins, Version: "0.0.0-sim",
		ReadsPerSecond: 1000, // bursts are part of the load here; the limit has tests of its own
	})
	if err != nil {
		p.w.alarm("the gateway does not start: " + err.Error())
		return
	}
	if broken := p.disk.broken(); len(broken) > 0 {
		p.w.alarm("files were lost: " + strings.Join(broken, ", "))
	}
	p.w.history.Add(history.Event{Kind: history.Start})
	l := p.w.network.listen()
	g.port, g.listeners = 8808, []net.Listener{l}
	p.mu.Lock()
	p.gateway, p.listener = g, l
	p.mu.Unlock()
	p.ending.Go(func() {
		if err := g.Serve(context.Background()); err != nil {
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
		g.Close(context.Background())
		p.w.network.reset("")
	}
}

// kill ends the process like SIGKILL: its connections break, and nothing that it
// would still do reaches the disk. If power is lost too, what was not synced may
// be gone, and its peers notice nothing.
func (p *simGateway) kill(power bool) {
	g := p.take()
	if g == nil {
		return
	}
	var keep func() bool
	if power {
		keep = func() bool { return p.w.rand.IntN(2) == 0 }
	}
	p.disk.crash(keep)
	p.listener.Close()
	if power {
		p.w.network.swallow("", true, true)
	}
	p.w.network.reset("")
	p.ending.Go(func() { g.Close(context.Background()) }) // frees what the process had
}

func (p *simGateway) running() *Gateway {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gateway
}

// shiftTimes makes the files look as if the clock had been moved: every time in
// them lies that much earlier. Under a fake clock it is the only way to move the
// wall clock and not the monotonic one.
func (p *simGateway) shiftTimes(shift time.Duration) {
	if shift == 0 {
		return
	}
	for _, name := range p.disk.names() {
		if path.Ext(name) != ".json" || !slices.Contains([]string{".", sessionDir}, path.Dir(name)) {
			continue
		}
		shifted := simTimes.ReplaceAllStringFunc(p.disk.text(name), func(text string) string {
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return text
			}
			return at.Add(-shift).Format(time.RFC3339Nano)
		})
		p.disk.put(name, shifted)
	}
}
