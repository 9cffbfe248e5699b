package mcpschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A Conversation compares what an engine sends to one client on one connection: a channel, or
// what belongs to one session or one request of HTTP. Its methods may be called concurrently.
// Types of the Tasks extension are in no official schema, and not compared.
type Conversation struct {
	schemas    *Schemas
	mu         sync.Mutex
	negotiated string             // by initialize; "" before
	requests   map[string]request // of the client without a response, by the token of their id
}

type request struct {
	method   string
	revision string // "" for a request of neither era
	givenUp  bool   // cancelled: its id is free again
}

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta      map[string]json.RawMessage `json:"_meta"`
		RequestID json.RawMessage            `json:"requestId"`
	} `json:"params"`
	Result map[string]json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// Conversation begins one.
func (s *Schemas) Conversation() *Conversation {
	return &Conversation{schemas: s, requests: map[string]request{}}
}

// FromClient takes note of what a client sends, right or wrong.
func (c *Conversation) FromClient(text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range split(text) {
		var m message
		json.Unmarshal(one, &m) // what is wrong with it is for the engine to say
		if req, ok := c.requests[string(m.Params.RequestID)]; ok && m.Method == "notifications/cancelled" {
			req.givenUp = true
			c.requests[string(m.Params.RequestID)] = req
		}
		if len(m.ID) == 0 || m.Method == "" && (m.Result != nil || m.Error != nil) {
			continue
		}
		req := request{method: m.Method, revision: c.negotiated}
		if m.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil || m.Method == "server/discover" || m.Method == "subscriptions/listen" {
			req.revision = R20260728
		}
		if old, busy := c.requests[string(m.ID)]; !busy || old.givenUp {
			c.requests[string(m.ID)] = req
		}
	}
}

// Check returns what is wrong with what a server sends.
func (c *Conversation) Check(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var wrong []error
	for _, one := range split(text) {
		wrong = append(wrong, c.check(one))
	}
	return errors.Join(wrong...)
}

// split returns the messages of a batch, or the one message that there is.
func split(text []byte) []json.RawMessage {
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		var all []json.RawMessage
		if json.Unmarshal(text, &all) == nil {
			return all
		}
	}
	return []json.RawMessage{text}
}

func (c *Conversation) check(text []byte) error {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return err
	}
	switch name, known := serverMessages[m.Method]; {
	case m.Method == "":
		return c.checkResponse(m, whole)
	case m.Method == "notifications/tasks":
		return nil
	case !known, m.ID != nil && c.negotiated == "":
		return fmt.Errorf("the engine sends %s to a client with revision %q", m.Method, c.negotiated)
	default:
		return c.checkMessage(name, m, whole)
	}
}

// checkMessage compares a request or notification of the engine.
func (c *Conversation) checkMessage(name string, m message, whole map[string]any) error {
	revision, frame := c.negotiated, "JSONRPCNotification"
	if m.ID != nil {
		frame = "JSONRPCRequest"
	}
	if revision == "" || m.Params.Meta["io.modelcontextprotocol/subscriptionId"] != nil {
		revision = R20260728
	}
	if params, _ := whole["params"].(map[string]any); params != nil {
		if filter, ok := params["notifications"].(map[string]any); ok {
			delete(filter, "taskIds") // of the Tasks extension
		}
	}
	framed := c.schemas.Validate(revision, frame, whole)
	if !c.schemas.framed(revision, name) { // until 2025-06-18, the type is method and params alone
		delete(whole, "jsonrpc")
		delete(whole, "id")
	}
	return errors.Join(framed, c.schemas.Validate(revision, name, whole))
}

func (c *Conversation) checkResponse(m message, whole map[string]any) error {
	if (m.Result == nil) == (m.Error == nil) {
		return errors.New("a response has either result or error")
	}
	if m.ID == nil {
		if m.Error == nil {
			return errors.New("a result without an id")
		}
		return c.schemas.Validate(R20251125, "JSONRPCErrorResponse", whole) // the oldest that allows it
	}
	req, ok := c.requests[string(m.ID)]
	if !ok && m.Error != nil && m.Error.Code == -32600 {
		return c.checkError(request{}, m.Error.Code, whole) // to what was no request
	}
	if !ok {
		return fmt.Errorf("a response to %s, which is no open request", m.ID)
	}
	delete(c.requests, string(m.ID))
	if m.Error != nil {
		return c.checkError(req, m.Error.Code, whole)
	}
	if req.method == "initialize" && req.revision != R20260728 {
		if json.Unmarshal(m.Result["protocolVersion"], &c.negotiated) != nil {
			return errors.New("initialize is answered without a protocolVersion")
		}
		req.revision = c.negotiated
	}
	return c.checkResult(req, m.Result, whole)
}

func (c *Conversation) checkResult(req request, result map[string]json.RawMessage, whole map[string]any) error {
	revision := req.revisionOr(R20251125)
	name, ok := results[req.method]
	if !ok {
		name = "Result"
	}
	if revision == R20260728 {
		switch string(result["resultType"]) {
		case `"input_required"`:
			name = "InputRequiredResult"
		case `"task"`:
			name = ""
		}
		if strings.HasPrefix(req.method, "tasks/") {
			name = ""
		}
	}
	if name == "" {
		return nil
	}
	var wrong []error
	for _, plain := range []string{"JSONRPCResponse", "JSONRPCResultResponse"} {
		if c.schemas.Has(revision, plain) {
			wrong = append(wrong, c.schemas.Validate(revision, plain, whole))
		}
	}
	return errors.Join(append(wrong, c.schemas.Validate(revision, name, whole["result"]))...)
}

func (c *Conversation) checkError(req request, code int, whole map[string]any) error {
	if req.revision != R20260728 {
		if code <= -32020 && code >= -32099 && (req.revision != "" || c.negotiated != "") && !(code == -32042 && req.revision == R20251125) {
			return fmt.Errorf("code %d for a request of %s", code, req.revision)
		}
		for _, name := range []string{"JSONRPCError", "JSONRPCErrorResponse"} { // until 2025-06-18, and since
			if revision := req.revisionOr(R20251125); c.schemas.Has(revision, name) {
				return c.schemas.Validate(revision, name, whole)
			}
		}
	}
	if err := c.schemas.Validate(R20260728, "JSONRPCErrorResponse", whole); err != nil {
		return err
	}
	kind, ok := errorTypes[code]
	switch {
	case !ok && code <= -32000 && code >= -32768:
		return fmt.Errorf("code %d, which 2026-07-28 keeps for others", code)
	case !ok:
		return nil
	case kind.whole:
		return c.schemas.Validate(R20260728, kind.name, whole)
	}
	return c.schemas.Validate(R20260728, kind.name, whole["error"])
}

func (r request) revisionOr(otherwise string) string {
	if r.revision == "" {
		return otherwise
	}
	return r.revision
}
