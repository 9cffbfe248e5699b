/**
 * Finds out why the browser shows nothing of an answer. It keeps the reason from scripts, on purpose: so
 * questions are asked that differ in one thing each, and what works and what does not tells the rest.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */

import type { Finding } from './finding.ts'

/** What a client of MCP sends, besides what a person adds. `*` in an answer does not cover Authorization. */
export const clientHeaders = [
  'Content-Type',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
] as const

/** How long one question may take. */
export const probeTimeout = 8_000 // ms

/** A harmless message, where it does not matter what is answered. */
const harmless = '{"jsonrpc":"2.0","id":0,"method":"ping"}'

/** Asks; `undefined`: the browser shows no answer, for whatever reason. */
export async function probe(url: string, init: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(url, {
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(probeTimeout),
      ...init,
    })
  } catch {
    return undefined
  }
}

/** Whether anybody answers there, readable or not. */
export async function answers(url: string): Promise<boolean> {
  const response = await probe(url, { mode: 'no-cors' })
  response?.body?.cancel().catch(() => {})
  return response !== undefined
}

/**
 * What is missing, when somebody answers and the browser does not show it.
 *
 * @param origin - ours
 * @param own - the names of headers that a person adds
 */
export async function diagnoseCors(
  url: string,
  origin: string,
  own: readonly string[],
): Promise<Finding> {
  const post = (headers: Record<string, string>) =>
    probe(url, { method: 'POST', headers, body: harmless })
  const wanted = [...clientHeaders, ...own]
  const allowHeaders = `Access-Control-Allow-Headers: ${wanted.join(', ')}`
  const allowOrigin = `Access-Control-Allow-Origin: ${origin}`

  // Neither of these headers needs to be asked for beforehand.
  const simple = await post({ 'Content-Type': 'text/plain', Accept: 'application/json' })
  const json = await post({ 'Content-Type': 'application/json' })
  if (json === undefined) {
    return simple === undefined
      ? {
          step: 'cors',
          state: 'bad',
          says: 'connections.doctor.noOrigin',
          lines: [allowOrigin, allowHeaders],
        }
      : {
          step: 'cors',
          state: 'bad',
          says: 'connections.doctor.noPreflight',
          lines: [allowOrigin, 'Access-Control-Allow-Methods: GET, POST, DELETE', allowHeaders],
        }
  }
  const refused: string[] = []
  for (const name of wanted.slice(1)) {
    const answer = await post({ 'Content-Type': 'application/json', [name]: 'x' })
    if (answer === undefined) refused.push(name)
  }
  return refused.length === 0
    ? { step: 'cors', state: 'bad', says: 'connections.doctor.sometimes' }
    : {
        step: 'cors',
        state: 'bad',
        says: 'connections.doctor.headersRefused',
        params: { names: refused.join(', ') },
        lines: [allowHeaders],
      }
}
