package access

import (
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
)

// MethodOf returns what is known of a method, of extensions, too; of an unknown one, only the name.
func MethodOf(name string) engine.Method {
	return engine.MethodOf(name, skill.Methods, task.Methods(nil))
}
