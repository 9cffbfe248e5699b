//go:build !unix

package hosted

// fileLimit returns ok false: the system has no such limit.
func fileLimit() (files uint64, ok bool) { return 0, false }
