// Package task has calls of tools that outlive their request: extension io.modelcontextprotocol/tasks, SEP-2663. A client
// that declares the extension gets a task instead of a result, and requests its state by tasks/get.
//
// [Tasks] are those of an engine's own tools; they end with the engine, which has the functions that run. A gateway
// passes requests on to the engines that it mounts, which are each a [Source].
package task

import (
	"context"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// ID is the id of the extension.
const ID = "io.modelcontextprotocol/tasks"

// A Source keeps tasks itself: another engine. Its CallTool returns [Created] for a call that became a task. Without
// such a task, the error of its methods wraps [engine.ErrNotFound].
type Source interface {
	Task(ctx context.Context, id string) (State, error)

	// UpdateTask passes on the answers of [engine.Invocation.Round].
	UpdateTask(ctx context.Context, id string) error
	CancelTask(ctx context.Context, id string) error

	// MayBeOf reports whether a task may be one of a principal, as far as the id says. It does not block.
	MayBeOf(who engine.Principal, id string) bool

	// LastTask returns the state that was announced last by a change of [Key], if a principal may have it. It does
	// not block.
	LastTask(who engine.Principal, id string) (s State, known bool)
}

// A State is what clients get of a task: DetailedTask of the extension.
type State struct {
	ID               string
	Status           string
	Message          string
	Created, Updated string // ISO 8601
	TTL              int64  // ms; negative: unlimited
	Poll             int64  // ms; 0: not said

	Inputs []byte // inputRequests, a JSON object, or nil
	Result []byte // of the tool, a JSON object, or nil
	Error  []byte // of JSON-RPC, a JSON object, or nil
}

// Values of State.Status.
const (
	Working       = "working"
	InputRequired = "input_required"
	Completed     = "completed"
	Failed        = "failed"
	Cancelled     = "cancelled"
)

func hasEnded(status string) bool { return status != Working && status != InputRequired }

// HasEnded reports whether the state is a last one.
func (s *State) HasEnded() bool { return hasEnded(s.Status) }

// Interrupt makes a state that of a task whose engine has ended.
func (s *State) Interrupt() {
	const message = "The page was closed or loaded again while the tool ran; it may have taken effect"
	s.Status, s.Message, s.Updated, s.Poll, s.Inputs = Failed, message, isoTime(nowMs()), 0, nil
	s.Error = []byte(`{"code":-32603,"message":"` + message + `","data":{"origin":"gateway","reason":"interrupted","retry":false}}`)
}

// Created returns what CallTool of a [Source] returns for a call that became a task.
func Created(s State) error {
	return &engine.TypedResult{Type: "task", Members: func(prefix string) []byte {
		s.ID = prefix + s.ID
		s.Inputs, s.Result, s.Error = nil, nil, nil
		return s.members()
	}}
}

// members returns the members of the JSON object.
func (s *State) members() []byte {
	o := emit.JSON("{")
	for _, one := range [...]struct{ name, value string }{
		{"taskId", s.ID}, {"status", s.Status}, {"createdAt", s.Created}, {"lastUpdatedAt", s.Updated},
		{"statusMessage", plain.Text(s.Message, plain.MaxDescription)},
	} {
		if one.value != "" {
			o.Name(one.name)
			o.Quote(one.value)
		}
	}
	ttl, poll := []byte("null"), []byte(nil)
	if s.TTL >= 0 {
		ttl = []byte(jsonrpc.IDOf(s.TTL))
	}
	if s.Poll > 0 {
		poll = []byte(jsonrpc.IDOf(s.Poll))
	}
	for _, one := range [...]struct {
		name  string
		value []byte
	}{{"ttlMs", ttl}, {"pollIntervalMs", poll}, {"inputRequests", s.Inputs}, {"error", s.Error}, {"result", s.Result}} {
		if one.value != nil {
			o.Member(one.name, one.value)
		}
	}
	return o[1:]
}

func nowMs() int64 { return time.Now().UnixMilli() }

// isoTime returns a time in ms since 1970 as ISO 8601.
func isoTime(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// The key of a task among the topics of an engine begins with the prefix of URIs of a mount where the id has that of
// ids, and has a character that no URI has, so that clients cannot subscribe to it as a resource.

const keyMark = "\ntask:"

// Key returns the key of a task: Change.URI of a [Source].
func Key(id string) string {
	own := strings.LastIndexByte(id, '.') + 1
	return strings.ReplaceAll(id[:own], ".", "+") + keyMark + id[own:]
}

// OfKey returns the id for which Key returns key; "": key is the URI of a resource.
func OfKey(key string) string {
	prefix, own, isTask := strings.Cut(key, keyMark)
	if !isTask {
		return ""
	}
	return strings.ReplaceAll(prefix, "+", ".") + own
}
