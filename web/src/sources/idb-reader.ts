/** The module that the engine's Worker loads for `idb` (readers.ts). */
export { idbReader } from './idb.ts'
