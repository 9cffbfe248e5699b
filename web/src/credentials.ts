/**
 * Chooses what a page proves itself to a gateway with: its saved key before an invitation, since anybody
 * can make a link. An invitation replaces a key only after the user has confirmed that.
 */

import type { Dial } from './gateway-types.ts'
import type { Credential, Pairing } from './handshake.ts'
import type { Invitation } from './invitation.ts'
import { findPairing, reserveKeyId } from './pairings.ts'

/** The question to the user: change from the paired gateway to the invited one? */
export interface GatewayQuestion {
  /** The address of the gateway that a link invites to. */
  readonly invited: string
  /** The address of the gateway that the page has a key for; may be the same address. */
  readonly paired: string
}

/** One attempt to join. */
export interface Pass {
  readonly address: string
  readonly credential: Credential
}

export interface Credentials {
  /**
   * The next credential to try; `undefined`: none. Waits for the user's decision if one is needed. Rejects if
   * keys cannot be read and the page has no other credential.
   */
  next(): Promise<Pass | undefined>
  /**
   * The gateway rejected this credential, or is another one: `byOther`. Returns whether there is another to try.
   */
  refused(credential: Credential, byOther: boolean): Promise<boolean>
  /** The page has joined: the invitation is used up. The key of that connection is used if none can be read later. */
  joined(pairing?: Pairing): void
  /**
   * The gateway has taken this, and only keys are wanted: if it was a key, so that the gateway has proved who it
   * is, the invitation comes next. Returns whether there is one.
   */
  renews(credential: Credential): boolean
}

/** @param confirm - shows the question to the user; false: the page keeps its gateway */
export function credentials(
  { gateways, invitation, isChosen = false }: Pick<Dial, 'gateways' | 'invitation' | 'isChosen'>,
  confirm: (question: GatewayQuestion) => Promise<boolean>,
): Credentials {
  let invited = invitation
  let keyFailed = false // the key for the gateway that invites
  let isUsed = false // the gateway has refused the secret: another document of this profile may have used it
  let confirmed = isChosen
  let own: Pairing | undefined // of this connection

  /** The key of this connection replaces one that cannot be read, or could not be saved. */
  const savedOrOwn = async () => {
    const saved = await findPairing(gateways).catch((error: unknown) => {
      if (own === undefined) throw error
      return undefined
    })
    if (saved !== undefined || own === undefined) return saved
    const { address, gateway, keyId: id, key } = own
    return { address, credential: { kind: 'key', id, gateway, key } as const }
  }
  /** An invitation is enough to join: keys that cannot be read are none then. */
  const besideInvitation = (addresses: readonly string[]) =>
    findPairing(addresses).catch(() => undefined)

  return {
    async next() {
      if (invited !== undefined) {
        const known = keyFailed ? undefined : await besideInvitation([invited.url])
        if (known !== undefined) return known
        const paired = confirmed ? undefined : await besideInvitation(gateways)
        if (paired !== undefined) {
          const question = { invited: invited.url, paired: paired.address }
          confirmed = await confirm(question).catch(() => false) // in doubt the page keeps its gateway
        }
        if (paired === undefined || confirmed) return withSecret(invited, isUsed)
        invited = undefined
      }
      return savedOrOwn()
    },
    async refused(credential, byOther) {
      if (invited === undefined) return false
      if (credential.kind === 'key') {
        keyFailed = true
        return true
      }
      if (!byOther && !isUsed && credential.keyId !== undefined) {
        isUsed = true
        return true
      }
      invited = undefined // it was used elsewhere, or is too old
      return (await savedOrOwn()) !== undefined
    },
    joined(pairing) {
      invited = undefined
      own = pairing
    },
    renews(credential) {
      if (credential.kind === 'key') keyFailed = confirmed = true
      return credential.kind === 'key' && invited !== undefined
    },
  }
}

async function withSecret({ url, id, secret }: Invitation, isUsed: boolean): Promise<Pass> {
  const keyId = await reserveKeyId(url, id)
  return { address: url, credential: { kind: 'secret', id, secret, keyId, isUsed } }
}
