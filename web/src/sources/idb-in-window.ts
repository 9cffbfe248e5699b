/**
 * Completes and reads records in the window, for an app that calls the source itself: a file of its own
 * in the package, loaded when `idb` is mounted. The engine's thread has its own reader, in worker.js.
 *
 * No module with state may be imported here: index.js would have it, too.
 */

export { idbComplete } from './idb-complete.ts'
export { idbReader } from './idb-reader.ts'
