package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// slowSource serves the resources that take their time, or panic. It is not
// immediate.
type slowSource struct {
	world   *world
	uris    []string
	mu      sync.Mutex
	changed func(engine.Change)
}

// brokenSource fails at each read, as a source does whose code did not load.
type brokenSource struct{}

func (brokenSource) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (brokenSource) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	return nil, fmt.Errorf("read %q: the code did not load", uri)
}

// laterSource has texts by URI, and is mounted after brokenSource.
type laterSource map[string]string

func (s laterSource) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (s laterSource) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	text, ok := s[uri]
	if !ok {
		return nil, engine.ErrNotFound
	}
	return []engine.Contents{{URI: uri, Text: text}}, nil
}

func (s *slowSource) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	for _, uri := range s.uris {
		if k == engine.Resources {
			listing.Items = append(listing.Items, engine.Item{Key: uri, JSON: s.world.values[uri].described("uri", uri)})
		}
	}
	return listing, nil
}

func (s *slowSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	contents, err := s.world.contents(uri)
	if err != nil || !slices.Contains(s.uris, uri) {
		return nil, engine.ErrNotFound
	}
	th := s.world.values[uri]
	if th.Panic {
		panic("the source of " + uri + " is broken")
	}
	delay, err := time.ParseDuration(th.Delay)
	if err != nil {
		return nil, fmt.Errorf("delay of %q: %w", uri, err)
	}
	select {
	case <-time.After(delay):
		return contents, nil
	case <-ctx.Done():
		return nil, errors.New("given up")
	}
}

func (s *slowSource) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	s.follow(changed)
	context.AfterFunc(ctx, func() { s.follow(nil) })
	return engine.AnnouncesAll{}
}

func (s *slowSource) follow(changed func(engine.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

func (s *slowSource) touch(uri string) {
	s.mu.Lock()
	changed := s.changed
	s.mu.Unlock()
	if changed != nil {
		changed(engine.Change{URI: uri})
	}
}
