/** Removes secrets from what is shown, stored and shared. */

import { isSecretHeader } from '../../src/redact.ts'

export { redactUrl } from '../../src/redact.ts'

/** Replaces a hidden value. */
const hidden = '…'

/** Headers in lower case, without the values of secrets. */
export function shownHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of headers) {
    shown[name.toLowerCase()] = isSecretHeader(name) ? hidden : value
  }
  return shown
}
