package server

import (
	"os"
	"strconv"
)

// A Running is how the gateway of this user is found by other processes of this
// user. It grants nothing: the token does.
type Running struct {
	PID       int    `json:"pid"`
	MCP       string `json:"mcp"` // http://127.0.0.1:8808/mcp
	WS        string `json:"ws"`  // ws://127.0.0.1:8808/ws
	TokenFile string `json:"tokenFile"`
	NoToken   bool   `json:"noToken,omitempty"`
}

const runningFile = "running.json"

// announce writes the file. A stale one of a process that was killed is in
// nobody's way.
func (g *Gateway) announce() error {
	return g.state.save(runningFile, Running{
		PID: os.Getpid(), MCP: g.URL(), WS: "ws://127.0.0.1:" + strconv.Itoa(g.port) + "/ws",
		TokenFile: g.options.TokenFile, NoToken: g.options.NoToken,
	})
}

// withdraw removes the file, unless another gateway has written it meanwhile.
func (g *Gateway) withdraw() {
	var running Running
	if g.state.load(runningFile, &running) == nil && running.PID == os.Getpid() && running.MCP == g.URL() {
		os.Remove(g.state.path(runningFile))
	}
}

// FindRunning returns what the state directory says of a gateway. Whether it
// still runs is for the caller to find out.
func FindRunning(dir string) (Running, bool) {
	var running Running
	err := (&state{dir: dir}).load(runningFile, &running)
	return running, err == nil && running.MCP != ""
}
