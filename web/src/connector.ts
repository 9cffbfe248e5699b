/** Ways to a gateway, for `connect`. */

import { invitation, pasted } from './invitation.ts'
import { connectGateway, type Dial } from './websocket.ts'

/** How to reach a gateway. */
export interface Connector {
  readonly dial: Omit<Dial, 'hello'>
}

/** How {@link webSocket} shall get in. */
export interface WebSocketOptions {
  /**
   * An invitation that the user has pasted, instead of the one in this document's address: the link
   * that `pagemcp dev` prints, or what stands in it after `#pagemcp=`. It is good once, for two
   * minutes. For documents that no link can lead to, such as those of a browser extension.
   */
  invitation?: string
}

/**
 * The way to a gateway by WebSocket: with the invitation that this document was opened with, or, after
 * a reload, with the key that was kept of it.
 *
 * @param url - its address, such as `ws://127.0.0.1:8808/page`; default: that of the invitation, or
 *   of the gateway joined last
 * @throws TypeError if the address is none, or if `options.invitation` is none or that of another
 *   gateway; its text is not in the message
 */
export function webSocket(url?: string, options: WebSocketOptions = {}): Connector {
  if (url !== undefined && !/^wss?:\/\//.test(url)) {
    throw new TypeError(`a WebSocket address begins with ws:// or wss://, not "${url}"`)
  }
  const given = options.invitation === undefined ? invitation : pasted(options.invitation)
  if (given === undefined) {
    if (options.invitation !== undefined) throw new TypeError('this is no link of a gateway')
    return { dial: url === undefined ? {} : { url } }
  }
  const { id, secret } = given
  if (url !== undefined && url !== given.url) {
    if (options.invitation !== undefined) throw new TypeError('this is the link of another gateway')
    return { dial: { url } } // not the one who invited
  }
  return { dial: { url: given.url, secret: { id, secret } } }
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
    open: () => ({ receive() {}, close() {}, end() {} }),
    freshPage: async () => '',
    state() {},
  })
  await connection.joined
}
