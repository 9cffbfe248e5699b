/**
 * A `MessagePort` in the binding of this project (web/docs/protocol.md, "postMessage"): a message is
 * an object. Texts that we send cross as texts, which the engine takes as well: so what is broken
 * arrives as broken as it was written.
 */

import type { Transport, TransportEvents } from './transport.ts'

interface Goodbye {
  pagemcp: 'close'
  reason?: string
}

/** Takes a port over. `close` may tell the ears a reason, when it is not they who close. */
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
  port.addEventListener('close', () => end('the port has closed')) // where browsers tell
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
