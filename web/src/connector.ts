/** Ways to a gateway, for `connect`. */

import { confirmGateway } from './confirm-gateway.ts'
import type { Dial } from './gateway-types.ts'
import { JoinError } from './handshake.ts'
import {
  documentInvitation,
  forgetInvitation,
  type Invitation,
  parseInvitation,
} from './invitation.ts'
import { connectGateway } from './websocket.ts'

/** Where a gateway listens unless it is started with another address. */
export const defaultGateway = 'ws://127.0.0.1:8808/page'

/** How to reach a gateway. */
export interface Connector {
  readonly dial: Omit<Dial, 'hello'>
  /** This document was opened with an invitation of a gateway that the app does not name. */
  readonly ignored?: JoinError
  /** The app's function for tokens; it stays in this window. */
  readonly token?: () => string | Promise<string>
}

/** What `connect` may use besides one address. */
export interface ConnectOptions {
  /** Leaves the gateway. */
  signal?: AbortSignal
  /**
   * Addresses of further gateways that may invite this page. Without an invitation, the page joins the
   * one that it joined last.
   */
  gateways?: readonly string[]
  /**
   * An invitation that the user has pasted, instead of the one in this document's address: the link
   * that `pagemcp dev` prints, or what stands in it after `#pagemcp=`. It is good once, for two
   * minutes. For documents that no link can lead to, such as those of a browser extension. Never pass
   * text from an address or a message here: the user is not asked to confirm what they have pasted.
   */
  invitation?: string
  /**
   * Returns a token for this page from the backend of the app, which knows the signed-in user: a JWT of at most 8 KiB.
   * For hosted gateways. It is called in this window, before each connection and whenever the gateway requests another
   * token; if it rejects, or takes more than 30 s, it is called again later. Invitations, saved keys and `gateways`
   * are ignored then, and nothing is saved. Needs the address of the gateway.
   */
  token?: () => string | Promise<string>
}

/** How to reach a gateway, by the parameters of {@link PageMcp.connect}. */
export function webSocket(
  gateway?: string | ConnectOptions,
  options: ConnectOptions = {},
): Connector {
  if (typeof gateway === 'object') return webSocket(undefined, gateway)
  const { token, invitation: pasted, gateways: others = [] } = options
  const listed = gateway === undefined ? others : [gateway, ...others]
  const gateways = listed.length > 0 ? listed.map(checked) : [defaultGateway]
  if (token) {
    if (gateway === undefined) {
      throw new TypeError('a token needs the address of a gateway: connect(url, { token })')
    }
    return { dial: { gateways, hasToken: true }, token }
  }
  const invitation = pasted === undefined ? documentInvitation : parseInvitation(pasted)
  const isChosen = pasted !== undefined
  if (invitation === undefined) {
    if (isChosen) throw new TypeError('this is not a link of a gateway')
    return { dial: { gateways } }
  }
  const invited = gateways.find((address) => isSame(address, invitation.url))
  if (invited !== undefined) {
    return { dial: { gateways, invitation: { ...invitation, url: invited }, isChosen } }
  }
  if (isChosen) {
    throw new TypeError('this is the link of another gateway; connect({ gateways }) can list it')
  }
  return { dial: { gateways }, ignored: ignored(invitation, gateways) }
}

/**
 * The address of the gateway that a link, or what stands in it after `#pagemcp=`, is an invitation of;
 * `undefined` if it is no link, or `connect` would refuse the address.
 */
export function gatewayOf(link: string): string | undefined {
  const url = parseInvitation(link)?.url
  return url !== undefined && problemOf(url) === undefined ? url : undefined
}

/** Why an address cannot be that of a gateway; `undefined`: it can. */
function problemOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'wss:' && url?.protocol !== 'ws:') {
    return `a WebSocket address begins with ws:// or wss://, not "${address}"`
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return 'the address of a gateway has no user, password or fragment'
  }
  if (url.protocol === 'ws:' && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) {
    return `the gateway at ${address} is on another machine: that needs wss:`
  }
  return undefined
}

function checked(address: string): string {
  const problem = problemOf(address)
  if (problem !== undefined) throw new TypeError(problem)
  return address
}

function isSame(a: string, b: string): boolean {
  return URL.canParse(b) && new URL(a).href === new URL(b).href
}

function ignored({ url }: Invitation, gateways: readonly string[]): JoinError {
  const where = JSON.stringify(url.slice(0, 200))
  return new JoinError(
    'other-gateway',
    `an invitation of the gateway at ${where} was ignored: this page joins ${gateways.join(', ')}; connect({ gateways }) can list others`,
  )
}

/** Whether this document was opened by a gateway's link. */
export function isInvited(): boolean {
  return documentInvitation !== undefined
}

/**
 * Exchanges the invitation for a key that pages of this origin share, without joining; also if there is a
 * key already, since a key that was made after the gateway's start opens more (web/docs/protocol.md, "Monitoring").
 * For a start page whose links lead to pages of its own origin. Parameters are those of {@link PageMcp.connect}.
 *
 * @throws JoinError if there is no invitation and no key, the invitation is that of another gateway, or the
 *   gateway refuses
 */
export async function pair(
  gateway?: string | ConnectOptions,
  options?: ConnectOptions,
): Promise<void> {
  const { dial, ignored, token } = webSocket(gateway, options)
  if (token) throw new TypeError('a page with a token is not paired: use connect')
  const connection = connectGateway(dial, {
    open: () => ({ receive() {}, close() {}, end() {} }),
    pageId: async () => '',
    forgotten() {},
    newPageId: async () => '',
    confirm: confirmGateway,
    together: (act) => act(),
    state() {},
  })
  try {
    await connection.joined
  } catch (error) {
    throw error instanceof JoinError && error.reason === 'not-invited' ? (ignored ?? error) : error
  } finally {
    forgetInvitation()
  }
}
