/**
 * Opens the gateway's door for those who look on (web/README.md, "Looking on"): with the invitation that
 * this document was opened with, one that was pasted, or the key that pages of this origin keep. The
 * token of assistants is not needed, and never here.
 */

import { invitation, pasted } from '../../src/invitation.ts'
import { type Credential, joining } from '../../src/joining.ts'
import { keep, kept } from '../../src/pairings.ts'
import { t } from '../app/i18n.ts'

const subprotocol = 'pagemcp.watch.v1'

/** How long it may take until both sides have proved themselves. */
const doorTimeout = 15_000 // ms

/** Close codes; web/README.md. */
const refused = 4403

/** There is nothing to prove oneself with. */
export class NotInvitedError extends Error {
  override readonly name = 'NotInvitedError'
}

/** What one comes with. `address` is that of pages; ours is beside it. */
interface Pass {
  address: string
  credential: Credential
}

let usedInvitation = false

/** What there is to try, the best first. */
async function passes(link: string | undefined): Promise<Pass[]> {
  const given = link === undefined ? (usedInvitation ? undefined : invitation) : pasted(link)
  if (link !== undefined && given === undefined) throw new Error(t('connections.gateway.noLink'))
  const found: Pass[] = []
  if (given) {
    const { url, id, secret } = given
    found.push({ address: url, credential: { kind: 'secret', id, secret } })
  }
  const pairing = await kept(given?.url)
  if (pairing) {
    const { address, keyId, gateway, key } = pairing
    found.push({ address, credential: { kind: 'key', id: keyId, gateway, key } })
  }
  return found
}

/**
 * Opens the door.
 *
 * @param wish - `watch`, or an endpoint: `/mcp`, `/mcp/notes`
 * @param link - a link of the gateway that the visitor pasted
 * @returns the socket, which may have messages already: hear them before anything is awaited; and where
 *   the gateway answers assistants
 * @throws NotInvitedError if the browser has nothing to prove itself with; Error in words for people
 */
export async function openDoor(
  wish: string,
  link?: string,
): Promise<{ socket: WebSocket; mcp: string }> {
  if (globalThis.crypto?.subtle === undefined) throw new Error(t('connections.gateway.insecure'))
  const tries = await passes(link)
  let last: unknown = new NotInvitedError(t('connections.gateway.notInvited'))
  for (const { address, credential } of tries) {
    try {
      const socket = await prove(address, credential, wish)
      if (credential.kind === 'secret') usedInvitation = true
      return { socket, mcp: address.replace(/^ws/, 'http').replace(/\/page$/, '/mcp') }
    } catch (error) {
      last = error
    }
  }
  throw last
}

function prove(address: string, credential: Credential, wish: string): Promise<WebSocket> {
  const door = address.replace(/\/page$/, '/watch')
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(door, [subprotocol])
    const session = joining(door, credential)
    let step = 0
    const end = (error: Error) => {
      clearTimeout(deadline)
      socket.onmessage = null
      socket.onclose = null
      socket.close()
      reject(error)
    }
    const hear = async (text: string) => {
      const message = JSON.parse(text) as unknown
      if (++step === 1) {
        socket.send(await session.prove(message, { open: wish }))
        return
      }
      const { pairing } = session.joined(message)
      clearTimeout(deadline)
      socket.onclose = null
      // Pages know the gateway by their own door. What comes next is heard by whoever takes the socket:
      // keeping the key is not waited for.
      void keep({ ...pairing, address })
      resolve(socket)
    }
    const deadline = setTimeout(
      () => end(new Error(t('connections.timeout', { url: door }))),
      doorTimeout,
    )
    socket.onopen = () => socket.send(session.first)
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      hear(data).catch((error: Error) => end(error))
    }
    socket.onclose = ({ code }) =>
      end(
        new Error(
          code === refused
            ? t('connections.gateway.refused')
            : t('connections.gateway.closed', { url: door }),
        ),
      )
  })
}
