/** Go's lib/wasm/wasm_exec.js, put in by the bundler: defines the global class `Go`. */
declare module 'wasm_exec' {}
