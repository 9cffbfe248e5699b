package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A PromptEntry is a prompt of a [Table], how it is rendered, and what suggests
// values for its arguments; Complete may be nil.
type PromptEntry struct {
	Prompt
	Get      func(ctx context.Context, arguments []byte) ([]byte, error)
	Complete func(ctx context.Context, c CompletionRequest) (Completion, error)
}

// A ToolEntry is a tool of a [Table], and what runs it.
type ToolEntry struct {
	Tool
	Call func(ctx context.Context, arguments []byte) ([]byte, error)
	Task TaskTool
}

// A namedRow is either; complete is of prompts alone.
type namedRow struct {
	Named
	answer   func(ctx context.Context, arguments []byte) ([]byte, error)
	complete func(ctx context.Context, c CompletionRequest) (Completion, error)
	task     TaskTool
}

// PutPrompt registers prompts, or replaces those with the same name. Those
// that are not valid are left out: the error names each.
func (t *Table) PutPrompt(entries ...PromptEntry) error {
	rows := make([]namedRow, len(entries))
	for i, e := range entries {
		rows[i] = namedRow{Named: e.Prompt, answer: e.Get, complete: e.Complete}
	}
	return t.putNamed(&t.prompts, rows, Change{Prompts: true}, ParsePrompt)
}

// PutTool registers tools, or replaces those with the same name. Those that
// are not valid are left out: the error names each.
func (t *Table) PutTool(entries ...ToolEntry) error {
	rows := make([]namedRow, len(entries))
	for i, e := range entries {
		rows[i] = namedRow{Named: e.Tool, answer: e.Call, task: e.Task}
	}
	return t.putNamed(&t.tools, rows, Change{Tools: true}, ParseTool)
}

// RemovePrompt takes prompts out.
func (t *Table) RemovePrompt(names ...string) {
	t.removeNamed(&t.prompts, names, Change{Prompts: true})
}

// RemoveTool takes tools out.
func (t *Table) RemoveTool(names ...string) { t.removeNamed(&t.tools, names, Change{Tools: true}) }

func (t *Table) putNamed(all *[]namedRow, rows []namedRow, change Change, parse func([]byte) (Named, error)) (refused error) {
	var valid []namedRow
	for _, row := range rows {
		parsed, err := parse(row.Object)
		if err == nil && row.answer == nil {
			err = errors.New("it has no handler: register a function with it")
		}
		if err != nil {
			refused = errors.Join(refused, jsonrpc.Wrap(jsonrpc.Quoted(row.Name), err))
			continue
		}
		row.Named = parsed
		valid = append(valid, row)
	}
	if valid == nil {
		return refused
	}
	t.update(change, func() {
		next := slices.Clone(*all)
		for _, row := range valid {
			if at := find(next, row.Name); at >= 0 {
				next[at] = row
			} else {
				next = append(next, row)
			}
		}
		*all = next
	})
	return refused
}

func (t *Table) removeNamed(all *[]namedRow, names []string, change Change) {
	t.update(change, func() {
		*all = slices.DeleteFunc(slices.Clone(*all), func(row namedRow) bool { return slices.Contains(names, row.Name) })
	})
}

func find(rows []namedRow, name string) int {
	return slices.IndexFunc(rows, func(row namedRow) bool { return row.Name == name })
}

// Prompts returns all prompts in the order of registration.
func (t *Table) Prompts(context.Context) ([]Prompt, error) { return t.named(&t.prompts), nil }

// Tools returns all tools in the order of registration.
func (t *Table) Tools(context.Context) ([]Tool, error) { return t.named(&t.tools), nil }

func (t *Table) named(rows *[]namedRow) []Named {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Named, len(*rows))
	for i, row := range *rows {
		all[i] = row.Named
	}
	return all
}

// row returns a copy of one, which may be used without t.mu.
func (t *Table) row(rows *[]namedRow, name string) (namedRow, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := find(*rows, name); at >= 0 {
		return (*rows)[at], nil
	}
	return namedRow{}, ErrNotFound
}

// GetPrompt renders a prompt. Missing required arguments, and unknown ones,
// are rejected.
func (t *Table) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	row, err := t.row(&t.prompts, name)
	if err != nil {
		return nil, err
	}
	known, _ := jsonrpc.Elements(jsonrpc.Member(row.Object, "arguments"))
	named := 0
	for _, argument := range known {
		own, _ := jsonrpc.Text(jsonrpc.Member(argument, "name"))
		switch {
		case jsonrpc.Member(arguments, own) != nil:
			named++
		case string(jsonrpc.Member(argument, "required")) == "true":
			return nil, BadParams("the argument " + jsonrpc.Brief(own) + " is missing")
		}
	}
	s := jsonrpc.Scan(arguments)
	for s.Next() {
		named--
	}
	if named < 0 {
		return nil, BadParams("arguments has a name that the prompt does not know")
	}
	return row.answer(ctx, arguments)
}

// CallTool runs a tool.
func (t *Table) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	row, err := t.row(&t.tools, name)
	if err != nil {
		return nil, err
	}
	return row.answer(ctx, arguments)
}

// TaskTool implements [TaskTooler].
func (t *Table) TaskTool(name string) TaskTool {
	row, _ := t.row(&t.tools, name)
	return row.task
}

// HasTasks reports whether a tool runs as a task.
func (t *Table) HasTasks() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.tools, func(row namedRow) bool { return row.task.Mode != TaskNever })
}

// Complete completes an argument of the prompt or template that c names. Unknown arguments
// are rejected.
func (t *Table) Complete(ctx context.Context, c CompletionRequest) (Completion, error) {
	var complete func(context.Context, CompletionRequest) (Completion, error)
	var known bool
	if c.Prompt != "" {
		row, err := t.row(&t.prompts, c.Prompt)
		if err != nil {
			return Completion{}, err
		}
		arguments, _ := jsonrpc.Elements(jsonrpc.Member(row.Object, "arguments"))
		for _, argument := range arguments {
			name, _ := jsonrpc.Text(jsonrpc.Member(argument, "name"))
			known = known || name == c.Argument
		}
		complete = row.complete
	} else {
		row, there := t.template(c.URI)
		if !there {
			return Completion{}, ErrNotFound
		}
		if row != nil {
			known = slices.Contains(row.matcher.names, c.Argument)
			complete = row.Complete
		}
	}
	switch {
	case !known:
		return Completion{}, BadParams("argument.name is none of its arguments")
	case complete == nil:
		return Completion{}, nil
	}
	return complete(ctx, c)
}

// template returns the template that is uri, or that uri is an expansion of; there is
// true also for a resource.
func (t *Table) template(uri string) (row *templateRow, there bool) {
	template := canonicalTemplate(uri)
	uri = CanonicalURI(uri)
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.IndexFunc(t.templates, func(r *templateRow) bool { return r.canonical == template })
	if at >= 0 {
		row = t.templates[at]
	} else {
		row, _ = t.match(uri)
	}
	return row, row != nil || t.byURI[uri] != nil
}
