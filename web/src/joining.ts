/**
 * How a page joins a gateway: a mutual proof over a secret that the user carried from one to the
 * other. The gateway proves first; neither sends the secret. security.md §7.2, web/docs/protocol.md.
 *
 *     page     {"pagemcp":1, nonce, address, secret: its id}      or "key": the id of a kept key
 *     gateway  {gateway, nonce, proof}
 *     page     {proof, hello}
 *     gateway  {joined: the page's name, key: id}
 */

import { fromBase64Url, toBase64Url } from './base64url.ts'

/** The subprotocol of the WebSocket. */
export const subprotocol = 'pagemcp.v1'

/** What a page knows a gateway by. */
export type Credential =
  | { readonly kind: 'secret'; readonly id: string; readonly secret: string }
  | {
      readonly kind: 'key'
      readonly id: string
      readonly gateway: string
      readonly key: CryptoKey
    }

/** What a page says of itself after both proofs. */
export interface Hello {
  page: string
  instance: string
  name: string
  title?: string
  /** Without query and fragment. */
  url: string
  engine: string
}

/** A key that both sides keep after the first joining. */
export interface Pairing {
  readonly address: string
  readonly gateway: string
  readonly keyId: string
  readonly key: CryptoKey
}

/** Why a page is not joined, and will not be by trying again. */
export type JoinReason =
  /** There is neither an invitation nor a kept key: open the page by the gateway's link. */
  | 'not-invited'
  /** The secret or the key is void, or the page's origin is not on the gateway's list. */
  | 'refused'
  /** The page was opened with an invitation of a gateway that the app does not name; it was ignored. */
  | 'other-gateway'
  /** The program that listens there does not know the secret. */
  | 'not-my-gateway'
  /** The gateway speaks another version. */
  | 'unsupported'
  /** WebCrypto needs a secure context: https, or http on localhost. */
  | 'insecure'

/** Joining a gateway came to an end. */
export class JoinError extends Error {
  override readonly name = 'JoinError'
  readonly reason: JoinReason

  constructor(reason: JoinReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** What a page wants after both proofs: to be joined, or what a door of the gateway is opened for. */
export type Wish = { readonly hello: Hello } | { readonly open: string }

/** The page's side of one joining, message by message. */
export interface Joining {
  /** The first message. */
  readonly first: string
  /**
   * Checks the gateway's proof, and makes the answer to it; without a wish, to be paired.
   *
   * @throws JoinError `not-my-gateway` if the proof is wrong
   */
  prove(message: unknown, wish?: Wish): Promise<string>
  /** Reads the last message: the name the page got, and what to keep. */
  joined(message: unknown): { name: string; pairing: Pairing }
}

/** Begins a joining. `address` is what the page dials. */
export function joining(address: string, credential: Credential): Joining {
  const mine = crypto.getRandomValues(new Uint8Array(32))
  let known: { gateway: string; key: CryptoKey } | undefined

  return {
    first: JSON.stringify({
      pagemcp: 1,
      nonce: toBase64Url(mine),
      address,
      [credential.kind]: credential.id,
    }),

    async prove(message, wish) {
      const { gateway, nonce, proof } = message as Record<string, unknown>
      if (typeof gateway !== 'string' || typeof nonce !== 'string' || typeof proof !== 'string') {
        throw stranger(address)
      }
      if (credential.kind === 'key' && credential.gateway !== gateway) throw stranger(address)
      const key = credential.kind === 'key' ? credential.key : await derive(credential, gateway)
      const parts = [mine, decoded(nonce), utf8(self.origin), utf8(gateway), utf8(address)]
      const right = await crypto.subtle.verify(
        'HMAC',
        key,
        decoded(proof),
        joined([utf8('pagemcp/1 gateway'), ...parts]),
      )
      if (!right) throw stranger(address)
      known = { gateway, key }
      const own = await crypto.subtle.sign('HMAC', key, joined([utf8('pagemcp/1 page'), ...parts]))
      const answer = { proof: toBase64Url(new Uint8Array(own)), hello: null }
      return JSON.stringify({ ...answer, ...(wish ?? { pair: true }) })
    },

    joined(message) {
      const { joined: name, key: keyId } = message as Record<string, unknown>
      if (typeof keyId !== 'string' || known === undefined) throw stranger(address)
      return { name: String(name ?? ''), pairing: { address, keyId, ...known } }
    },
  }
}

function stranger(address: string): JoinError {
  return new JoinError('not-my-gateway', `not my gateway at ${address}: its proof is wrong`)
}

/** HKDF-SHA-256 (RFC 5869): a key for this origin and this gateway, which cannot be taken out. */
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

/** Each part after its length in four bytes, so that no two lists of parts look alike. */
function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
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
