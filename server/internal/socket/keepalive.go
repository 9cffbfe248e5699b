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
// even if its page hangs. Every revision answers ping in any state. No Remote uses this
// id.
const pingMessage = `{"jsonrpc":"2.0","id":"gateway-ping","method":"` + engine.MethodPing + `"}`

// KeepAlive sends pings until the socket is closed, and closes it if the peer is dead. A
// page must send messages; for an assistant, which may have nothing to send, a pong
// suffices. It returns at once.
func (s *Socket) KeepAlive(page bool) {
	k := &keepAlive{socket: s, page: page}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(limits.PingEvery/3, k.tick)
}

// A keepAlive has a timer instead of a goroutine: there may be thousands of idle sockets.
type keepAlive struct {
	socket *Socket
	page   bool
	pong   atomic.Int64 // like Socket.lastReceived

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
	last := s.lastReceived.Load()
	if !k.page {
		last = max(last, k.pong.Load())
	}
	if time.Since(s.started)-time.Duration(last) >= limits.PingTimeout {
		s.cancel() // half-open: a closing handshake would time out
		return
	}
	if k.again()%3 != 0 {
		return
	}
	if k.page {
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
