import { encodeWrites, writesChannel } from './idb-channel.ts'
import { observeWrites } from './idb-watch.ts'

/** How long after a write the channel stays open: a frozen page must have none. */
const idle = 1000 // ms

/**
 * Lets tabs that serve {@link idb} know what this worker, frame or tab writes into IndexedDB: for
 * those that have no engine of their own. What is written before this call, and in the last moment
 * before a worker is terminated, is not noticed. Keys are told, and to this origin alone; values never.
 *
 * ```ts
 * import { observeIdb } from 'pagemcp' // in a worker
 *
 * observeIdb({ databases: ['notes-app'] })
 * ```
 *
 * @param options.databases - the names of the databases whose writes are told; there is no wildcard
 * @param options.signal - ends it; default: it lasts as long as the worker
 * @returns how to end it
 * @throws TypeError if databases is no array
 */
export function observeIdb(options: {
  databases: readonly string[]
  signal?: AbortSignal
}): () => void {
  const { databases, signal } = options
  if (!Array.isArray(databases))
    throw new TypeError('observeIdb: databases must be an array of names')
  const named = new Set<string>(databases)
  let channel: BroadcastChannel | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const close = () => {
    channel?.close()
    channel = undefined
  }
  const stop = observeWrites({
    concerns: (database) => named.has(database),
    written(written) {
      channel ??= new BroadcastChannel(writesChannel)
      channel.postMessage(encodeWrites(written))
      clearTimeout(timer)
      timer = setTimeout(close, idle)
    },
  })
  const end = () => {
    clearTimeout(timer)
    stop()
    close()
  }
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end, { once: true })
  return end
}
