/** What of a connection may be shown, stored and shared. */

export { isSecretName, isSecretValue, redactUrl } from 'pagemcp'

/** What stands for a value that is kept back. */
const hidden = '…'

/** Headers whose values are kept back wherever they are shown, in lower case. */
const secretHeaders =
  /^(authorization|proxy-authorization|cookie|set-cookie|mcp-session-id)$|token|secret|key|auth/

/** Headers as they may be shown: in lower case, and without the values of secrets. */
export function shownHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    shown[lower] = lower !== 'www-authenticate' && secretHeaders.test(lower) ? hidden : value
  }
  return shown
}
