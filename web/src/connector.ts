/** Ways to a gateway, for `connect`. */

import { invitation } from './invitation.ts'
import { connectGateway, type Dial } from './websocket.ts'

/** How to reach a gateway. */
export interface Connector {
  readonly dial: Omit<Dial, 'hello'>
}

/**
 * The way to a gateway by WebSocket: with the invitation that this document was opened with, or, after
 * a reload, with the key that was kept of it.
 *
 * @param url - its address, such as `ws://127.0.0.1:8808/page`; default: that of the invitation, or
 *   of the gateway joined last
 */
export function webSocket(url?: string): Connector {
  if (url !== undefined && !/^wss?:\/\//.test(url)) {
    throw new TypeError(`a WebSocket address begins with ws:// or wss://, not "${url}"`)
  }
  if (invitation === undefined) return { dial: url === undefined ? {} : { url } }
  const { id, secret } = invitation
  if (url !== undefined && url !== invitation.url) return { dial: { url } } // not the one who invited
  return { dial: { url: invitation.url, secret: { id, secret } } }
}

/** Whether this document was opened by a gateway's link. */
export function isInvited(): boolean {
  return invitation !== undefined
}

/**
 * Exchanges the invitation for a key that pages of this origin share, without joining. For a start
 * page whose links lead to pages of its own origin.
 *
 * @throws JoinError if there is no invitation and no key, or the gateway refuses
 */
export async function pair(): Promise<void> {
  const connection = connectGateway(webSocket().dial, {
    open: () => ({ receive() {}, close() {} }),
    freshPage: async () => '',
    state() {},
  })
  await connection.joined
}
