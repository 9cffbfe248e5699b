package remote

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// Tasks of the other engine. They end with it.

// maxTaskBytes bounds what a Remote keeps of the states of tasks.
const maxTaskBytes = 1 << 20 // bytes

// A taskCache has the states that passed last, oldest first.
type taskCache struct {
	mu     sync.Mutex
	states []task.State
	bytes  int
}

func taskSize(s *task.State) int {
	return 512 + len(s.Message) + len(s.Inputs) + len(s.Result) + len(s.Error) // 512: of all other fields
}

// keep keeps a state, instead of an earlier one of its task. A last state stays.
func (c *taskCache) keep(s task.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size := taskSize(&s); size <= maxTaskBytes {
		at := c.find(s.ID)
		if at >= 0 && c.states[at].HasEnded() {
			return
		}
		c.remove(at)
		c.states = append(c.states, s)
		c.bytes += size
	}
	for c.bytes > maxTaskBytes {
		c.remove(0)
	}
}

func (c *taskCache) remove(at int) {
	if at >= 0 {
		c.bytes -= taskSize(&c.states[at])
		c.states = append(c.states[:at:at], c.states[at+1:]...)
	}
}

// dropEnded drops the states that have results.
func (c *taskCache) dropEnded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := len(c.states) - 1; at >= 0; at-- {
		if c.states[at].HasEnded() {
			c.remove(at)
		}
	}
}

func (c *taskCache) find(id string) int {
	for i := range c.states {
		if c.states[i].ID == id {
			return i
		}
	}
	return -1
}

func (c *taskCache) last(id string) (task.State, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.find(id); at >= 0 {
		return c.states[at], true
	}
	return task.State{}, false
}

// OnOthers sets the function that returns the Remotes of the other tabs of an app, which have the newest decisions of
// the user. Call it before the first port. f is called often, with locks of engines, and must take none.
func (r *Remote) OnOthers(f func() []*Remote) { r.others = f }

// Task implements [task.Source].
func (r *Remote) Task(ctx context.Context, id string) (task.State, error) {
	result, err := r.taskRequest(ctx, task.MethodGet, id)
	if err != nil {
		return task.State{}, err
	}
	return readTask(result, r.policy())
}

// taskRequest sends a request about a task. A page that was closed has none any more.
func (r *Remote) taskRequest(ctx context.Context, method, id string) ([]byte, error) {
	result, err := unknownTask(r.request(ctx, method, taskMember(id), false))
	if _, _, isGone := r.present(); isGone && errors.Is(err, engine.ErrAway) {
		err = engine.ErrNotFound
	}
	return result, err
}

// UpdateTask implements [task.Source].
func (r *Remote) UpdateTask(ctx context.Context, id string) error {
	_, err := r.taskRequest(ctx, task.MethodUpdate, id)
	return err
}

// CancelTask implements [task.Source].
func (r *Remote) CancelTask(ctx context.Context, id string) error {
	_, err := r.taskRequest(ctx, task.MethodCancel, id)
	return err
}

// MayBeOf implements [task.Source].
func (r *Remote) MayBeOf(who engine.Principal, id string) bool {
	if r.others == nil {
		return true // the other engine decides: it is a gateway
	}
	_, err := task.Interrupted(id, who)
	return err == nil
}

// interrupt ends tasks that are listened to, and whose engine has ended, among topics.
func (r *Remote) interrupt(topics []engine.Topic) {
	for _, t := range topics {
		id := task.OfKey(t.URI)
		if s, known := r.tasks.last(id); known && !s.HasEnded() {
			s.Interrupt()
			r.tasks.keep(s)
			r.announce(engine.Change{URI: t.URI})
		}
	}
}

// IsGuarded implements [engine.Guarded].
func (r *Remote) IsGuarded() {}

// LastTask implements [task.Source]. The page may be away, and newer decisions elsewhere.
func (r *Remote) LastTask(who engine.Principal, id string) (s task.State, known bool) {
	if r.awake() == nil {
		_, _, isGone := r.present() // then only that they are interrupted
		if _, may := r.readers.Load().Reason(who); !isGone && !(may && r.othersAllow(who)) {
			return s, false
		}
	}
	return r.tasks.last(id)
}

func taskMember(id string) []byte { return jsonrpc.AppendString([]byte(`"taskId":`), id) }

