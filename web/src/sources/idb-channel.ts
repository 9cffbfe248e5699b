/**
 * Messages about writes between tabs and frames of one origin: each sends the writes that it has
 * observed (idb-watch.ts). A message names database, store and keys, never values. Any script of the
 * origin can send one; its only effect is that clients read again.
 */

import { maxWritten, type Written } from './idb-watch.ts'

/** The name of the BroadcastChannel. */
export const writesChannel = 'io.github.pagemcp/idb'

/** The most keys in one message; more become "all records of the store". */
const maxMessageKeys = 1000 // keys

/** The message about a write. */
interface WritesMessage extends Omit<Written, 'keys'> {
  keys: readonly string[]
}

/** Makes the message about a write. */
export function encodeWrites({ database, store, keys, list, all }: Written): WritesMessage {
  const many = all || keys.size > maxMessageKeys
  return {
    database,
    ...(store !== undefined && { store }),
    keys: many ? [] : [...keys],
    list,
    all: many,
  }
}

/** Validates a message; `undefined`: it has another form. */
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

/** A BroadcastChannel that is closed while the page is frozen. */
export interface LiveChannel {
  post(message: unknown): void
  close(): void
}

/**
 * Opens a BroadcastChannel. Browsers evict a frozen page (bfcache) when its open channel gets a message: so
 * it is closed when the page freezes, and opened again when the page returns.
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
