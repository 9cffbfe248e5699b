/**
 * The invitation that a gateway puts into the fragment of a page's URL: the gateway's address and a
 * secret. Loading this module reads it and removes it from the address, before other scripts of the
 * page run, so that it gets into no history, referrer or bookmark. A reload within two minutes has it, too, until
 * the page has joined.
 */

import { fromBase64Url } from './base64url.ts'

/** An invitation by a gateway; in links `#pagemcp=` and base64url of JSON. */
export interface Invitation {
  /** The WebSocket address of the gateway, `ws:` or `wss:`. Untrusted: anybody can make a link. */
  readonly url: string
  /** The id of the secret. */
  readonly id: string
  /** 32 bytes, base64url. Valid once, for two minutes. */
  readonly secret: string
}

/** Where an invitation is kept for a reload of this tab: `{ text, time }`. */
const storageKey = 'pagemcp.invitation'

/** How long an invitation is valid, ms. */
const validFor = 120_000

/**
 * The invitation in the address that this document was opened with, or that the document had which it has replaced by a
 * reload. It is removed from the address, and stays here until the document ends.
 */
export const documentInvitation: Invitation | undefined = take() ?? kept()

/** Ends keeping the invitation for a reload: the page has joined, or was refused. */
export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // no storage
  }
}

function keep(text: string) {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ text, time: Date.now() }))
  } catch {
    // no storage: after a reload the page needs another invitation
  }
}

function kept(): Invitation | undefined {
  try {
    const { text, time } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
    const age = Date.now() - time
    if (typeof text === 'string' && age >= 0 && age < validFor) return decodeInvitation(text)
    forgetInvitation()
  } catch {
    // no storage, or an entry of others
  }
  return undefined
}

function take(): Invitation | undefined {
  if (typeof location === 'undefined' || typeof history === 'undefined') return undefined
  const found = /[#&]pagemcp=([A-Za-z0-9_-]+)/.exec(location.hash)
  if (!found) return undefined
  const rest = location.hash.replace(found[0], '').replace(/^[#&]+/, '')
  const url = new URL(location.href) // whole: a path that begins with // would be another host
  url.hash = rest
  try {
    history.replaceState(history.state, '', url)
  } catch {
    // too many calls, or a document whose address cannot be changed: the app must load all the same
  }
  const text = found[1] as string
  keep(text)
  return decodeInvitation(text)
}

/**
 * Reads an invitation that the user has pasted: a link, or the text after `#pagemcp=` in it. White space
 * around it is ignored.
 *
 * @returns `undefined` if the text is not an invitation
 */
export function parseInvitation(text: string): Invitation | undefined {
  const found = /^(?:[^\s#]*#(?:\S*&)?)?(?:pagemcp=)?([A-Za-z0-9_-]+)$/.exec(text.trim())
  return found ? decodeInvitation(found[1] as string) : undefined
}

/** Decodes the text after `pagemcp=`; `undefined` if it is not an invitation. */
export function decodeInvitation(text: string): Invitation | undefined {
  try {
    const json = new TextDecoder().decode(fromBase64Url(text))
    const { url, id, secret } = JSON.parse(json) as Record<string, unknown>
    if (typeof url !== 'string' || !/^wss?:\/\//.test(url)) return undefined
    if (typeof id !== 'string' || typeof secret !== 'string') return undefined
    return { url, id, secret }
  } catch {
    return undefined
  }
}
