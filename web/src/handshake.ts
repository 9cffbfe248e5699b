/**
 * The handshake by which a page joins a gateway: a mutual proof of knowledge of a secret that the user
 * carried from one to the other. The gateway proves first, and neither sends the secret.
 * web/docs/protocol.md describes the messages.
 *
 *     page     {"pagemcp":1, nonce, address, secret: its id}      or "key": the id of a saved key
 *     gateway  {gateway, nonce, proof}
 *     page     {proof, hello, sequences}                         with a secret also "key": the id that its key shall have
 *     gateway  {joined: the page's name, key: id, sequences}
 */

import { fromBase64Url, toBase64Url } from './base64url.ts'

/** The subprotocol of the WebSocket. */
export const subprotocol = 'pagemcp.v1'

/** What a page proves itself with: the secret of an invitation, or a saved key. */
export type Credential =
  | {
      readonly kind: 'secret'
      readonly id: string
      readonly secret: string
      /** The id that the key of the secret shall have: 16 to 32 bytes, base64url. Default: the gateway chooses one. */
      readonly keyId?: string
      /** The secret was used: join with its key, which has {@link keyId} if a document of this profile used it. */
      readonly isUsed?: boolean
    }
  | {
      readonly kind: 'key'
      readonly id: string
      readonly gateway: string
      readonly key: CryptoKey
    }

/** Describes the page to the gateway, after both proofs. */
export interface Hello {
  page: string
  instance: string
  /** For gateways whose pages have no keys: a key is of one profile. */
  profile?: string
  name: string
  title?: string
  /** Without query and fragment. */
  url: string
  engine: string
}

/** A key that page and gateway share after the first handshake. */
export interface Pairing {
  /** The WebSocket address of the gateway that the page uses the key for. */
  readonly address: string
  /** The gateway's own id. */
  readonly gateway: string
  readonly keyId: string
  /** HMAC-SHA-256, not extractable. */
  readonly key: CryptoKey
}

/** Why a page cannot join; a retry would not help. */
export type JoinReason =
  /** There is neither an invitation nor a saved key: open the page by the gateway's link. */
  | 'not-invited'
  /** The secret or the key is not valid any more, or the page's origin is not on the gateway's list. */
  | 'refused'
  /** The page was opened with an invitation of a gateway that the app does not name; it was ignored. */
  | 'other-gateway'
  /** The program at that address does not know the secret. */
  | 'not-my-gateway'
  /** The gateway does not support the version of this page. */
  | 'unsupported'
  /** WebCrypto needs a secure context: https, or http on localhost. */
  | 'insecure'

/** The page could not join a gateway, for a {@link JoinReason}. */
export class JoinError extends Error {
  override readonly name = 'JoinError'
  readonly reason: JoinReason

  constructor(reason: JoinReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Whether a page goes on trying after an error of joining: its user may pair it later, also in another tab. Not
 * without a secure context, and not a page with tokens, or one that only pairs.
 */
export function canJoinLater(error: unknown): boolean {
  const { name, reason } = error as Partial<JoinError>
  return name === 'JoinError' && reason !== 'insecure'
}

/**
 * What the connection is for after both proofs: to serve a page, or `open`: `watch` for the gateway's
 * traffic, or an MCP endpoint such as `/mcp` or `/mcp/notes`.
 */
export type ConnectionPurpose =
  /** `sequences`: the page reads several messages in one frame. */
  { readonly hello: Hello; readonly sequences?: true } | { readonly open: string }

/** The page's side of one handshake, message by message. */
export interface Handshake {
  /** The first message, JSON text; to be sent when the socket is open. */
  readonly firstMessage: string
  /**
   * Checks the gateway's proof.
   *
   * @param message - the gateway's first message, parsed
   * @param purpose - default: only to make a key
   * @returns the answer to send, JSON text
   * @throws JoinError `not-my-gateway` if the proof is wrong
   */
  prove(message: unknown, purpose?: ConnectionPurpose): Promise<string>
  /**
   * Reads the gateway's second message, parsed: the name that it gave the page, the key to save, and whether it
   * reads several messages in one frame.
   *
   * @throws JoinError `not-my-gateway` if {@link Handshake.prove} did not succeed before
   */
  finish(message: unknown): { name: string; pairing: Pairing; sequences: boolean }
}

/**
 * Starts the page's side of a handshake. Needs WebCrypto, hence a secure context.
 *
 * @param address - the WebSocket address that the page opens; part of both proofs
 */
export function startHandshake(address: string, credential: Credential): Handshake {
  const mine = crypto.getRandomValues(new Uint8Array(32))
  let known: { gateway: string; key: CryptoKey } | undefined
  const { kind, id } = credential
  const { keyId, isUsed = false } = credential.kind === 'secret' ? credential : {}

  return {
    firstMessage: JSON.stringify({
      pagemcp: 1,
      nonce: toBase64Url(mine),
      address,
      ...(isUsed ? { key: keyId } : { [kind]: id }),
    }),

    async prove(message, purpose) {
      const { gateway, nonce, proof } = message as Record<string, unknown>
      if (typeof gateway !== 'string' || typeof nonce !== 'string' || typeof proof !== 'string') {
        throw unknownGateway(address)
      }
      if (credential.kind === 'key' && credential.gateway !== gateway) throw unknownGateway(address)
      const key = credential.kind === 'key' ? credential.key : await derive(credential, gateway)
      const parts = [mine, decoded(nonce), utf8(self.origin), utf8(gateway), utf8(address)]
      const isRight = await crypto.subtle.verify(
        'HMAC',
        key,
        decoded(proof),
        prefixed([utf8('pagemcp/1 gateway'), ...parts]),
      )
      if (!isRight) throw unknownGateway(address)
      known = { gateway, key }
      const own = await crypto.subtle.sign(
        'HMAC',
        key,
        prefixed([utf8('pagemcp/1 page'), ...parts]),
      )
      const proofOfPage = toBase64Url(new Uint8Array(own))
      const answer = { proof: proofOfPage, hello: null, key: isUsed ? undefined : keyId }
      return JSON.stringify({ ...answer, ...(purpose ?? { pair: true }) })
    },

    finish(message) {
      const { key: keyId } = message as Record<string, unknown>
      if (typeof keyId !== 'string' || known === undefined) throw unknownGateway(address)
      return { ...readJoined(message), pairing: { address, keyId, ...known } }
    },
  }
}

/** Reads what all gateways send as their last message of the handshake, parsed. `name` is empty for a page that only pairs. */
export function readJoined(message: unknown): { name: string; sequences: boolean } {
  const { joined, sequences } = message as Record<string, unknown>
  return { name: typeof joined === 'string' ? joined : '', sequences: sequences === true }
}

function unknownGateway(address: string): JoinError {
  return new JoinError('not-my-gateway', `not my gateway at ${address}: its proof is wrong`)
}

/** HKDF-SHA-256 (RFC 5869): a key for this origin and this gateway, not extractable. */
async function derive({ secret }: { secret: string }, gateway: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', decoded(secret), 'HKDF', false, [
    'deriveKey',
  ])
  const info = utf8(`pagemcp/1 key ${self.origin}`)
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: utf8(gateway), info },
    material,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  )
}

/** Each part after its length in four bytes: different lists of parts have different bytes. */
function prefixed(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0))
  const view = new DataView(all.buffer)
  let at = 0
  for (const part of parts) {
    view.setUint32(at, part.length)
    all.set(part, at + 4)
    at += 4 + part.length
  }
  return all
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64Url(text)
  } catch {
    return new Uint8Array(0) // proves nothing
  }
}
