/** A connection to the engine in this page. */

import { portTransport } from './port.ts'
import type { Dialer } from './transport.ts'

/**
 * @param title - shown to the user
 * @param open - opens a port to the engine, once it is loaded; `closed` is called when the server closes it
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
