import { encodeWrites, writesChannel } from './idb-channel.ts'
import { observeWrites } from './idb-watch.ts'

/** How long the channel stays open after a write: a frozen page must have none. */
const idle = 1000 // ms

/**
 * Announces the writes of this worker, frame or tab into IndexedDB to tabs that serve {@link idb}. For
 * workers, frames and tabs without an engine of their own. Writes before this call, and immediately before a
 * worker is terminated, are not noticed. Only keys are sent, never values, and only within the origin.
 *
 * ```ts
 * import { observeIdb } from 'pagemcp' // in a worker
 *
 * observeIdb({ databases: ['notes-app'] })
 * ```
 *
 * @param options.databases - names of the observed databases; there is no wildcard
 * @param options.signal - stops observing; default: at the end of the worker
 * @returns a function that stops observing
 * @throws TypeError if databases is not an array
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
