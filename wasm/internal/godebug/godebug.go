// Package godebug stands for internal/godebug of the standard library in engine.wasm
// (server/bundle/wasm_overlay.go). There is no environment in a browser from which a setting of
// GODEBUG could come; without the code that follows, counts and bisects settings, engine.wasm is
// 22 KB (brotli) smaller.
package godebug

// A Setting has its default.
type Setting struct{ name string }

// New returns the setting of a name.
func New(name string) *Setting { return &Setting{name} }

// Name returns its name.
func (s *Setting) Name() string { return s.name }

// Undocumented reports whether its name begins with #.
func (s *Setting) Undocumented() bool { return s.name != "" && s.name[0] == '#' }

// String returns it as GODEBUG would have it.
func (s *Setting) String() string { return s.name + "=" }

// Value returns "", the default.
func (s *Setting) Value() string { return "" }

// IncNonDefault counts uses of another value: there are none.
func (s *Setting) IncNonDefault() {}
