/** What comes back for a POST, as far as it can be judged by itself: event streams, refusals, odd ids. */

import { t } from '../base/i18n.ts'
import type { HttpFacts } from '../messages/store.ts'
import { type Parsed, parsed } from './http-headers.ts'
import { EventParser } from './sse.ts'

/**
 * Reads events until a stream ends, whichever way, or `hear` says that it was the last. What was not
 * whole when it broke off is lost.
 */
export async function readEvents(
  response: Response,
  facts: HttpFacts,
  hear: (data: string, facts: HttpFacts) => boolean,
): Promise<{ lastId: string; retry?: number }> {
  let last = false
  const parser = new EventParser(({ name, data, id }) => {
    if (data === '') return // 2025-11-25 begins a stream with an id and nothing else
    const event = { ...(id !== '' && { id }), ...(name !== '' && { name }) }
    last = hear(data, { ...facts, event }) || last
  })
  const decoder = new TextDecoder()
  try {
    const reader = response.body?.getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      parser.push(decoder.decode(part.value, { stream: true }))
      if (last) await reader?.cancel()
    }
  } catch {
    // broken off: what was whole has been told
  }
  return { lastId: parser.lastId, retry: parser.retry }
}

/** Whether a body is JSON-RPC, and not just JSON. */
export function isMessage(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown
    return (
      typeof value === 'object' && value !== null && (Array.isArray(value) || 'jsonrpc' in value)
    )
  } catch {
    return false
  }
}

/**
 * Why a message is no answer to a request; undefined: it is one, or nothing was asked. Servers that want
 * a session first answer without the id, or with one of their own.
 */
export function mismatch({ id, method }: Parsed, body: string, status: number) {
  if (id === undefined || method === undefined || body.trimStart().startsWith('[')) return undefined
  const answer = parsed(body)
  if (answer.id === id) return undefined
  const { message } = (answer.error ?? {}) as { message?: unknown }
  return t('connections.refused', { status: String(status), said: String(message ?? '–') })
}

/** Whether a refusal is about whoever asks, whatever it is. */
export const isAuthFailure = ({ status }: Response): boolean => status === 401 || status === 403

/**
 * What a refusal says, for people.
 *
 * @param hidden - whether there may be a session whose id the browser does not show
 */
export function rejectionText(response: Response, body: string, hidden: boolean): string {
  const { status, statusText, headers } = response
  if (isAuthFailure(response)) {
    const challenge = headers.get('www-authenticate')
    return t('connections.unauthorized', { status: String(status), challenge: challenge ?? '–' })
  }
  if (status === 400 && hidden) return t('connections.sessionHidden')
  const said = body.slice(0, 200).replace(/\s+/g, ' ')
  return t('connections.refused', { status: `${status} ${statusText}`.trim(), said: said || '–' })
}
