package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An attackingPage has joined, and answers the requests of the gateway by a function, or
// not at all.
type attackingPage struct {
	t        *testing.T
	conn     *websocket.Conn
	answer   func(h *attackingPage, m jsonrpc.Message)
	requests atomic.Int64 // requests of the gateway
	buffer   []byte
	gone     chan struct{} // closed when its connection has ended
}

// discovered is the first result of a regular page.
const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"listChanged":true,"subscribe":true},` +
	`"prompts":{"listChanged":true},"tools":{"listChanged":true},"completions":{}},"serverInfo":{"name":"evil","version":"1"}}`

// joinHostile joins a page whose app is called evil over a real socket.
func joinHostile(t *testing.T, g *Gateway, answer func(h *attackingPage, m jsonrpc.Message)) *attackingPage {
	t.Helper()
	first, key := invited(t, g)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	page := newPage(t, testOrigin, "evil")
	conn := page.dial(ctx, first.Address)
	conn.SetReadLimit(-1)
	done, err := prove(ctx, conn, first, testOrigin, key, &gateway.Hello{Page: "evil", Instance: "1", Name: "evil"})
	if err != nil {
		t.Fatal(err)
	}
	h := &attackingPage{t: t, conn: conn, answer: answer, gone: make(chan struct{})}
	go h.run() // ends with the connection
	t.Cleanup(func() { conn.CloseNow() })
	gatewaytest.Eventually(t, "the page is attached", func() bool {
		return g.core.Views("").IsConnected(*done.Joined)
	})
	return h
}

func (h *attackingPage) run() {
	defer close(h.gone)
	for {
		_, data, err := h.conn.Read(context.Background())
		if err != nil {
			return
		}
		m, refusal := jsonrpc.Parse(data)
		switch {
		case refusal != nil || m.Kind != jsonrpc.Request:
		case m.Method == "server/discover":
			h.result(m, discovered)
		case m.Method == "ping":
			h.result(m, `{}`)
		default:
			h.requests.Add(1)
			h.answer(h, m)
		}
	}
}

// result answers with the concatenated parts. It is called by run only, and reuses its
// memory, which is part of the figures.
func (h *attackingPage) result(m jsonrpc.Message, parts ...string) {
	h.buffer = append(append(append(h.buffer[:0], `{"jsonrpc":"2.0","id":`...), m.ID...), `,"result":`...)
	for _, part := range parts {
		h.buffer = append(h.buffer, part...)
	}
	h.buffer = append(h.buffer, '}')
	h.conn.Write(context.Background(), websocket.MessageText, h.buffer)
}

// members are those of the results of lists, by method.
var members = map[string]string{
	"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts", "tools/list": "tools",
}

// hostileEntry is a valid entry of a list, as long as text.
func hostileEntry(method string, i int, text string) string {
	switch method {
	case "resources/list":
		return fmt.Sprintf(`{"uri":"a:%d","name":"n","description":"%s"}`, i, text)
	case "resources/templates/list":
		return fmt.Sprintf(`{"uriTemplate":"a:%d{x}","name":"n","description":"%s"}`, i, text)
	case "prompts/list":
		return fmt.Sprintf(`{"name":"n%d","description":"%s"}`, i, text)
	}
	return fmt.Sprintf(`{"name":"n%d","description":"%s","inputSchema":{"type":"object"}}`, i, text)
}

// endless answers each list with 5 entries, as long as text, and a new cursor. Other requests get
// no response.
func endless(text string) func(h *attackingPage, m jsonrpc.Message) {
	var count int
	return func(h *attackingPage, m jsonrpc.Message) {
		member := members[m.Method]
		if member == "" {
			return
		}
		var all []string
		for range 5 {
			count++
			all = append(all, hostileEntry(m.Method, count, text))
		}
		h.result(m, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","`+member+`":[`, strings.Join(all, ","), fmt.Sprintf(`],"nextCursor":"%d"}`, count))
	}
}

// silent answers nothing.
func silent(*attackingPage, jsonrpc.Message) {}

// A pageFlood is what a hostile page, and an assistant that sends it requests, do until
// over is closed.
type pageFlood struct {
	name   string
	answer func() func(h *attackingPage, m jsonrpc.Message)
	drive  func(t *testing.T, g *Gateway, h *attackingPage, over <-chan struct{})
}

