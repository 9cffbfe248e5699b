/** The connection that needs nothing: a port to the engine of this very page. */

import { portWire } from './port.ts'
import type { Dialer } from './wire.ts'

/**
 * @param title - for people
 * @param open - opens a port to the engine, when it is there
 */
export function inPage(title: string, open: () => Promise<MessagePort>): Dialer {
  return {
    title,
    kind: 'in-page',
    url: '',
    framing: 'port',
    dial: async (ears) => portWire(await open(), ears),
  }
}
