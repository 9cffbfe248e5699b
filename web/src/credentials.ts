/**
 * What a page proves itself to a gateway with, and in which order: the key that it keeps comes before an
 * invitation, since anybody can make a link. An invitation replaces a key only after the user has
 * confirmed that. security.md §7.2.
 */

import type { Credential } from './handshake.ts'
import type { Invitation } from './invitation.ts'
import { findPairing } from './pairings.ts'

/** What the user is asked to decide. */
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
  /** What to try next; `undefined`: there is nothing. Waits for the user where that is needed. */
  next(): Promise<Pass | undefined>
  /** The gateway refused this, or is not the one that it is for. Returns whether there is something else to try now. */
  refused(credential: Credential): Promise<boolean>
  /** The page is joined: the invitation is not needed any more. */
  joined(): void
  /**
   * The gateway has taken this, and only keys are wanted: if it was a key, so that the gateway has proved who it
   * is, the invitation comes next. Returns whether there is one.
   */
  renews(credential: Credential): boolean
}

/**
 * @param gateways - addresses that the app names
 * @param invitation - of one of these gateways
 * @param isChosen - whether the user has chosen that invitation
 * @param confirm - asks the user; false: the page keeps the gateway that it has
 */
export function credentials(
  {
    gateways,
    invitation,
    isChosen = false,
  }: { gateways: readonly string[]; invitation?: Invitation; isChosen?: boolean },
  confirm: (question: GatewayQuestion) => Promise<boolean>,
): Credentials {
  let invited = invitation
  let keyFailed = false // the key for the gateway that invites
  let confirmed = isChosen

  return {
    async next() {
      if (invited !== undefined) {
        const known = keyFailed ? undefined : await findPairing([invited.url])
        if (known !== undefined) return known
        const paired = confirmed ? undefined : await findPairing(gateways)
        if (paired === undefined) return withSecret(invited)
        confirmed = await confirm({ invited: invited.url, paired: paired.address })
        if (confirmed) return withSecret(invited)
        invited = undefined
      }
      return findPairing(gateways)
    },
    async refused(credential) {
      if (invited === undefined) return false
      if (credential.kind === 'key') {
        keyFailed = true
        return true
      }
      invited = undefined // it was used or is too old
      return (await findPairing(gateways)) !== undefined
    },
    joined() {
      invited = undefined
    },
    renews(credential) {
      if (credential.kind === 'key') keyFailed = confirmed = true
      return credential.kind === 'key' && invited !== undefined
    },
  }
}

function withSecret({ url, id, secret }: Invitation): Pass {
  return { address: url, credential: { kind: 'secret', id, secret } }
}
