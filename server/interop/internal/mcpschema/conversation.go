package mcpschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// The members of _meta that tell whose a message is.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// A Conversation is what one client and one engine say to each other on one
// connection: a channel, or what belongs to one session or one request of HTTP.
// Its methods may be called concurrently.
type Conversation struct {
	schemas    *Schemas
	mu         sync.Mutex
	negotiated string             // by initialize; "" before
	requests   map[string]request // of the client, by the token of their id
	listens    map[string]bool    // ids that were those of a listen
	asked      map[string]bool    // ids of what the engine has asked
}

type request struct {
	method   string
	revision string // "" for a request of neither era
	token    string // of its progress
	acked    bool   // a listen that has been acknowledged
	givenUp  bool   // cancelled: its id is free again
}

// message is any JSON-RPC message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Meta          map[string]json.RawMessage `json:"_meta"`
		RequestID     json.RawMessage            `json:"requestId"`
		ProgressToken json.RawMessage            `json:"progressToken"`
	} `json:"params"`
	Result map[string]json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// Conversation begins one.
func (s *Schemas) Conversation() *Conversation {
	return &Conversation{schemas: s, requests: map[string]request{}, listens: map[string]bool{}, asked: map[string]bool{}}
}

// FromClient takes note of what a client sends, right or wrong.
func (c *Conversation) FromClient(text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range split(text) {
		var m message
		json.Unmarshal(one, &m) // what is wrong with it is for the engine to say
		if m.Method == "notifications/cancelled" {
			if req, ok := c.requests[string(m.Params.RequestID)]; ok {
				req.givenUp = true
				c.requests[string(m.Params.RequestID)] = req
			}
		}
		if len(m.ID) == 0 || m.Method == "" && (m.Result != nil || m.Error != nil) {
			continue
		}
		req := request{method: m.Method, revision: c.negotiated, token: string(m.Params.Meta["progressToken"])}
		if m.Params.Meta[metaVersion] != nil || m.Method == "server/discover" || m.Method == "subscriptions/listen" {
			req.revision = R20260728
		}
		if old, busy := c.requests[string(m.ID)]; !busy || old.givenUp {
			c.requests[string(m.ID)] = req
			if m.Method == "subscriptions/listen" {
				c.listens[string(m.ID)] = true
			}
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
	switch {
	case m.Method != "" && m.ID != nil:
		return c.checkRequest(m, whole)
	case m.Method != "":
		return c.checkNotification(m, whole)
	}
	return c.checkResponse(m, whole)
}

func (c *Conversation) checkRequest(m message, whole map[string]any) error {
	name, ok := serverRequests[m.Method]
	if c.negotiated == "" || !ok {
		return fmt.Errorf("the engine asks for %s, of a client with revision %q", m.Method, c.negotiated)
	}
	if c.asked[string(m.ID)] {
		return fmt.Errorf("the engine asks under the id %s for the second time", m.ID)
	}
	c.asked[string(m.ID)] = true
	return errors.Join(c.schemas.Validate(c.negotiated, "JSONRPCRequest", whole), c.validateMessage(c.negotiated, name, whole))
}

func (c *Conversation) checkNotification(m message, whole map[string]any) error {
	if _, isOne := extensionNotifications[m.Method]; isOne {
		return c.checkExtensionNotification(m, whole)
	}
	name, ok := serverNotifications[m.Method]
	if !ok {
		return fmt.Errorf("no revision has the notification %s", m.Method)
	}
	revision, err := c.revisionOf(m)
	if err != nil {
		return err
	}
	if m.Method == "notifications/subscriptions/acknowledged" {
		withoutExtensions(whole)
	}
	return errors.Join(c.schemas.Validate(revision, "JSONRPCNotification", whole), c.validateMessage(revision, name, whole))
}

// revisionOf finds out by what a notification names whose it is.
func (c *Conversation) revisionOf(m message) (string, error) {
	subscription := m.Params.Meta[metaSubscription]
	switch {
	case subscription != nil && !subscribed[m.Method]:
		return "", fmt.Errorf("%s on subscription %s", m.Method, subscription)
	case subscription != nil:
		req, ok := c.requests[string(subscription)]
		switch {
		case !ok || req.method != "subscriptions/listen":
			return "", fmt.Errorf("%s for subscription %s, which is not open", m.Method, subscription)
		case req.acked == (m.Method == "notifications/subscriptions/acknowledged"):
			return "", fmt.Errorf("%s for subscription %s: acknowledged is the first, once", m.Method, subscription)
		}
		req.acked = true
		c.requests[string(subscription)] = req
		return R20260728, nil
	case m.Method == "notifications/progress":
		for _, req := range c.requests {
			if req.token == string(m.Params.ProgressToken) && req.token != "" {
				return req.revisionOr(R20251125), nil
			}
		}
		return "", fmt.Errorf("progress for %s, which is no token of a running request", m.Params.ProgressToken)
	case m.Method == "notifications/cancelled":
		switch id := string(m.Params.RequestID); {
		case c.listens[id]:
			return R20260728, nil // the end of a listen, maybe behind its response
		case !c.asked[id]:
			return "", fmt.Errorf("the engine cancels %s, which is neither a listen nor a question of its own", id)
		}
	case m.Method == "notifications/message" && c.negotiated == "":
		return R20260728, nil
	}
	if c.negotiated != "" {
		return c.negotiated, nil
	}
	return "", fmt.Errorf("%s without a session, and for no subscription", m.Method)
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
	var wrong []error
	if revision == R20260728 {
		if isOne, err := checkExtensionResult(req.method, result, whole["result"]); isOne {
			return err
		}
		switch kind := string(result["resultType"]); kind {
		case `"complete"`:
		case `"input_required"`:
			if name = "InputRequiredResult"; !asking[req.method] {
				wrong = append(wrong, fmt.Errorf("%s answers input_required", req.method))
			}
			if result["inputRequests"] == nil && result["requestState"] == nil {
				wrong = append(wrong, errors.New("input_required without inputRequests and requestState"))
			}
		default:
			wrong = append(wrong, fmt.Errorf("resultType %s", kind))
		}
		if hints := result["ttlMs"] != nil || result["cacheScope"] != nil; hints && (!cacheable[req.method] || name == "InputRequiredResult") {
			wrong = append(wrong, fmt.Errorf("%s has hints for caches", req.method))
		}
	}
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

// validateMessage compares a request or notification with its type: until
// 2025-06-18, and for what stands inside of results, that is method and params alone.
func (c *Conversation) validateMessage(revision, name string, whole map[string]any) error {
	if !c.schemas.framed(revision, name) {
		inner := map[string]any{"method": whole["method"]}
		if params, ok := whole["params"]; ok {
			inner["params"] = params
		}
		whole = inner
	}
	return c.schemas.Validate(revision, name, whole)
}
