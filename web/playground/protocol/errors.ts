/** Error codes: meaning, revisions, and place in the specification. */

import type { Key } from '../base/i18n.ts'
import { specUrl } from './methods.ts'
import { isModern, type Revision } from './revisions.ts'

const common = [-32700, -32600, -32601, -32602, -32603] as const
const special = {
  [-32002]: ['2025-06-18', '2025-11-25'],
  [-32042]: ['2025-11-25'],
  [-32020]: ['2026-07-28'],
  [-32021]: ['2026-07-28'],
  [-32022]: ['2026-07-28'],
} as const

/** Whether a revision allows a code. Codes outside -32768…-32000 are defined by servers. */
export function codeAllowed(revision: Revision, code: number): boolean {
  if (!Number.isInteger(code)) return false
  if (code < -32768 || code > -32000 || (common as readonly number[]).includes(code)) return true
  if (code in special) {
    return (special[code as keyof typeof special] as readonly string[]).includes(revision)
  }
  // JSON-RPC 2.0, section 5.1, leaves -32000…-32099 to servers; MCP 2026-07-28 reserves them
  return !isModern(revision) && code >= -32099
}

/** What a code means in a revision. */
export function codeKey(revision: Revision, code: number): Key {
  if (code === -32602 && isModern(revision)) return 'explain.code.-32602 2026-07-28'
  if ((common as readonly number[]).includes(code) || code in special) {
    return `explain.code.${code}` as Key
  }
  return code >= -32768 && code <= -32000 ? 'explain.code.reserved' : 'explain.code.own'
}

/** Where a code is defined. */
export function codeLink(revision: Revision, code: number): { title: string; url: string } {
  const at = (of: Revision, page: string) => ({ title: `${of} · ${page}`, url: specUrl(of, page) })
  switch (code) {
    case -32002:
      return at(isModern(revision) ? '2025-11-25' : revision, 'server/resources#error-handling')
    case -32042:
      return at('2025-11-25', 'client/elicitation')
    case -32020:
      return at('2026-07-28', 'basic/transports/streamable-http')
    case -32021:
      return at('2026-07-28', 'basic#error-codes')
    case -32022:
      return at('2026-07-28', 'basic/versioning')
    default:
      return isModern(revision)
        ? at(revision, 'basic#error-codes')
        : {
            title: 'JSON-RPC 2.0 · 5.1',
            url: 'https://www.jsonrpc.org/specification#error_object',
          }
  }
}
