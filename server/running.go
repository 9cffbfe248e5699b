package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A Running describes the running gateway of this user to other processes of this user.
// It grants no access; the token does.
type Running struct {
	PID       int    `json:"pid"`
	MCP       string `json:"mcp"` // http://127.0.0.1:8808/mcp
	WS        string `json:"ws"`  // ws://127.0.0.1:8808/ws
	TokenFile string `json:"tokenFile"`
	Docs      string `json:"docs,omitempty"` // URL of the documentation, if the same process serves it

	Precedence Precedence `json:"precedence,omitzero"`
}

const runningFile = "running.json"

// writeRunning writes the file. It replaces that of a process that was killed.
func (g *Gateway) writeRunning() error {
	return g.state.save(runningFile, Running{
		PID: os.Getpid(), MCP: g.URL(), WS: "ws://127.0.0.1:" + strconv.Itoa(g.port) + "/ws",
		TokenFile: g.options.TokenFile, Docs: g.docs, Precedence: g.options.Precedence,
	})
}

// announce writes the file. An error is logged once: pages and assistants need no file.
func (g *Gateway) announce() {
	err := g.writeRunning()
	g.announced.Store(err == nil)
	if err != nil && !g.unannounced.Swap(true) {
		g.log.Warn("other commands of pagemcp do not find this gateway until its file can be written: free some space", "error", err)
	}
}

// AnnounceWeb tells other processes of this user where the host program serves pages, whose
// origin may join: a URL that ends with a slash. docs is the path of the documentation below it,
// or "". Call AnnounceWeb between Listen and Serve.
func (g *Gateway) AnnounceWeb(url, docs string) {
	g.web = url
	if docs != "" {
		g.docs = url + docs
	}
	g.announce()
}

// removeRunning removes the file, unless another gateway has replaced it.
func (g *Gateway) removeRunning() {
	if running, ok := readRunning(g.state.disk); ok && running.PID == os.Getpid() && running.MCP == g.URL() {
		if err := g.state.remove(runningFile); err != nil {
			g.state.logError(err)
		}
	}
}

// readRunning reads the file. An invalid file is left in place, since it belongs to
// another process.
func readRunning(d disk) (running Running, ok bool) {
	data, err := d.ReadFile(runningFile)
	if err != nil || json.Unmarshal(data, &running) != nil {
		return Running{}, false
	}
	return running, running.MCP != ""
}

// FindRunning returns the running gateway that uses the state directory dir. The gateway
// has proved that it knows the token; without that proof, a program that took the port
// of a crashed gateway would receive the token.
func FindRunning(ctx context.Context, dir string) (Running, bool) {
	running, ok := readRunning(osDisk{dir})
	if !ok {
		return running, false
	}
	secret, err := os.ReadFile(running.TokenFile)
	if err != nil {
		return running, false
	}
	return running, probe(ctx, running.MCP, strings.TrimSpace(string(secret))) == nil
}

// The probe: the client sends a nonce, and the gateway signs it together with the address
// that the client has dialled. So another program on the port cannot relay the request to
// the gateway, which now has another port.
const (
	probePath   = "/probe"
	nonceHeader = "Pagemcp-Nonce"
	proofHeader = "Pagemcp-Proof"
)

func probeProof(token, nonce, host string) string {
	mac := hmac.New(sha256.New, []byte(token))
	fmt.Fprintf(mac, "pagemcp/1 probe\n%s\n%s", nonce, host)
	return hex.EncodeToString(mac.Sum(nil))
}

func (g *Gateway) serveProbe(w http.ResponseWriter, r *http.Request) {
	nonce := r.Header.Get(nonceHeader)
	if r.Method != http.MethodGet || len(nonce) != hex.EncodedLen(nonceLength) || r.Header.Get("Origin") != "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set(proofHeader, probeProof(g.token.text(), nonce, r.Host))
	w.WriteHeader(http.StatusNoContent)
}

var errNotOurGateway = errors.New("the program on this port is not the gateway of this user: it does not know the token")

// probe verifies that the token is known to the gateway at an MCP URL.
func probe(ctx context.Context, mcp, token string) error {
	u, err := url.Parse(mcp)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.ProbeTime)
	defer cancel()
	u.Path = probePath
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	nonce := hex.EncodeToString(randomBytes(nonceLength))
	r.Header.Set(nonceHeader, nonce)
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // without proxy: the gateway is on this machine
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       2 * time.Second,
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10)) // bytes
	if !hmac.Equal([]byte(answer.Header.Get(proofHeader)), []byte(probeProof(token, nonce, u.Host))) {
		return errNotOurGateway
	}
	return nil
}
