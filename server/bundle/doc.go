// Package bundle makes files of TypeScript and Go: the npm package with
// engine.wasm, the demos and the start page. It is the only user of esbuild, whose
// own web server stays unused: the files go to memory, or into a directory.
package bundle
