package socket

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// pingMessage is answered by the engine, while a WebSocket pong comes from the browser
// even if its page hangs. Every revision answers ping in any state. No Remote uses this
// id.
const pingMessage = `{"jsonrpc":"2.0","id":"gateway-ping","method":"ping"}`

// KeepAlive sends pings until the socket is closed, and closes it if the peer is dead. A
// page must send messages; for an assistant, which may have nothing to send, a pong
// suffices.
func (s *Socket) KeepAlive(page bool) {
	ticker := time.NewTicker(limits.PingEvery / 3)
	defer ticker.Stop()
	var pong atomic.Int64 // like lastReceived
	for n := 1; ; n++ {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		}
		last := s.lastReceived.Load()
		if !page {
			last = max(last, pong.Load())
		}
		if time.Since(s.started)-time.Duration(last) >= limits.PingTimeout {
			s.cancel() // half-open: a closing handshake would time out
			s.conn.CloseNow()
			return
		}
		if n%3 != 0 {
			continue
		}
		go func() { // ends with the pong, or after PingTimeout
			ctx, cancel := context.WithTimeout(s.ctx, limits.PingTimeout)
			defer cancel()
			if s.conn.Ping(ctx) == nil {
				pong.Store(int64(time.Since(s.started)))
			}
		}()
		if page {
			s.Write(s.ctx, []byte(pingMessage)) // failing is equivalent to no answer
		}
	}
}
