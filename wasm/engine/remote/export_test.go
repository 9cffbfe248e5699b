package remote

import "github.com/pagemcp/pagemcp/wasm/engine"

// ListBytes returns how many bytes of lists a Remote keeps or is reading.
func ListBytes(r *Remote) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists.bytes
}

// ReadTask is readTask without a policy.
func ReadTask(object []byte) (engine.TaskState, error) { return readTask(object, nil) }
