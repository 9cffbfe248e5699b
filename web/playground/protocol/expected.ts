/** What a message must be answered with, as far as the message itself decides that. */

import { messageProblems } from './message.ts'
import { methodNamed } from './methods.ts'
import type { Params, Revision } from './revisions.ts'

/**
 * The error codes of which a server must send one, for a malformed request or one of an unknown method; undefined: the
 * response depends on the server, or there is none.
 *
 * @param message - parsed; undefined: the text is not JSON
 */
export function expectedCodes(message: unknown, revision: Revision): readonly number[] | undefined {
  if (message === undefined) return [-32700]
  if (typeof message !== 'object' || message === null) return [-32600]
  const { jsonrpc, id, method, ...others } = message as Params
  const isNotification = typeof method === 'string' && id === undefined
  const isResponse = method === undefined && ('result' in others || 'error' in others)
  if (isNotification || isResponse) return undefined
  const hasId = typeof id === 'string' || Number.isInteger(id)
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !hasId) return [-32600]
  const known = methodNamed(revision, method)
  if (!known || known.inside || known.from === 'server') return [-32601]
  const [problem] = messageProblems(message, revision)
  if (!problem) return undefined
  // Over HTTP, headers that repeat the message are compared first.
  const about = problem.at[1]
  return about === undefined || about === '_meta'
    ? [-32602, -32600, -32020, -32022]
    : [-32602, -32020]
}
