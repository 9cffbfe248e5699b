package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A shelf publishes books as shelf:///title, and a tool that adds one.
type shelf struct {
	mu      sync.Mutex
	titles  []string
	texts   map[string]string
	changed func(engine.Change) // while there are listeners
}

// List implements [engine.Source].
func (s *shelf) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	add := func(object []byte) {
		item, problem := k.Parse(object)
		listing.Items, err = append(listing.Items, item), problem
	}
	switch k {
	case engine.Resources:
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, title := range s.titles {
			add(engine.Describe("uri", "shelf:///"+title, "name", title, "mimeType", "text/plain"))
		}
	case engine.Templates:
		add([]byte(`{"uriTemplate":"shelf:///{title}","name":"book","title":"A book by its title"}`))
	case engine.Tools:
		add([]byte(`{"name": "add", "description": "Adds a book, or replaces its text",
			"inputSchema": {"type": "object", "required": ["title", "text"],
				"properties": {"title": {"type": "string"}, "text": {"type": "string"}}}}`))
	}
	return listing, err
}

// Read implements [engine.Source].
func (s *shelf) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.texts[strings.TrimPrefix(uri, "shelf:///")]
	if !ok {
		return nil, fmt.Errorf("read %q: %w", uri, engine.ErrNotFound)
	}
	return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: text}}, nil
}

// Follow implements [engine.Follower].
func (s *shelf) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	s.set(changed)
	context.AfterFunc(ctx, func() { s.set(nil) })
	return engine.AnnouncesAll{}
}

func (s *shelf) set(changed func(engine.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// CallTool implements [engine.Tooler].
func (s *shelf) CallTool(_ context.Context, name string, arguments []byte) ([]byte, error) {
	if name != "add" {
		return nil, engine.ErrNotFound
	}
	var book struct{ Title, Text string }
	if err := json.Unmarshal(arguments, &book); err != nil || book.Title == "" {
		return nil, engine.BadParams("title and text must be strings")
	}
	if changed := s.add(book.Title, book.Text); changed != nil {
		changed(engine.Change{URI: "shelf:///" + book.Title, List: true})
	}
	return []byte(`{"content": [{"type": "text", "text": "added"}]}`), nil
}

// add returns the function that announces changes; nil: there is no listener.
func (s *shelf) add(title, text string) (changed func(engine.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.texts[title]; !known {
		s.titles = append(s.titles, title)
	}
	s.texts[title] = text
	return s.changed
}

// A source with a template, changes and a tool. A client subscribes to a book, runs
// the tool, and gets the notification; the messages are those of revision 2025-11-25.
func ExampleSource() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	books := engine.New(engine.Info{Name: "books", Version: "1.0.0"}, &engine.Options{Tools: true})
	books.Mount("", &shelf{titles: []string{"cart"}, texts: map[string]string{"cart": "2 apples"}})
	near, far := jsonrpc.Pipe()
	go books.Serve(ctx, far)

	updates := make(chan string, 1)
	client := jsonrpc.NewConn(near, func(msg jsonrpc.Message) {
		if msg.Method == "notifications/resources/updated" {
			select {
			case updates <- string(msg.Params):
			default: // one is enough to read again
			}
		}
	})
	go client.Run(ctx)
	call := func(method, params string) {
		result, err := client.Call(ctx, method, []byte(params))
		if err != nil {
			log.Fatal(err)
		}
		switch method {
		case "resources/templates/list":
			fmt.Println(string(jsonrpc.Member(result, "resourceTemplates")))
		case "tools/call":
			fmt.Println(string(jsonrpc.Member(result, "content")))
		case "resources/read":
			fmt.Println(string(jsonrpc.Member(result, "contents")))
		}
	}
	call("initialize", `{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "example", "version": "1.0.0"}}`)
	near.Write(ctx, []byte(`{"jsonrpc": "2.0", "method": "notifications/initialized"}`))
	call("resources/templates/list", `{}`)
	call("resources/subscribe", `{"uri": "shelf:///cart"}`)
	call("tools/call", `{"name": "add", "arguments": {"title": "cart", "text": "3 apples"}}`)
	fmt.Println(<-updates)
	call("resources/read", `{"uri": "shelf:///cart"}`)
	// Output:
	// [{"uriTemplate":"shelf:///{title}","name":"book","title":"A book by its title"}]
	// [{"type": "text", "text": "added"}]
	// {"uri":"shelf:///cart"}
	// [{"uri":"shelf:///cart","mimeType":"text/plain","text":"3 apples"}]
}
