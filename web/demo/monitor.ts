/**
 * Monitors the gateway that this browser is paired with (testdata/wire.md, Monitoring): its pages, and what assistants
 * did with them. Without a key that the running gateway has made, nothing is shown.
 */

import { findPairing, savePairing } from '../src/credentials.ts'
import { startHandshake } from '../src/websocket.ts'
import type { Entry } from './readers.ts'

/** What the gateway says of a page. Its texts are the page's own. */
export interface JoinedPage {
  name: string
  title: string
  origin: string
  here: boolean
  /** ms since 1970 */
  since: number
}

export interface GatewayState {
  pages: readonly JoinedPage[]
  /** Assistants are stopped until then, in ms since 1970; 0: they are not. */
  paused: number
  /** Single assistants that are stopped. */
  stopped: readonly { assistant: string; until: number }[]
}

export interface Monitor {
  state(state: GatewayState): void
  entries(entries: readonly Entry[]): void
  /** There is no monitor, or not any more. */
  gone(): void
}

const subprotocol = 'pagemcp.watch.v1'

/** Delay before a reconnection; doubled each time, up to {@link maxDelay}. */
const firstDelay = 1_000 // ms
const maxDelay = 30_000 // ms

/** The code of a gateway that does not accept the key here: it will not accept it later. */
const refused = 4403

/**
 * Monitors as long as the document lives.
 *
 * @param address - of the gateway, for pages
 * @returns stops an assistant for an hour, or all of them: `''`
 */
export function monitor(address: string, to: Monitor): (assistant: string) => void {
  const door = address.replace(/\/page$/, '/watch')
  let open: WebSocket | undefined
  let delay = firstDelay

  const connect = async () => {
    const pairing = await findPairing([address]).catch(() => undefined)
    if (pairing === undefined) return to.gone()
    const socket = new WebSocket(door, [subprotocol])
    const handshake = startHandshake(door, pairing.credential)
    let step = 0
    const receive = async (text: string) => {
      const message = JSON.parse(text) as {
        state?: GatewayState
        audit?: readonly Entry[]
      }
      if (++step === 1) socket.send(await handshake.prove(message, { open: 'watch' }))
      else if (step === 2) {
        void savePairing({ ...handshake.finish(message).pairing, address })
        open = socket
        delay = firstDelay
      } else {
        if (message.state) to.state(message.state)
        if (message.audit) to.entries(message.audit)
      }
    }
    let last = Promise.resolve() // messages are handled in their order
    socket.onopen = () => socket.send(handshake.firstMessage)
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      last = last
        .then(() => receive(data))
        .catch((error) => {
          if (open === socket) reportError(error) // else the handshake failed
          socket.close()
        })
    }
    socket.onclose = ({ code }) => {
      open = undefined
      to.gone()
      if (code === refused) return
      setTimeout(connect, delay)
      delay = Math.min(delay * 2, maxDelay)
    }
  }
  void connect()
  return (assistant) => open?.send(JSON.stringify({ stop: assistant }))
}