// unknownTask makes "not found" of the error for a task that the other engine does not know, or
// of an engine without tasks.
func unknownTask(result []byte, err error) ([]byte, error) {
	var wire *jsonrpc.Error
	if isUnknownMethod(err) || errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams {
		return nil, engine.ErrNotFound
	}
	return result, err
}

// taskNotified takes the state in a notification to a principal.
func (r *Remote) taskNotified(l *link, who engine.Principal, params []byte) {
	s, err := readTask(params, r.policy())
	if err != nil {
		r.report(err)
		return
	}
	r.tasks.keep(s)
	r.announceTopic(engine.Topic{Who: who, URI: task.Key(s.ID)})
}

// readTask reads a state, and cleans its texts. A policy is applied to requests for input; it may
// be nil.
func readTask(object []byte, policy *engine.InputPolicy) (s task.State, err error) {
	object = append([]byte(nil), object...) // it is kept
	for _, one := range [...]struct {
		name string
		to   *string
	}{{"taskId", &s.ID}, {"status", &s.Status}, {"createdAt", &s.Created}, {"lastUpdatedAt", &s.Updated}} {
		text, ok := jsonrpc.Text(jsonrpc.Member(object, one.name))
		if !ok {
			return s, schema.Wrong(one.name, "is not a string")
		}
		*one.to = text
	}
	for _, at := range [...]string{s.Created, s.Updated} {
		if _, err := time.Parse(time.RFC3339, at); err != nil {
			return s, schema.Wrong("createdAt, or lastUpdatedAt,", "is not a time")
		}
	}
	if s.ID == "" || strings.ContainsFunc(s.ID, func(c rune) bool { return c <= ' ' || c > '~' }) || len(s.ID) > maxTaskID {
		return s, schema.Wrong("taskId", "is empty, too long, or has other characters than those of ASCII")
	}
	message, _ := jsonrpc.Text(jsonrpc.Member(object, "statusMessage"))
	s.Message = plain.Text(message, plain.MaxDescription)
	s.TTL = -1
	if ttl, ok := jsonrpc.Int(jsonrpc.Member(object, "ttlMs")); ok {
		s.TTL = max(0, ttl)
	}
	if poll, ok := jsonrpc.Int(jsonrpc.Member(object, "pollIntervalMs")); ok {
		s.Poll = max(0, poll)
	}
	switch s.Status {
	case task.Working, task.Cancelled:
	case task.InputRequired:
		s.Inputs = jsonrpc.Member(object, "inputRequests")
		if s.Inputs != nil && s.Inputs[0] != '{' {
			return s, schema.Wrong("inputRequests", "is not an object")
		}
		if s.Inputs != nil && policy != nil {
			s.Inputs, err = policy.Clean(s.Inputs)
		}
	case task.Completed:
		s.Result = jsonrpc.Member(object, "result")
		if s.Result != nil { // else it is of a call that became a task
			err = schema.CheckResult(s.Result, true)
		}
	case task.Failed:
		if own := jsonrpc.Member(object, "error"); own != nil { // likewise
			s.Error, err = cleanTaskError(own)
		}
	default:
		err = schema.Wrong("status", "is none of the five")
	}
	return s, err
}

// maxTaskID is the length of an id that is passed on.
const maxTaskID = 512 // characters

// cleanTaskError returns an error object as clients may see it.
func cleanTaskError(object []byte) ([]byte, error) {
	code, ok := jsonrpc.Int(jsonrpc.Member(object, "code"))
	message, isText := jsonrpc.Text(jsonrpc.Member(object, "message"))
	if !ok || !isText {
		return nil, schema.Wrong("error", "has no code or message")
	}
	clean := emit.JSON("{")
	clean.Member("code", []byte(jsonrpc.IDOf(code)))
	clean.Name("message")
	clean.Quote(plain.Text(message, plain.MaxDescription))
	if data := jsonrpc.Member(object, "data"); data != nil && len(data) <= maxErrorData {
		clean.Member("data", data)
	}
	clean.Text("}")
	return clean, nil
}

// policy returns the policy for requests for input; nil: none.
func (r *Remote) policy() *engine.InputPolicy {
	if r.inputPolicy == nil {
		return nil
	}
	own := r.inputPolicy()
	return &own
}
