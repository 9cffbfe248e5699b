package socket

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// pingMessage is answered by the engine, while a WebSocket pong comes from the browser
// even if it has stopped the page. Every revision answers ping in any state. No Remote uses this
// id.
const pingMessage = `{"jsonrpc":"2.0","id":"gateway-ping","method":"` + engine.MethodPing + `"}`

// KeepAlive sends pings until the socket is closed, and closes it if the peer is dead: if neither
// messages nor pongs come. It returns at once. asleep is for the socket of a page, else nil: it is called
// again and again while only pongs come, as from a browser that has stopped its tab, with the time since the
// last message. That ends after limits.MaxSleep.
func (s *Socket) KeepAlive(asleep func(silent time.Duration)) {
	k := &keepAlive{socket: s, asleep: asleep}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(limits.PingEvery/3, k.tick)
}

// A keepAlive has a timer instead of a goroutine: there may be thousands of idle sockets.
type keepAlive struct {
	socket *Socket
	asleep func(silent time.Duration) // nil: the peer is no page
	pong   atomic.Int64               // like Socket.lastReceived

	mu    sync.Mutex
	timer *time.Timer
	ticks int
}

// tick looks at the socket every 5 seconds. It runs on a goroutine of its own.
func (k *keepAlive) tick() {
	s := k.socket
	if s.ctx.Err() != nil {
		return
	}
	silent := s.Idle()
	quiet := min(silent, time.Since(s.started)-time.Duration(k.pong.Load()))
	if quiet >= limits.PingTimeout || k.asleep != nil && silent >= limits.MaxSleep {
		s.cancel() // half-open: a closing handshake would time out
		return
	}
	if k.asleep != nil && silent >= limits.SilentTime && quiet < limits.SilentTime {
		k.asleep(silent)
	}
	if k.again()%3 != 0 {
		return
	}
	if k.asleep != nil {
		s.Write(s.ctx, []byte(pingMessage)) // failing is equivalent to no answer
	}
	ctx, cancel := context.WithTimeout(s.ctx, limits.PingTimeout)
	defer cancel()
	if s.conn.Ping(ctx) == nil {
		k.pong.Store(int64(time.Since(s.started)))
	}
}

// again starts the timer again, and returns how often it has done so.
func (k *keepAlive) again() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer.Reset(limits.PingEvery / 3)
	k.ticks++
	return k.ticks
}
