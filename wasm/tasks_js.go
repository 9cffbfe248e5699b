package main

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Tasks: the window has their records, and the handlers of their tools.

// taskTool reads how a tool runs as a task: the member task of its description, or nil.
func taskTool(task []byte, ref sink.Ref) (tool engine.TaskTool) {
	if task == nil {
		return tool
	}
	tool.Mode = engine.TaskOptional
	if mode, _ := jsonrpc.Text(jsonrpc.Member(task, "mode")); mode == "required" {
		tool.Mode = engine.TaskRequired
	}
	ttl, _ := jsonrpc.Int(jsonrpc.Member(task, "ttlMs"))
	tool.TTL = time.Duration(ttl) * time.Millisecond
	tool.Resume = string(jsonrpc.Member(task, "resumes")) == "true"
	prepare := caller(opPrepare, ref)
	tool.Prepare = func(ctx context.Context, arguments []byte) ([]byte, error) {
		result, err := prepare(ctx, arguments)
		if string(result) == "{}" { // else it is the answer
			result = nil
		}
		return result, err
	}
	return tool
}

// taskMember returns a member of the request that a handler gets, if the call is a task.
func taskMember(ctx context.Context) string {
	t := engine.TaskOf(ctx)
	if !t.IsTask() {
		return ""
	}
	state, resumed := t.Saved()
	text := `,"task":{"resumed":false`
	if resumed {
		text = `,"task":{"resumed":true`
	}
	return text + raw(`,"saved":`, state) + "}"
}

// updateTask performs what a handler requests for its task: text is a JSON object of id and value.
// The reply is a question to JavaScript.
func updateTask(ctx context.Context, what int32, text []byte) {
	var failed int32
	defer recovered("updateTask", &failed) // no export waits for it
	var answers []byte
	var err error
	if t, value := engine.TaskOf(ctx), jsonrpc.Member(text, "value"); what == updateInput {
		answers, err = t.Input(ctx, value)
	} else {
		err = t.Save(value)
	}
	reply := `{"id":` + string(jsonrpc.Member(text, "id")) + raw(`,"answers":`, answers)
	if err != nil {
		reply += quoted(`,"error":`, err.Error())
	}
	registered.exchange(ctx, opTaskReply, reply+"}") // nothing is left to do if the call has ended
}

// taskStore is the window, which stores the records in IndexedDB.
type taskStore struct{}

var errNotStored = errors.New("the page does not store it")

// PutTask implements [engine.TaskStore].
func (taskStore) PutTask(ctx context.Context, id string, record []byte) error {
	a, err := registered.exchange(ctx, opTasks, aboutTasks()+quoted(`,"id":`, id)+quoted(`,"record":`, string(record))+"}")
	if err == nil && a.reason != reasonNone {
		err = errNotStored
	}
	return err
}

// DeleteTask implements [engine.TaskStore].
func (taskStore) DeleteTask(id string) {
	go registered.exchange(context.Background(), opTasks, aboutTasks()+quoted(`,"id":`, id)+"}") // ends with the answer
}

// aboutTasks begins a question about records: those of one app.
func aboutTasks() string { return quoted(`{"app":`, appName) }

// restoreTasks takes over the tasks that earlier engines have left, and later those of tabs that
// are closed meanwhile.
func restoreTasks() {
	if restores {
		return
	}
	restores = true
	go func() { // ends when the window has no more
		for more := ""; ; more = `,"more":true` {
			a, err := registered.exchange(context.Background(), opTasks, aboutTasks()+more+"}")
			for _, record := range readTexts(jsonrpc.Member(a.text, "records")) {
				serving.RestoreTasks([]byte(record))
			}
			if err != nil || string(jsonrpc.Member(a.text, "more")) != "true" {
				return
			}
		}
	}()
}
