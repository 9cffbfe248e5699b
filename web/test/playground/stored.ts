/** Stores of messages, and servers that are functions, for tests without an engine. */

import type { Dialer } from '../../playground/connections/transport.ts'
import type { Entry } from '../../playground/messages/entry.ts'
import { Store } from '../../playground/messages/store.ts'

/** A store that announces at once. */
export const newStore = (): Store => new Store((run) => run())

/** Pushes a message, a text unchanged; events of the world have no framing. */
export function push(
  store: Store,
  direction: Entry['direction'],
  message: unknown,
  more: Partial<Entry> = {},
): number {
  const raw = typeof message === 'string' ? message : JSON.stringify(message)
  const framing = direction === 'world' ? 'world' : 'port'
  return store.push({ connection: 1, direction, framing, raw, ...more })
}

/** The rows of a store. */
export const rowsOf = (store: { readonly length: number }): number[] =>
  Array.from({ length: store.length }, (_, row) => row)

/** Anything: tests know what is sent. */
type Message = ReturnType<typeof JSON.parse>

/**
 * A server in the page.
 *
 * @param receive - gets each message, a function that sends one back, and the exact text
 */
export const serverOf = (
  receive: (message: Message, say: (message: object) => void, raw: string) => void = () => {},
  more: Partial<Dialer> = {},
): Dialer => ({
  title: 'server',
  kind: 'in-page',
  url: '',
  framing: 'port',
  dial: async ({ received }) => {
    const say = (message: object) =>
      queueMicrotask(() => received(JSON.stringify({ jsonrpc: '2.0', ...message }), 'port'))
    return { send: (raw) => receive(JSON.parse(raw), say, raw), close() {} }
  },
  ...more,
})
