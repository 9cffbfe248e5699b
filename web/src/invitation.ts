/**
 * The invitation that a gateway puts into the fragment of a page's URL: where it is, and a secret.
 * It is read and erased when this module is loaded, before other scripts of the page can run, so
 * that it gets into no history, referrer or bookmark (security.md S15).
 */

import { fromBase64Url } from './base64url.ts'

/** `#pagemcp=` and base64url of JSON. */
export interface Invitation {
  /** The WebSocket address of the gateway. */
  readonly url: string
  /** Of the secret. */
  readonly id: string
  /** 32 bytes, base64url. It is good for one joining, soon. */
  readonly secret: string
}

/** The invitation that this document was opened with. */
export const invitation: Invitation | undefined = take()

function take(): Invitation | undefined {
  if (typeof location === 'undefined' || typeof history === 'undefined') return undefined
  const found = /[#&]pagemcp=([A-Za-z0-9_-]+)/.exec(location.hash)
  if (!found) return undefined
  const rest = location.hash.replace(found[0], '').replace(/^[#&]+/, '')
  history.replaceState(
    history.state,
    '',
    location.pathname + location.search + (rest === '' ? '' : `#${rest}`),
  )
  return read(found[1] as string)
}

/** Reads what somebody has pasted: a link, or its end, with blanks around; `undefined` if it is none. */
export function pasted(text: string): Invitation | undefined {
  const found = /^(?:[^\s#]*#(?:\S*&)?)?(?:pagemcp=)?([A-Za-z0-9_-]+)$/.exec(text.trim())
  return found ? read(found[1] as string) : undefined
}

/** Reads the text after `pagemcp=`; `undefined` if it is not an invitation. */
export function read(text: string): Invitation | undefined {
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
