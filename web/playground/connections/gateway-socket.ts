/**
 * Opens an authenticated socket to the gateway (testdata/wire.md, "Monitoring"), with the invitation in
 * this document's address, a pasted one, or the stored key of this origin. The playground never has the token
 * of assistants.
 */

import {
  confirmGateway,
  documentInvitation,
  forgetInvitation,
  type Invitation,
  parseInvitation,
} from '../../src/connector.ts'
import { findPairing, savePairing } from '../../src/credentials.ts'
import { type Credential, startHandshake } from '../../src/websocket.ts'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { afterPatience } from '../base/patience.ts'
import { gatewayAddress } from './gateway-address.ts'

const subprotocol = 'pagemcp.watch.v1'

/** How long a gateway, which is on this machine, may take to accept a socket. */
const openTimeout = 2500 // ms

/** Timeout of the mutual authentication. */
const authenticationTimeout = 15_000 // ms

/** Close codes; testdata/wire.md. */
const refused = 4403

/** The browser has no credential for the gateway. */
export class NotPairedError extends Error {
  override readonly name = 'NotPairedError'
}

/** The gateway, or another program on its port, rejected the connection. */
export class GatewayRefusedError extends Error {
  override readonly name = 'GatewayRefusedError'
  /** Whether the gateway proved that it knows the key or the secret. */
  readonly isProven: boolean

  constructor(message: string, isProven: boolean) {
    super(message)
    this.isProven = isProven
  }
}

let usedInvitation = false

/**
 * The invitation to use: a pasted one, or that in this document's address. One of another gateway than the
 * playground's own is an error if it was pasted, and otherwise ignored: a link never chooses the gateway.
 */
function invited(address: string, link: string | undefined): Invitation | undefined {
  const given =
    link === undefined ? (usedInvitation ? undefined : documentInvitation) : parseInvitation(link)
  if (link !== undefined && given === undefined) throw new Error(t('connections.gateway.noLink'))
  if (given === undefined || given.url === address) return given
  const other = t('connections.gateway.otherGateway', {
    url: given.url.slice(0, 200),
    own: address,
  })
  if (link !== undefined) throw new Error(other)
  actions.announce(other)
  return undefined
}

/**
 * Connects with the stored key of this origin, if the gateway accepts it here (only keys that were made since
 * it started), otherwise with an invitation. If the gateway does not prove that it knows the key, the user
 * must confirm the invitation first.
 *
 * @param wish - `watch`, or an endpoint: `/mcp`, `/mcp/notes`
 * @param link - a link of the gateway that the user pasted
 * @returns the socket, which may have received messages already: set `onmessage` before the next await; and
 *   the gateway's address for assistants
 * @throws NotPairedError if the browser has no credential; Error with a message for the user
 */
export async function openGatewaySocket(
  wish: string,
  link?: string,
): Promise<{ socket: WebSocket; mcp: string }> {
  if (globalThis.crypto?.subtle === undefined) throw new Error(t('connections.gateway.insecure'))
  const address = await gatewayAddress()
  const given = invited(address, link)
  const mcp = address.replace(/^ws/, 'http').replace(/\/page$/, '/mcp')
  const pairing = await findPairing([address]).catch((error: unknown) => {
    if (given === undefined) throw error // with an invitation, a key that cannot be read is none
  })
  if (pairing !== undefined) {
    try {
      return { socket: await prove(address, pairing.credential, wish), mcp }
    } catch (error) {
      if (given === undefined || !(error instanceof GatewayRefusedError)) throw error
      const question = { invited: address, paired: address }
      if (!error.isProven && !(await confirmGateway(question))) throw error
    }
  }
  if (given === undefined) throw new NotPairedError(t('connections.gateway.notPaired'))
  const { id, secret } = given
  forgetInvitation() // it is used, or refused
  const socket = await prove(address, { kind: 'secret', id, secret }, wish)
  usedInvitation = true
  return { socket, mcp }
}

function prove(address: string, credential: Credential, wish: string): Promise<WebSocket> {
  const door = address.replace(/\/page$/, '/watch')
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(door, [subprotocol])
    const handshake = startHandshake(door, credential)
    let step = 0
    let isProven = false
    const end = (error: Error) => {
      stop()
      socket.onmessage = null
      socket.onclose = null
      socket.close()
      reject(error)
    }
    const receive = async (text: string) => {
      const message = JSON.parse(text) as unknown
      if (++step === 1) {
        const answer = await handshake.prove(message, { open: wish })
        isProven = true
        socket.send(answer)
        return
      }
      const { pairing } = handshake.finish(message)
      stop()
      socket.onclose = null
      // Pages store the gateway by their own address. The caller receives the next messages, so storing the key is
      // not awaited.
      void savePairing({ ...pairing, address })
      resolve(socket)
    }
    const late = () => end(new Error(t('connections.gateway.closed', { url: door })))
    let stop = afterPatience(late, openTimeout) // the page may be busy: it only starts
    socket.onopen = () => {
      stop()
      stop = afterPatience(late, authenticationTimeout)
      socket.send(handshake.firstMessage)
    }
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      receive(data).catch((error: Error) => end(new GatewayRefusedError(error.message, false)))
    }
    socket.onclose = ({ code }) =>
      end(
        code === refused
          ? new GatewayRefusedError(t('connections.gateway.refused'), isProven)
          : new Error(t('connections.gateway.closed', { url: door })),
      )
  })
}
