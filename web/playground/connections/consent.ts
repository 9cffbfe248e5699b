/**
 * Hosts that the user has confirmed. The playground's Content-Security-Policy allows connections to all hosts,
 * since connecting is its purpose; so each host other than this machine needs one confirmation before the
 * first byte is sent. A link, an import or a stored address never confirms.
 */

import { change, settings } from '../base/settings.ts'

/** Number of stored hosts; the oldest is removed. */
const maxHosts = 200

/**
 * The host and port that the user must confirm before a connection to this address; `undefined`: none, or
 * confirmed already.
 */
export function hostNeedingConsent(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { host, hostname } = new URL(url)
  const { hosts } = settings.value
  const isKnown =
    host === globalThis.location?.host || isThisMachine(hostname) || hosts.includes(host)
  return isKnown ? undefined : host
}

/** Stores a confirmation. */
export function agree(host: string): void {
  const others = settings.peek().hosts.filter((one) => one !== host)
  change({ hosts: [...others, host].slice(-maxHosts) })
}

/** Whether a host name means this machine in every browser (Secure Contexts, "potentially trustworthy origin"). */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) // the URL parser has normalised it
}

/** Methods without side effects on the server's data. */
const reading =
  /^(server\/discover|initialize|ping|completion\/complete|(resources|prompts|tools|resources\/templates|skills|tasks)\/list|resources\/(read|subscribe|unsubscribe)|subscriptions\/listen|(prompts|skills|tasks)\/get|tasks\/result|notifications\/(initialized|cancelled))$/

/** Whether a text is one message that only reads. */
export function readsOnly(text: string): boolean {
  try {
    const method: unknown = JSON.parse(text).method
    return typeof method === 'string' && reading.test(method)
  } catch {
    return false
  }
}

/** Whether a text is the answer to a ping: the only one of a view that only reads. */
export const answersPing = (text: string): boolean =>
  /^\{"jsonrpc":"2\.0","id":[^{}]+,"result":\{\}\}$/.test(text)
