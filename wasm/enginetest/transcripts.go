package enginetest

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A transcript is a file in testdata/transcripts: what it shows, the world it
// begins with, and a dialogue.
//
//	What a reader should see. Where it is from. R-123.
//	-- options.json --        Options of the engine: pageSize, maxInFlight, tools …
//	-- resources.json --      URI -> {name, text | blob | contents, mimeType, …, cache, delay, panic}
//	-- templates.json --      URI template -> {name, text with {variable} in it, …, complete}
//	-- prompts.json --        name -> {description, arguments, …} and what it does,
//	-- tools.json --          see world_calls.go
//	-- skills.json --         URI -> {frontmatter, resources}
//	-- transcript --
//	-> {…}                    the client sends; ->2 is a second client
//	<- {…}                    the engine sends
//	!  write URI "text"       the world changes
//
// Messages are compared as JSON values, those of one client in their order;
// between clients there is none. Silence is part of it: before each line
// that is not "<-", and at the end, nothing else may have been sent. In "<-" a
// string "$name" stands for any string and remembers it; in "->" and in later
// "<-" it stands for what was remembered. "->q" sends a quoted Go string, for
// what is no line of text. Events: write, touch, add, remove, wait DURATION,
// close (the client's port), shutdown (the engine), addTool, removeTool, addPrompt,
// removePrompt, addSkill, removeSkill.
//
// `go test ./wasm/engine -update` rewrites the "<-" lines of a transcript; read the diff. Messages with "$"
// are left as they are.

// Above returns an engine whose only source is another engine, with these options, at the far end of a port.
type Above func(t *testing.T, port jsonrpc.Port, info engine.Info, options engine.Options) *engine.Engine

// PlayTranscripts plays all transcripts in a directory against an engine; if above is not nil, against one above it.
func PlayTranscripts(t *testing.T, dir string, above Above, update bool) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d transcripts in %s, want at least 30: %v", len(files), dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { play(t, file, above, update) })
		})
	}
}

// play runs a transcript once.
func play(t *testing.T, file string, above Above, update bool) {
	archive := readArchive(t, file)
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour) // of the bubble's clock
	defer cancel()
	w := newWorld(t, ctx, archive, above)
	w.update = update
	var played []string // the dialogue as it went
	for _, line := range strings.Split(strings.TrimRight(string(archive.section("transcript")), "\n"), "\n") {
		if !strings.HasPrefix(line, "<-") {
			played = append(played, w.rest()...)
		}
		arrow, text, _ := strings.Cut(line, " ")
		text = strings.TrimSpace(text)
		client := strings.TrimLeft(arrow, "<->q!")
		switch {
		case line == "":
		case strings.HasPrefix(line, "->"):
			message := w.recall(text)
			if strings.HasSuffix(arrow, "q") {
				client = strings.TrimSuffix(client, "q")
				unquoted, err := strconv.Unquote(text)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				message = unquoted
			}
			w.send(client, message)
		case strings.HasPrefix(line, "<-"):
			if line, ok := w.expect(client, text); ok {
				played = append(played, line)
			}
			continue
		case strings.HasPrefix(line, "!"):
			w.event(text)
		default:
			t.Fatalf("a line of a transcript begins with ->, <- or !, not %q", line)
		}
		played = append(played, line)
	}
	played = append(played, w.rest()...)
	cancel()
	w.shutDown()
	if update && !t.Failed() {
		archive.write(t, file, "transcript", strings.Join(played, "\n")+"\n")
	}
}
