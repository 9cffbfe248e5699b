package socket

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// WantsUpgrade reports whether r requests a WebSocket. If not, it responds 426.
func WantsUpgrade(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return true
	}
	w.Header().Set("Upgrade", "websocket")
	w.Header().Set("Connection", "Upgrade")
	http.Error(w, "this path needs a WebSocket: send Upgrade: websocket", http.StatusUpgradeRequired)
	return false
}

// Accept upgrades to a WebSocket. The library's check of Host and Origin is off: the
// Guard has checked them by stricter rules, and the library accepts a rebound name.
func Accept(w http.ResponseWriter, r *http.Request, protocols ...string) (*websocket.Conn, error) {
	return websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       protocols,
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
	})
}

// A Counter limits how many WebSockets are open at once.
type Counter struct {
	Max, MaxPerOrigin int // 0 means the default of package limits

	mu       sync.Mutex
	all      int
	byOrigin map[string]int
}

// Acquire counts one more WebSocket of origin until release is called. origin is empty
// for assistants.
func (c *Counter) Acquire(origin string) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full(origin) != "" {
		return nil, false
	}
	if c.byOrigin == nil {
		c.byOrigin = map[string]int{}
	}
	c.all++
	c.byOrigin[origin]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all--
		if c.byOrigin[origin]--; c.byOrigin[origin] == 0 {
			delete(c.byOrigin, origin)
		}
	}, true
}

// Full returns why no further WebSocket of origin is accepted now, for its user; "" if one is.
func (c *Counter) Full(origin string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.full(origin)
}

func (c *Counter) full(origin string) string {
	most := cmp.Or(c.MaxPerOrigin, limits.MaxPagesPerOrigin)
	switch {
	case origin != "" && c.byOrigin[origin] >= most:
		return strconv.Itoa(most) + " pages of this origin are connected, which is the limit: close one of their tabs"
	case c.all >= cmp.Or(c.Max, limits.MaxSockets):
		return "the gateway has too many connections: close other tabs or assistants"
	}
	return ""
}
