package main

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Tasks: the window has the handlers of their tools.

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
	if !engine.TaskOf(ctx).IsTask() {
		return ""
	}
	return `,"task":true`
}

// requestInput requests the input that a handler needs for its task: text is a JSON object of id and
// value. The reply is a question to JavaScript.
func requestInput(ctx context.Context, text []byte) {
	var failed int32
	defer recovered("requestInput", &failed) // no export waits for it
	answers, err := engine.TaskOf(ctx).Input(ctx, jsonrpc.Member(text, "value"))
	reply := `{"id":` + string(jsonrpc.Member(text, "id")) + raw(`,"answers":`, answers)
	if err != nil {
		reply += quoted(`,"error":`, err.Error())
	}
	registered.exchange(ctx, opTaskReply, reply+"}") // nothing is left to do if the call has ended
}
