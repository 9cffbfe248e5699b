/**
 * Reads, completes and polls records in the window: a file of its own in the package, loaded by the first read
 * of `idb` with `worker: false`, and by the first completion. In the engine's Worker, worker.js reads.
 *
 * No module with state may be imported here: index.js would have it, too.
 */

export { idbComplete } from './idb-complete.ts'
export { pollStores } from './idb-poll.ts'
export { idbReader } from './idb-reader.ts'
