/**
 * The proof by which a page and a gateway recognize each other: `pagemcp/pairing`. For pages that open
 * sockets of their own to a gateway, such as one that shows its traffic; `connect(webSocket())` of
 * `pagemcp` does all of it by itself.
 *
 * ```ts
 * const handshake = startHandshake(address, { kind: 'secret', ...documentInvitation })
 * socket.send(handshake.firstMessage)
 * socket.send(await handshake.prove(JSON.parse(firstAnswer), { open: 'watch' }))
 * const { pairing } = handshake.finish(JSON.parse(secondAnswer))
 * await savePairing(pairing) // next time: findPairing([address])
 * ```
 */

export { confirmGateway } from './confirm-gateway.ts'
export type { GatewayQuestion } from './credentials.ts'
export {
  type ConnectionPurpose,
  type Credential,
  type Handshake,
  type Hello,
  JoinError,
  type JoinReason,
  type Pairing,
  startHandshake,
} from './handshake.ts'
export {
  documentInvitation,
  forgetInvitation,
  type Invitation,
  parseInvitation,
} from './invitation.ts'
export { findPairing, savePairing } from './pairings.ts'
