package interop

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// A tourist is an independent client library, in the words of the tour. Each call
// has a limit: with a wrong id in an answer they would hang.
type tourist interface {
	resources(ctx context.Context) (uris []string, err error)
	templates(ctx context.Context) (uriTemplates []string, err error)
	read(ctx context.Context, uri string) (text string, err error)
	prompts(ctx context.Context) (names []string, err error)
	prompt(ctx context.Context, name string, arguments map[string]string) (text string, err error)
	complete(ctx context.Context, of completed) (values []string, err error)
	tools(ctx context.Context) (names []string, err error)
	call(ctx context.Context, name string, arguments map[string]any) (text string, err error)
	subscribe(ctx context.Context, uri string) error
	cancels() bool // by its context's end; else a call that was given up goes on until close
	close()
}

// completed is what is to be completed: an argument of a prompt, or a variable of
// a template.
type completed struct{ prompt, template, argument, value string }

// heard has the notifications that a client receives beside its responses.
type heard struct {
	updates  chan string
	progress chan float64
}

func newHeard() heard {
	return heard{updates: make(chan string, 256), progress: make(chan float64, 256)}
}

// What each of them answers when it is asked.
const (
	touristName = "Ann"
	touristSays = "Paris, of course"
)

// tour goes through all that a page offers.
func tour(t *testing.T, f *fixture, c tourist, h heard) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*testTime)
	defer cancel()
	is := func(what, got string, err error, want string) {
		t.Helper()
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
	has := func(what string, got []string, err error, want ...string) {
		t.Helper()
		for _, one := range want {
			if err != nil || !slices.Contains(got, one) {
				t.Errorf("%s: %q, %v; want %q", what, got, err, one)
			}
		}
	}
	uris, err := c.resources(ctx)
	has("resources", uris, err, "test://static-text", "test://static-binary", "test://watched-resource")
	templates, err := c.templates(ctx)
	has("templates", templates, err, "test://template/{id}/data")
	text, err := c.read(ctx, "test://static-text")
	is("read", text, err, "This is the content of the static text resource.")
	text, err = c.read(ctx, "test://template/123/data")
	is("read a template's", text, err, `"id":"123"`)
	if text, err = c.read(ctx, "test://none"); err == nil {
		t.Errorf("read what is not there: %q", text)
	}

	names, err := c.prompts(ctx)
	has("prompts", names, err, "test_simple_prompt", "test_prompt_with_arguments")
	text, err = c.prompt(ctx, "test_prompt_with_arguments", map[string]string{"arg1": "hello", "arg2": "wörld"})
	is("prompt", text, err, "Prompt with arguments: arg1='hello', arg2='wörld'")
	values, err := c.complete(ctx, completed{prompt: "test_prompt_with_arguments", argument: "arg1", value: "par"})
	has("completion of a prompt", values, err, "paris", "park", "party")
	values, err = c.complete(ctx, completed{template: "test://template/{id}/data", argument: "id", value: "12"})
	has("completion of a template", values, err, "123", "124")
	if len(values) != 2 {
		t.Errorf("completion of a template: %q", values)
	}

	names, err = c.tools(ctx)
	has("tools", names, err, "test_simple_text", "list_resources", "read_resource", "wait_for_change")
	text, err = c.call(ctx, "test_simple_text", nil)
	is("call", text, err, "This is a simple text response for testing.")
	text, err = c.call(ctx, "read_resource", map[string]any{"uri": "test://static-text"})
	is("a generated tool", text, err, "This is the content of the static text resource.")
	text, err = c.call(ctx, "test_tool_with_progress", nil)
	is("call with progress", text, err, "done")
	for _, want := range []float64{0, 50, 100} {
		select {
		case got := <-h.progress:
			if got != want {
				t.Errorf("progress %v, want %v", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("no progress %v", want)
		}
	}
	text, err = c.call(ctx, "test_elicitation", map[string]any{"message": "Who are you?"})
	is("elicitation", text, err, touristName)
	text, err = c.call(ctx, "test_sampling", map[string]any{"prompt": "What is the capital of France?"})
	is("sampling", text, err, "LLM response: "+touristSays)

	if err := c.subscribe(ctx, "test://watched-resource"); err != nil {
		t.Fatalf("subscribe: %v", err)
	}
	f.write("test://watched-resource", "in the end")
	select {
	case uri := <-h.updates:
		is("updated", uri, nil, "test://watched-resource")
	case <-ctx.Done():
		t.Fatal("no update")
	}
	text, err = c.read(ctx, "test://watched-resource")
	is("read again", text, err, "in the end")

	calling, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := c.call(calling, "test_slow", nil)
		ended <- err
	}()
	f.awaitRunning("the slow tool runs", 1)
	stop()
	if c.cancels() {
		f.awaitRunning("the cancel reaches the page", 0)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the cancelled call succeeded")
		}
	case <-time.After(testTime):
		t.Error("the cancelled call does not return")
	}
	text, err = c.read(ctx, "test://static-text")
	is("read after the cancel", text, err, "static text")
	c.close()
	f.awaitRunning("nothing runs any more", 0)
}
