/**
 * The binding of MCP to a `MessagePort` (testdata/wire.md, "postMessage"): a message is an object. The
 * playground sends texts, which the engine accepts as well, so that malformed messages arrive unchanged.
 */

import type { Transport, TransportEvents } from './transport.ts'

interface Goodbye {
  pagemcp: 'close'
  reason?: string
}

/** Uses a port. `close` takes a reason when the playground did not close the connection. */
export function portTransport(
  port: MessagePort,
  events: TransportEvents,
): Omit<Transport, 'close'> & { close(reason?: string): void } {
  let open = true
  const end = (reason?: string) => {
    if (!open) return
    open = false
    port.close()
    events.closed(reason)
  }
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if ((data as Goodbye | null)?.pagemcp === 'close')
      end((data as Goodbye).reason || 'the server has gone')
    else events.received(typeof data === 'string' ? data : JSON.stringify(data), 'port')
  }
  port.addEventListener('close', () => end('the port has closed')) // only some browsers have this event
  return {
    send(text) {
      if (open) port.postMessage(text)
    },
    close(reason?: string) {
      if (open) port.postMessage({ pagemcp: 'close' })
      end(reason)
    },
  }
}
