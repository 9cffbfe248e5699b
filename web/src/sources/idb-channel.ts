/**
 * What tabs, frames and workers of one origin tell each other of their writes: each tells those that
 * it has noticed (idb-watch.ts) and hears those of the others. A message names database, store and
 * keys, never what was written. Whoever runs scripts in the origin could send one; all that it can do
 * is make somebody read again.
 */

import { maxWritten, type Written } from './idb-watch.ts'

/** The name of the BroadcastChannel. */
export const writesChannel = 'io.github.pagemcp/idb'

/** How many keys one message names; beyond, it speaks of all records of the store. */
const maxTold = 1000 // keys

/** What a message says. */
interface WritesMessage extends Omit<Written, 'keys'> {
  keys: readonly string[]
}

/** Tells others of writes. */
export function encodeWrites({ database, store, keys, list, all }: Written): WritesMessage {
  const many = all || keys.size > maxTold
  return {
    database,
    ...(store !== undefined && { store }),
    keys: many ? [] : [...keys],
    list,
    all: many,
  }
}

/** What a message says, or undefined if it is none of ours. */
export function decodeWrites(data: unknown): Written | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { database, store, keys, list, all } = data as Partial<WritesMessage>
  const fits =
    typeof database === 'string' &&
    (store === undefined || typeof store === 'string') &&
    typeof list === 'boolean' &&
    typeof all === 'boolean' &&
    Array.isArray(keys) &&
    keys.length <= maxWritten &&
    keys.every((key) => typeof key === 'string')
  if (!fits) return undefined
  return { database, ...(store !== undefined && { store }), keys: new Set(keys), list, all }
}

/** A BroadcastChannel that steps aside while the page is frozen. */
export interface LiveChannel {
  post(message: unknown): void
  close(): void
}

/**
 * Opens a BroadcastChannel. A message to a frozen page (bfcache) that has it open would end that page
 * for good: so it is closed when the page freezes, and opened again when the page returns.
 *
 * @param on.message - each message of others
 * @param on.missed - the page was frozen: messages may have been missed
 */
export function liveChannel(
  name: string,
  on: { message(data: unknown): void; missed(): void },
): LiveChannel {
  if (typeof BroadcastChannel === 'undefined') return { post() {}, close() {} }
  const ended = new AbortController()
  const { signal } = ended
  let channel: BroadcastChannel | undefined
  const open = () => {
    channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }) => on.message(data)
  }
  const close = () => {
    channel?.close()
    channel = undefined
  }
  const isPersisted = (event: Event) => (event as PageTransitionEvent).persisted
  globalThis.addEventListener?.('pagehide', (event) => isPersisted(event) && close(), { signal })
  globalThis.addEventListener?.(
    'pageshow',
    (event) => {
      if (!isPersisted(event)) return
      close()
      open()
      on.missed()
    },
    { signal },
  )
  open()
  return {
    post(message) {
      channel?.postMessage(message) // a frozen page writes nothing
    },
    close() {
      ended.abort()
      close()
    },
  }
}
