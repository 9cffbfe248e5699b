package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/coder/websocket"
)

// A relay is the least that a gateway can do: it hands the body of each POST to a page,
// by one WebSocket, and the page's text back. The page has prepared answers
// (web/bench/gateway-null.ts). What it reaches is the limit of every gateway.
type relay struct {
	mu      sync.Mutex
	page    *websocket.Conn
	waiting map[int]chan []byte // by number; with room for the answer
	last    int
}

const maxFrame = 1 << 20 // bytes

// join serves the socket of the page: `NUMBER\nTEXT` answers the request of that number.
func (y *relay) join(w http.ResponseWriter, r *http.Request) {
	page, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the page has another port
	if err != nil {
		return
	}
	defer page.CloseNow()
	page.SetReadLimit(maxFrame)
	y.set(page)
	for {
		_, frame, err := page.Read(r.Context())
		if err != nil {
			return
		}
		number, text, _ := bytes.Cut(frame, []byte("\n"))
		n, _ := strconv.Atoi(string(number))
		if answer := y.take(n); answer != nil {
			answer <- text
		}
	}
}

func (y *relay) set(page *websocket.Conn) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.page = page
}

func (y *relay) take(n int) chan []byte {
	y.mu.Lock()
	defer y.mu.Unlock()
	answer := y.waiting[n]
	delete(y.waiting, n)
	return answer
}

func (y *relay) add() (page *websocket.Conn, n int, answer chan []byte) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.last++
	answer = make(chan []byte, 1)
	y.waiting[y.last] = answer
	return y.page, y.last, answer
}

// ServeHTTP answers a client. Notifications are accepted here.
func (y *relay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFrame))
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if !bytes.Contains(body, []byte(`"id"`)) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	page, n, answer := y.add()
	if page == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if err := page.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, "%d\n%s", n, body)); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	select {
	case text := <-answer:
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	case <-r.Context().Done():
		y.take(n)
	}
}
