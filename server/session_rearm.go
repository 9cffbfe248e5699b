package server

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// rearm subscribes again to what the record names and the engine does not have,
// in the background: pages may take a while to come back, and those that are not
// there yet are tried again when they join. The lock is held.
func (s *session) rearm() {
	t := s.talk
	if s.rearms {
		s.rearmsAgain = true // a page may have joined just after it was asked
		return
	}
	if t == nil {
		return
	}
	var missing []string
	for _, uri := range s.record.URIs {
		if !t.armed[uri] {
			missing = append(missing, uri)
		}
	}
	if len(missing) == 0 {
		return
	}
	s.rearms = true
	go func() { // ends when the engine has answered for each, or the conversation ends
		next := make(chan string)
		var workers sync.WaitGroup
		for range min(len(missing), maxInFlight/4) {
			workers.Go(func() {
				for uri := range next {
					s.subscribe(t, uri)
				}
			})
		}
		for _, uri := range missing {
			next <- uri
		}
		close(next)
		workers.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rearms = false
		if s.rearmsAgain {
			s.rearmsAgain = false
			s.rearm()
		}
	}()
}

// subscribe is a subscription that the client made earlier. Once it stands, the
// client is told to read again.
func (s *session) subscribe(t *talk, uri string) {
	answered := make(chan bool, 1)
	s.mu.Lock()
	t.own++
	id := jsonrpc.ID(`"pagemcp/` + strconv.Itoa(t.own) + `"`)
	t.waiting[id.Key()] = &waiter{
		method: "resources/subscribe", uri: uri, begun: time.Now(),
		own: func(failed bool) { answered <- !failed },
	}
	s.mu.Unlock()
	params := append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
	if t.port.Write(context.Background(), jsonrpc.AppendRequest(nil, id, "resources/subscribe", params)) != nil {
		return
	}
	patience := time.NewTimer(2 * graceTime)
	defer patience.Stop()
	select {
	case ok := <-answered:
		if ok {
			msg := jsonrpc.AppendNotification(nil, "notifications/resources/updated", params)
			s.out.put(msg, headOf(msg))
		}
	case <-patience.C:
	case <-s.done:
	}
}

// pageJoined tries again what could not be subscribed to before.
func (s *session) pageJoined() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rearm()
}
