//go:build !registered

package published

// Registered reports whether the names are those of this project at each registry. Without
// the build tag registered they are not.
const Registered = false
