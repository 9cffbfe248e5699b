package devserver

import (
	"strconv"
	"strings"
)

// policy returns the Content-Security-Policy of the page or Worker at path. It allows
// the server's own files, WebAssembly, and connections to the gateway. Trusted Types
// allow one policy, for the URL of the engine's Worker. An app of the user has its own.
func (w *Web) policy(path string) string {
	if w.app {
		return "frame-ancestors 'self'"
	}
	if below, ok := strings.CutPrefix(path, playgroundPath); ok {
		return playgroundPolicy(below)
	}
	connect := "connect-src 'self'"
	for _, name := range [...]string{"127.0.0.1", "localhost"} { // host-source of CSP level 3 has no syntax for [::1]
		host := name + ":" + strconv.Itoa(w.gateway)
		connect += " ws://" + host + " http://" + host + " wss://" + host + " https://" + host
	}
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; font-src 'self'; " +
		connect + "; worker-src 'self'; require-trusted-types-for 'script'; trusted-types pagemcp; " +
		"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}

// playgroundPath is the path of the playground.
const playgroundPath = "/playground/"

// Pages of other ports of this machine may show these documents in a frame, and load this
// script, for <mcp-playground>.
var (
	embeddedFrames  = []string{playgroundPath + "embed.html", playgroundPath + "embed-scenario.html"}
	embeddedScripts = []string{playgroundPath + "element.js"} // it imports nothing
)

// Links of any site, and the local file by which `pagemcp open` opens a browser on macOS, may open
// these in a window: none connects without the secret of an invitation.
var linkedDocuments = []string{"/", playgroundPath, playgroundPath + "check/", "/docs/", "/docs/*", "/demo/*/"}

// sandboxPath is the page below playgroundPath between the playground and an MCP app.
const sandboxPath = "apps/sandbox.html"

// playgroundPolicy is the policy of the playground. below is the path below
// playgroundPath. The playground may connect to any server that the user enters, and
// frame it, after asking for each host that is not this machine; scripts must be its
// own. Pages of this machine, on any port, may frame embed.html, which uses only the MessagePort that it receives,
// and embed-scenario.html, whose server is inside it.
// apps/sandbox.html frames an MCP app, whose document brings its own, strict policy.
func playgroundPolicy(below string) string {
	const content = "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; "
	const end = "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
	// host-source of CSP level 3 has no syntax for [::1].
	const ancestors = "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*"
	switch below {
	case "embed.html":
		return content + "script-src 'self'; " + ancestors + end + "trusted-types 'none'"
	case "embed-scenario.html":
		return content + "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; " + ancestors + end + "trusted-types pagemcp"
	case sandboxPath:
		return "default-src * data: blob: 'unsafe-inline' 'unsafe-eval'; frame-src 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
	}
	if below == "check/" || below == "check/index.html" { // its <base> is the playground's directory
		return content + "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http: https: ws: wss:; worker-src 'self'; " +
			"frame-ancestors 'none'; base-uri 'self'; form-action 'none'; require-trusted-types-for 'script'; trusted-types pagemcp"
	}
	return content + "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http: https: ws: wss:; worker-src 'self'; " +
		"manifest-src 'self'; frame-src http: https:; frame-ancestors 'none'" + end + "trusted-types pagemcp"
}
