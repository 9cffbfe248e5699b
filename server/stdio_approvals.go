package server

import (
	"bytes"
	"context"
	"log/slog"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/approvals"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A channel may take over the permission prompts of Claude Code as well: it shows each one beside
// the terminal, the first answer counts, and the channel does not learn that the terminal was
// first. Pages that have joined never see a prompt; see package approvals.

// Names of permission prompts. They are Claude Code's, not the protocol's.
const (
	approvalCapability    = "claude/channel/permission"
	approvalRequestMethod = "notifications/claude/channel/permission_request"
	approvalMethod        = "notifications/claude/channel/permission"
)

// An approvalParams is an answer to a permission prompt.
type approvalParams struct {
	RequestID string `json:"request_id"`
	Behavior  string `json:"behavior"` // allow or deny
}

// takeApprovals makes the channel show permission prompts in a page that open opens.
func (p *channelPort) takeApprovals(as string, open func(context.Context, string) error, log *slog.Logger) *approvals.Site {
	p.approvals = approvals.New(approvals.Options{Assistant: as, Send: p.sendApproval, Open: open, Log: log})
	return p.approvals
}

// takePrompt shows a permission prompt, and reports whether the message is one: it is for no
// engine. One before initialized, or with other members, is ignored: the terminal has it.
func (p *channelPort) takePrompt(msg []byte, x engine.Examination) bool {
	if p.approvals == nil {
		return false
	}
	params := x.Params
	switch {
	case x.Kind == jsonrpc.Notification && x.Method == approvalRequestMethod:
	case x.Malformed != nil && bytes.Contains(msg, []byte(approvalRequestMethod)):
		// The client cuts the input between UTF-16 code units, which may leave half a character:
		// that is no valid message.
		var notification struct {
			Method string         `json:"method"`
			ID     jsontext.Value `json:"id"`
			Params jsontext.Value `json:"params"`
		}
		if json.Unmarshal(msg, &notification, jsontext.AllowInvalidUTF8(true)) != nil || notification.ID != nil || notification.Method != approvalRequestMethod {
			return false
		}
		params = notification.Params
	default:
		return false
	}
	var q approvals.Question
	if json.Unmarshal(params, &q, jsontext.AllowInvalidUTF8(true)) == nil && p.isInitialized() {
		p.approvals.Ask(q)
	}
	return true
}

func (p *channelPort) isInitialized() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isReady
}

// sendApproval sends the answer to a permission prompt.
func (p *channelPort) sendApproval(ctx context.Context, id string, allow bool) error {
	answer := approvalParams{RequestID: id, Behavior: "deny"}
	if allow {
		answer.Behavior = "allow"
	}
	params, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return p.Port.Write(ctx, jsonrpc.AppendNotification(nil, approvalMethod, params))
}
