/**
 * Reads files and cached responses in the window: a file of its own in the package, loaded when an app reads `opfs` or
 * `caches` itself. No module with state may be imported here: index.js would have it, too.
 */

export { cachesReader } from './caches-reader.ts'
export { opfsReader } from './opfs-reader.ts'
