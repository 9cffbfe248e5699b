//go:build registered

package published

// Registered reports whether the names are those of this project at each registry. Only
// `make release` sets the build tag, after a confirmation.
const Registered = true
