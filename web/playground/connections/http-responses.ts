/** Responses to a POST: event streams, rejections, unexpected ids. */

import { createParser } from 'eventsource-parser'
import { t } from '../base/i18n.ts'
import type { HttpFacts } from '../messages/entry.ts'
import { type Parsed, parsed } from './http-headers.ts'

/**
 * Reads events until the stream ends or `receive` returns true for the last one. An incomplete event at the end
 * is dropped.
 */
export async function readEvents(
  response: Response,
  facts: HttpFacts,
  receive: (data: string, facts: HttpFacts) => boolean,
): Promise<{ lastId: string; retry?: number }> {
  let last = false
  let lastId = ''
  let retry: number | undefined
  const parser = createParser({
    onRetry(ms) {
      retry = ms
    },
    onEvent({ event: name, data, id }) {
      lastId = id ?? lastId
      if (data === '') return // a stream of 2025-11-25 begins with an event that has only an id
      const event = { ...(id !== undefined && { id }), ...(name !== undefined && { name }) }
      last = receive(data, { ...facts, event }) || last
    },
  })
  const decoder = new TextDecoder()
  try {
    const reader = response.body?.getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      parser.feed(decoder.decode(part.value, { stream: true }))
      if (last) await reader?.cancel()
    }
  } catch {
    // interrupted: complete events were delivered
  }
  return { lastId, retry }
}

/** Whether a body is JSON-RPC, not other JSON. */
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
 * Why a message does not respond to the request; undefined: it does, or there was no request. Servers that
 * require a session respond without the id, or with another one.
 */
export function mismatch({ id, method }: Parsed, body: string, status: number) {
  if (id === undefined || method === undefined || body.trimStart().startsWith('[')) return undefined
  const answer = parsed(body)
  if (answer.id === id) return undefined
  const { message } = (answer.error ?? {}) as { message?: unknown }
  return t('connections.refused', { status: String(status), said: String(message ?? '–') })
}

/** Whether a status rejects the client, whatever the message is. */
export const isAuthFailure = ({ status }: Response): boolean => status === 401 || status === 403

/**
 * The error message for a rejected request.
 *
 * @param hidden - whether the browser may hide a session id
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
