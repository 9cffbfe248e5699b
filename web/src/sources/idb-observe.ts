import { encodeWrites, writesChannel } from './idb-channel.ts'
import { observeWrites, type Written } from './idb-watch.ts'
import { commonOptions, type SourceOptions, wrongOption } from './options.ts'

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
export function observeIdb(options: { databases: readonly string[] } & SourceOptions): () => void {
  const { signal } = commonOptions('observeIdb', options)
  const { databases } = options
  if (!Array.isArray(databases)) {
    throw wrongOption('observeIdb', 'databases', 'an array of names', databases)
  }
  const named = new Set<string>(databases)
  let channel: BroadcastChannel | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const close = () => {
    channel?.close()
    channel = undefined
  }
  const stop = new AbortController()
  const ends = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal
  const written = (written: Written) => {
    channel ??= new BroadcastChannel(writesChannel)
    channel.postMessage(encodeWrites(written))
    clearTimeout(timer)
    timer = setTimeout(close, idle)
  }
  observeWrites({ concerns: (database) => named.has(database), written }, ends)
  const end = () => {
    clearTimeout(timer)
    close()
  }
  ends.addEventListener('abort', end, { once: true })
  return () => stop.abort()
}
