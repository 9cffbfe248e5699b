package enginetest

import (
	"strings"
	"sync"
)

// Reports collects what an engine reports.
type Reports struct {
	mu       sync.Mutex
	reported []string
}

// Add is for [engine.Options].Report.
func (r *Reports) Add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reported = append(r.reported, err.Error())
}

// Take returns what was reported since the last call.
func (r *Reports) Take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	reported := strings.Join(r.reported, "\n")
	r.reported = nil
	return reported
}

// ListMethods are the methods of lists.
var ListMethods = []string{"resources/list", "resources/templates/list", "prompts/list", "tools/list", "skills/list"}
