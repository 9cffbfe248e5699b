package server

import (
	"context"
	"fmt"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
)

// serveTaskTools registers the tools that the official suite requires of the extension for tasks.
func (p *testPage) serveTaskTools() {
	optional, required := task.Tool{Mode: task.Optional}, task.Tool{Mode: task.Required}
	p.tool("greet", "Greets.", object{"type": "object", "properties": object{"name": object{"type": "string"}}},
		func(_ context.Context, given object) (any, error) {
			return fmt.Sprintf("Hello, %v!", given["name"]), nil
		})
	p.taskTool("slow_compute", "Computes for some seconds.", object{"type": "object", "properties": object{
		"seconds": object{"type": "number"}, "label": object{"type": "string"},
	}}, optional, func(ctx context.Context, given object) (any, error) {
		seconds, _ := given["seconds"].(float64)
		engine.InvocationOf(ctx).Progress(fmt.Appendf(nil, `{"progress":1,"message":"Computes for %v s."}`, seconds))
		if err := pauseFor(ctx, time.Duration(seconds*float64(time.Second))); err != nil {
			return nil, err
		}
		return fmt.Sprintf("Computed %v.", given["label"]), nil
	})
	p.taskTool("failing_job", "Fails after a moment.", nil, required, func(ctx context.Context, _ object) (any, error) {
		if err := pauseFor(ctx, time.Second); err != nil {
			return nil, err
		}
		return object{"isError": true, "content": array{text("The job has failed.")}}, nil
	})
	p.taskTool("protocol_error_job", "Fails with an error of the protocol.", nil, optional, func(context.Context, object) (any, error) {
		return nil, engine.BadParams("the job cannot run")
	})
	confirm := func(message string) object {
		return elicit(message, form(object{"confirm": object{"type": "boolean"}}))
	}
	p.taskTool("confirm_delete", "Deletes a file once the user agrees.", object{"type": "object", "properties": object{"filename": object{"type": "string"}}},
		optional, func(ctx context.Context, given object) (any, error) {
			answers, err := need(ctx, object{"confirm": confirm(fmt.Sprintf("Delete %v?", given["filename"]))})
			if err != nil {
				return nil, err
			}
			return "Deleted: " + field(answers["confirm"], "confirm"), nil
		})
	p.taskTool("multi_input", "Needs two answers.", nil, optional, func(ctx context.Context, _ object) (any, error) {
		answers, err := need(ctx, object{"first": confirm("The first?"), "second": confirm("The second?")})
		if err != nil {
			return nil, err
		}
		return "Answered: " + field(answers["first"], "confirm") + ", " + field(answers["second"], "confirm"), nil
	})
	name := object{"user_name": elicit("What is your name?", form(object{"name": object{"type": "string"}}))}
	required.Prepare = func(ctx context.Context, _ []byte) (_, kept []byte, err error) {
		answers, err := need(ctx, name)
		return nil, toJSON(answers), err
	}
	p.taskTool("test_tool_with_task", "Asks for a name before it becomes a task.", nil, required, func(ctx context.Context, _ object) (any, error) {
		answers := object{}
		if err := json.Unmarshal(engine.InvocationOf(ctx).Detached().Prepared, &answers); err != nil {
			return nil, err
		}
		return fmt.Sprintf("Hello, %v!", field(answers["user_name"], "name")), nil
	})
}

// pauseFor waits, or until ctx ends.
func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
