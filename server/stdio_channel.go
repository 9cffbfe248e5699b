package server

import (
	"context"
	"strconv"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A channel of Claude Code lets a server start a turn of the model: a notification with a text, for
// servers that declare an experimental capability. Claude Code has it in sessions of the older
// handshake only, so that the newer one is refused here.

// Names of the channel. They are Claude Code's, not the protocol's.
const (
	channelCapability = "claude/channel"
	channelMethod     = "notifications/claude/channel"
)

// A channelPort is the port of an assistant that gets what happens as notifications of a channel.
type channelPort struct {
	jsonrpc.Port
	reader *engine.Engine // examines messages

	mu         sync.Mutex
	initialize string        // key of the id of initialize, which has no response yet; "" for none
	ready      chan struct{} // closed by initialized
	isReady    bool
}

func newChannelPort(p jsonrpc.Port) *channelPort {
	return &channelPort{Port: p, reader: engine.New(engine.Info{}, nil), ready: make(chan struct{})}
}

// Read implements jsonrpc.Port. It answers requests of 2026-07-28 as a server that does not know
// them, so that the client falls back.
func (p *channelPort) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, err := p.Port.Read(ctx)
		if err != nil {
			return msg, err
		}
		x := p.reader.Examine(msg)
		if x.Kind == jsonrpc.Request && x.Modern && x.ID != "" {
			refusal := &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
			if err := p.Port.Write(ctx, jsonrpc.AppendError(nil, x.ID, refusal)); err != nil {
				return nil, err
			}
			continue
		}
		p.note(x)
		return msg, nil
	}
}

// note follows the handshake.
func (p *channelPort) note(x engine.Examination) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case x.Kind == jsonrpc.Request && x.Method == engine.MethodInitialize:
		p.initialize = x.ID.Key()
	case x.Kind == jsonrpc.Notification && x.Method == engine.MethodInitialized && !p.isReady:
		p.isReady = true
		close(p.ready)
	}
}

// Write implements jsonrpc.Port. It adds the capabilities to the response to initialize.
func (p *channelPort) Write(ctx context.Context, msg []byte) error {
	if p.isInitialize(msg) {
		if declared, err := withChannel(msg); err == nil {
			msg = declared
		}
	}
	return p.Port.Write(ctx, msg)
}

// isInitialize reports whether a message is the response to initialize.
func (p *channelPort) isInitialize(msg []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.initialize == "" || jsonrpc.Member(msg, "result") == nil || jsonrpc.ID(jsonrpc.Member(msg, "id")).Key() != p.initialize {
		return false
	}
	p.initialize = ""
	return true
}

// withChannel returns the response to initialize with the capability of the channel.
func withChannel(response []byte) ([]byte, error) {
	var whole, result, capabilities map[string]jsontext.Value
	if err := json.Unmarshal(response, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole["result"], &result); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(result["capabilities"], &capabilities); err != nil {
		return nil, err
	}
	capabilities["experimental"] = jsontext.Value(`{"` + channelCapability + `":{}}`)
	var err error
	if result["capabilities"], err = json.Marshal(capabilities); err != nil {
		return nil, err
	}
	if whole["result"], err = json.Marshal(result); err != nil {
		return nil, err
	}
	return json.Marshal(whole, json.Deterministic(true))
}

// serve sends what happens at the gateway, until ctx ends. Nothing is sent before the
// client has said that it is initialized.
func (p *channelPort) serve(ctx context.Context, o *StdioOptions) {
	select {
	case <-p.ready:
	case <-ctx.Done():
		return
	}
	for ctx.Err() == nil {
		err := Watch(ctx, WatchOptions{State: o.State, As: o.As, Every: channelEvery, Logger: o.Logger}, func(r WatchReport) error {
			if r.Lists = nil; r.Resources == nil && r.Events == nil && !r.Missed {
				return nil // another list is no reason for a turn
			}
			params, err := json.Marshal(channelMessage(r), json.Deterministic(true))
			if err != nil {
				return err
			}
			return p.Write(ctx, jsonrpc.AppendNotification(nil, channelMethod, params))
		})
		if err != nil && ctx.Err() == nil {
			o.Logger.Error("the channel is interrupted", "error", err.Error())
		}
		wait.For(ctx, maxRetryInterval)
	}
}

// channelEvery is the least time between two messages: each starts a turn of the model.
const channelEvery = time.Second

// A channelMessageParams is what a channel shows to the model.
type channelMessageParams struct {
	Content string            `json:"content"`
	Meta    map[string]string `json:"meta"` // keys are letters, digits and _
}

// channelMessage returns a report as a message: the line of `pagemcp watch`, and what programs may
// want to know of it.
func channelMessage(r WatchReport) channelMessageParams {
	meta := map[string]string{"time": r.Time.UTC().Format(time.RFC3339)}
	if changed := len(r.Resources) + r.More; changed > 0 {
		meta["changed"] = strconv.Itoa(changed)
	}
	if len(r.Events) > 0 {
		meta["event"] = lineText(r.Events[0].URI, maxLineURI)
	}
	return channelMessageParams{Content: WatchLine(r), Meta: meta}
}