// pageFloods are the attacks of a hostile page on the memory and time of the gateway. What other
// lists may cost is tested in server/internal/remote.
func pageFloods() []pageFlood {
	large := strings.Repeat("x", 200_000)
	return []pageFlood{
		{"endless cursors, large entries", func() func(*attackingPage, jsonrpc.Message) { return endless(large) }, askLists},
		{"64 hung reads", func() func(*attackingPage, jsonrpc.Message) { return silent }, readsOf("evil+a:1", limits.MaxInFlight)},
		{"64 reads that are answered with 7 MiB", func() func(*attackingPage, jsonrpc.Message) {
			body := `{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[{"uri":"a:1","text":"` + strings.Repeat("x", 7<<20) + `"}]}`
			return func(h *attackingPage, m jsonrpc.Message) {
				if m.Method == "resources/read" {
					h.result(m, body)
				}
			}
		}, readsOf("evil+a:1", limits.MaxInFlight)},
		{"frames of 8 MiB in a loop", func() func(*attackingPage, jsonrpc.Message) { return silent },
			sends(`{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`)},
		{"206,000 broken messages", func() func(*attackingPage, jsonrpc.Message) { return silent }, sends(`{"jsonrpc":`)},
		{"notifications in a loop", func() func(*attackingPage, jsonrpc.Message) { return silent }, sends(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)},
		{"updates of new URIs in a loop", func() func(*attackingPage, jsonrpc.Message) { return silent }, sendsEach(func(i int) []byte {
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:%d","_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}}`, i)
		})},
		{"requests in a loop", func() func(*attackingPage, jsonrpc.Message) { return silent }, sends(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`)},
		{"answers to nothing in a loop", func() func(*attackingPage, jsonrpc.Message) { return silent }, sends(`{"jsonrpc":"2.0","id":99999999,"result":{}}`)},
	}
}

// sendQuietly sends a request and discards the response.
func sendQuietly(r *http.Request) (status int, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// askLists requests each list again and again as a separate assistant.
func askLists(t *testing.T, g *Gateway, _ *attackingPage, over <-chan struct{}) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for method := range members {
		go func() { // ends with ctx
			for ctx.Err() == nil {
				sendQuietly(caller(t, g).Request(ctx, "POST", "/mcp", gatewaytest.Modern("1", method, ""), gatewaytest.V2026, "Mcp-Method: "+method))
			}
		}()
	}
	<-over
}

// readsOf keeps many reads of uri in flight as a separate assistant.
func readsOf(uri string, many int) func(*testing.T, *Gateway, *attackingPage, <-chan struct{}) {
	return func(t *testing.T, g *Gateway, h *attackingPage, over <-chan struct{}) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range many {
			go func() { // ends with ctx
				for ctx.Err() == nil {
					body := strings.Replace(gatewaytest.Modern("1", "resources/read", `"uri":"`+uri+`"`), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"reader","version":"1"},`, 1)
					sendQuietly(caller(t, g).Request(ctx, "POST", "/mcp", body, gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: "+uri))
				}
			}()
		}
		<-over
	}
}

// sends makes the page send one message repeatedly until it is disconnected.
func sends(text string) func(*testing.T, *Gateway, *attackingPage, <-chan struct{}) {
	message := []byte(text)
	return sendsEach(func(int) []byte { return message })
}

func sendsEach(text func(i int) []byte) func(*testing.T, *Gateway, *attackingPage, <-chan struct{}) {
	return func(_ *testing.T, _ *Gateway, h *attackingPage, over <-chan struct{}) {
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			case <-h.gone:
				<-over
				return
			default:
			}
			if h.conn.Write(context.Background(), websocket.MessageText, text(i)) != nil {
				<-over
				return
			}
		}
	}
}

// flood runs f while another assistant reads another page. It returns by how many bytes the memory grows at most.
func flood(t *testing.T, f pageFlood) float64 {
	t.Helper()
	g := startGateway(t, Options{ReadsPerSecond: 100_000})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	h := joinHostile(t, g, f.answer())
	before, goroutines := memory(), runtime.NumGoroutine()
	over, driven := make(chan struct{}), make(chan struct{})
	go func() { // ends with over
		defer close(driven)
		f.drive(t, g, h, over)
	}()
	most := 0.0
	for range 100 {
		if status, err := sendQuietly(readAs(t, g, g.testToken(), "notes+notes://a")); err != nil || status != 200 {
			t.Errorf("another page is read with %d, %v", status, err)
			break
		}
		most = max(most, memory()-before)
	}
	close(over)
	<-driven
	h.conn.CloseNow()
	gatewaytest.Eventually(t, "the flood is over", func() bool { return runtime.NumGoroutine() < goroutines+20 })
	return most
}

// memory is what this process has in use: heap and stacks, after a collection, in bytes.
func memory() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// Each flood makes the gateway use little memory, and another assistant can read another
// page meanwhile. It runs alone: it measures the process.
func TestHostilePagesCostOthersLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	for _, f := range pageFloods() {
		t.Run(f.name, func(t *testing.T) {
			if grown := flood(t, f); grown > 96<<20 {
				t.Errorf("memory grows by %.1f MiB", grown/(1<<20))
			}
		})
	}
}
