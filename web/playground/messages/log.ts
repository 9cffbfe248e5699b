/** The playground's one message store: the messages of all connections, and events beside them. */

import { Store } from './store.ts'

export const store = new Store()

/** Adds an event of the demo's data, which belongs to no connection. `what` is one line of English. Returns its row. */
export function recordEvent(what: string): number {
  return store.push({ connection: 0, direction: 'world', framing: 'world', raw: what })
}
