// Package bundle builds the npm package with engine.wasm, the demos, the playground, the
// documentation and the browser extension from TypeScript, Markdown and Go. It is the only user of esbuild, whose web server
// is not used: files are built in memory, and written to a directory on request.
package bundle
