package engine

import (
	"context"
	"time"
)

// Tasks are calls of tools that outlive their request: extension io.modelcontextprotocol/tasks,
// SEP-2663. A client that declares the extension gets a task instead of a result, and requests
// its state by tasks/get. task_run.go has the life of a task, task_input.go what it asks the
// client, task_methods.go the requests. They end with the engine: it has the functions that run.

// ExtensionTasks is the id of the extension.
const ExtensionTasks = "io.modelcontextprotocol/tasks"

// Limits of tasks.
const (
	DefaultTaskTTL = time.Hour
	MaxTaskTTL     = 24 * time.Hour

	maxTasksRunning = 64      // not ended, of one principal
	maxTasksKept    = 256     // of one principal
	maxTaskBytesOf  = 4 << 20 // of all of one principal
	maxTaskBytes    = 8 << 20 // of all of an engine

	taskPoll     = time.Second     // pollIntervalMs
	taskFailedBy = 5 * time.Minute // how long a task that has failed by its ttl is kept
)

// A TaskMode says whether a tool runs as a task.
type TaskMode uint8

const (
	TaskNever    TaskMode = iota // unless the user has to be asked first
	TaskOptional                 // for clients with the extension
	TaskRequired                 // likewise; others get an error
)

// A TaskTool says how a tool runs as a task. Its Call finds out by [Invocation.IsTask]; its context ends
// when the task is cancelled, or its time is over.
type TaskTool struct {
	Mode TaskMode
	TTL  time.Duration // of its tasks, from their creation; default DefaultTaskTTL, at most MaxTaskTTL

	// Prepare runs within the request, before the call becomes a task: it checks the arguments, and
	// may ask the client. A result that is not nil answers the call, and there is no task; Call finds
	// kept by [Invocation.Prepared]. May be nil.
	Prepare func(ctx context.Context, arguments []byte) (result, kept []byte, err error)
}

// A TaskTooler is a [Tooler] with tools that run as tasks of the engine that mounts it.
type TaskTooler interface {
	TaskTool(name string) TaskTool
}

// A Tasker is a [Tooler] that keeps tasks itself: another engine. Its CallTool returns
// [TaskCreated] for a call that became a task. Without such a task, the error of its methods wraps
// [ErrNotFound].
type Tasker interface {
	Task(ctx context.Context, id string) (TaskState, error)

	// UpdateTask passes on the answers of [Invocation.Round].
	UpdateTask(ctx context.Context, id string) error
	CancelTask(ctx context.Context, id string) error

	// MayBeOf reports whether a task may be one of a principal, as far as the id says. It does not
	// block.
	MayBeOf(who Principal, id string) bool

	// LastTask returns the state that was announced last by a [Change] of TaskURI. It does not
	// block.
	LastTask(id string) (s TaskState, known bool)
}

// A TaskState is what clients get of a task: DetailedTask of the extension.
type TaskState struct {
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

// Values of TaskState.Status.
const (
	TaskWorking       = "working"
	TaskInputRequired = "input_required"
	TaskCompleted     = "completed"
	TaskFailed        = "failed"
	TaskCancelled     = "cancelled"
)

// HasEnded reports whether the state is a last one.
func (s *TaskState) HasEnded() bool { return s.Status != TaskWorking && s.Status != TaskInputRequired }

// TaskCreated returns what CallTool of a [Tasker] returns for a call that became a task.
func TaskCreated(s TaskState) error { return &taskCreated{state: s} }

type taskCreated struct {
	state TaskState
	own   bool // of this engine
}

func (*taskCreated) Error() string { return "the call became a task" }
