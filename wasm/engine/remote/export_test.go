package remote

// ListBytes returns how many bytes of lists a Remote keeps or is reading.
func ListBytes(r *Remote) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists.bytes
}
