/** The connection that needs nothing: a port to the engine of this very page. */

import { portTransport } from './port.ts'
import type { Dialer } from './transport.ts'

/**
 * @param title - for people
 * @param open - opens a port to the engine, when that is there; `closed` is called when the server ends it
 */
export function inPage(title: string, open: (closed: () => void) => Promise<MessagePort>): Dialer {
  return {
    title,
    kind: 'in-page',
    url: '',
    framing: 'port',
    async dial(events) {
      let end = () => {}
      const transport = portTransport(await open(() => end()), events)
      end = () => transport.close('the server closed the connection')
      return transport
    },
  }
}
