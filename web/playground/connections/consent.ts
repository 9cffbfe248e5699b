/**
 * Hosts that the visitor has agreed to connect to. The playground's policy lets it connect anywhere, since that
 * is what it is for; so a host other than this machine is asked about once, before the first byte goes there.
 * A link, an import or a stored address never agrees.
 */

import { setting } from '../base/settings.ts'

/** How many hosts are kept; the oldest goes. */
const maxHosts = 200

const agreed = setting<readonly string[]>('connections.hosts', [])

/** The host and port to ask about before connecting to this address; `undefined`: none, or the visitor has agreed. */
export function hostNeedingConsent(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { host, hostname } = new URL(url)
  if (host === globalThis.location?.host || isThisMachine(hostname) || agreed.value.includes(host))
    return undefined
  return host
}

/** The visitor has agreed. */
export function agree(host: string): void {
  const others = agreed.peek().filter((one) => one !== host)
  agreed.value = [...others, host].slice(-maxHosts)
}

/** Whether a host name means this machine in every browser (Secure Contexts, "potentially trustworthy origin"). */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) // URL has written it in its one form
}
