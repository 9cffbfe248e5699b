// Command wasm is the engine as it runs in a browser: wasm/engine behind exports
// that JavaScript calls and imports that it offers, without syscall/js.
//
// JavaScript (web/src/engine.ts, the shim) keeps ports, ids and contents; Go
// decides. What crosses is small and of two kinds:
//
//   - An export is called by the shim with numbers and, in one buffer of ours
//     that both sides know, JSON text. It never blocks and always recovers: parking
//     its goroutine would corrupt the Go stack, and a panic would end the program.
//     What may wait is a goroutine; it runs when the shim then calls go._resume(),
//     once. Every export returns a number that is not 0: to the shim, "undefined" means
//     that the program is dead, and 0 that the export blocked.
//   - An import only records what is to be done. The shim does it after the export
//     has returned, so nothing re-enters Go from within Go.
package main

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// What most exports answer. [take] has more. Never 0: that is what an export
// returns that blocked, and the shim takes it as the end of the program.
const (
	done   int32 = 1
	idle   int32 = 2  // done, and no goroutine wants to run
	broken int32 = -1 // a panic was recovered: our own fault
	wrong  int32 = -2 // the argument was refused; report says why
)

// Everything that lives as long as the program. It is filled in by start: nothing
// may run in package-level init, for that would delay every page.
var (
	serving     *engine.Engine
	app         *engine.Table            // what the web app registers by itself
	clients     map[int32]*engine.Client // by the shim's number
	mounted     map[int32]*mountedSource // by the shim's number
	sourceCalls map[int32]*sourceCall    // to JavaScript, that wait
	input       []byte                   // what JavaScript writes arguments into
)

// inputSize is how large the input buffer is when nothing large came lately.
const inputSize = 64 << 10 // bytes

func main() { select {} } // the exports do the work

// buffer makes room for n bytes of input and returns where they belong. The
// address holds until the next call of buffer; the memory of the program may move
// in JavaScript's eyes with any call.
//
//go:wasmexport buffer
func buffer(n int32) unsafe.Pointer {
	if size := max(int(n), inputSize); len(input) < size || len(input) > 4*size {
		input = make([]byte, size)
	}
	return unsafe.Pointer(&input[0])
}

// start makes the engine. input[:n] is a JSON object: name, version, and, where
// they differ from the default, title, websiteUrl, icons, instructions, pageSize,
// maxMessage (bytes), tools, prompts, completions, logging, noSubscribe, noListChanged, asks (booleans), cacheHints. asks: nothing is allowed
// before setGrants.
//
//go:wasmexport start
func start(n int32) (result int32) {
	defer recovered("start", &result)
	var info engine.Info
	asks := false
	options := engine.Options{Extensions: []*engine.Extension{skill.Extension, task.Extension(&task.Tasks{})}, Ask: askUser, Decided: reportDecision, Report: func(err error) { report(err.Error()) }}
	refusal := jsonrpc.Members(input[:n], func(name string, value []byte) *jsonrpc.Error {
		text, _ := jsonrpc.Text(value)
		number, _ := jsonrpc.Int(value)
		isTrue := value[0] == 't'
		switch name {
		case "name":
			info.Name = text
		case "title":
			info.Title = text
		case "version":
			info.Version = text
		case "websiteUrl":
			info.WebsiteURL = text
		case "icons":
			info.Icons = bytes.Clone(value)
		case "instructions":
			info.Instructions = text
		case "pageSize":
			options.PageSize = int(number)
		case "maxMessage":
			options.MaxMessage = int(number)
		case "tools":
			options.Tools = isTrue
		case "prompts":
			options.Prompts = isTrue
		case "completions":
			options.Completions = isTrue
		case "logging":
			options.Logging = isTrue
		case "noSubscribe":
			options.NoSubscribe = isTrue
		case "noListChanged":
			options.NoListChanged = isTrue
		case "cacheHints":
			options.Cache = readCache(value)
		case "asks":
			asks = isTrue
		}
		return nil
	})
	if refusal != nil {
		report("start: " + refusal.Message)
		return wrong
	}
	clients = map[int32]*engine.Client{}
	mounted = map[int32]*mountedSource{}
	sourceCalls = map[int32]*sourceCall{}
	serving = engine.New(info, &options)
	serving.OnForget(jsDocuments.forget)
	if asks {
		serving.SetGrants(noGrants())
	}
	app = engine.NewTable()
	serving.Mount("", app)
	methods(strings.Join(serving.Methods(), "\n"))
	return done
}

// stop ends all subscriptions with their result and refuses what waits.
//
//go:wasmexport stop
func stop() (result int32) {
	defer recovered("stop", &result)
	serving.Close()
	return done
}

// recovered keeps a panic from ending the program. The export answers broken.
func recovered(export string, result *int32) {
	if p := recover(); p != nil {
		*result = broken
		report(jsonrpc.Wrap(export, jsonrpc.Panicked(p)).Error())
	}
}

// methods passes the names of the methods by number, separated by line feeds.
//
//go:wasmimport pagemcp methods
func methods(names string)

// report reports an error to the developer. It is not for clients.
//
//go:wasmimport pagemcp report
func report(text string)
