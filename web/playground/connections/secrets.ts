/** What of a connection may be shown, stored and shared. */

import { isSecretHeader } from 'pagemcp/redaction'

export { isSecretName, isSecretValue, redactUrl } from 'pagemcp/redaction'

/** What stands for a value that is kept back. */
const hidden = '…'

/** Headers as they may be shown: in lower case, and without the values of secrets. */
export function shownHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of headers) {
    shown[name.toLowerCase()] = isSecretHeader(name) ? hidden : value
  }
  return shown
}
