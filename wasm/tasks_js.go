package main

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Tasks: the window has the handlers of their tools.

// taskTool reads how a tool runs as a task: the member task of its description.
func taskTool(described []byte, ref sink.Ref) (tool task.Tool) {
	tool.Mode = task.Optional
	if mode, _ := jsonrpc.Text(jsonrpc.Member(described, "mode")); mode == "required" {
		tool.Mode = task.Required
	}
	ttl, _ := jsonrpc.Int(jsonrpc.Member(described, "ttlMs"))
	tool.TTL = time.Duration(ttl) * time.Millisecond
	prepare := caller(opPrepare, ref)
	tool.Prepare = func(ctx context.Context, arguments []byte) (result, kept []byte, err error) {
		answer, err := prepare(ctx, arguments)
		return jsonrpc.Member(answer, "result"), jsonrpc.Member(answer, "prepared"), err
	}
	return tool
}
