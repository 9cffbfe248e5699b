/**
 * Diagnoses why the browser hides a response. Scripts do not get the reason, by design, so probes are sent
 * that differ in one respect each.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */

import type { Finding } from './finding.ts'

/** Headers of an MCP client, besides those of the user. `*` in a response does not cover Authorization. */
export const clientHeaders = [
  'Content-Type',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
] as const

/** Timeout of one probe. */
export const probeTimeout = 8_000 // ms

/** A message without effect; its response does not matter. */
const harmless = '{"jsonrpc":"2.0","id":0,"method":"ping"}'

/** Sends a probe; `undefined`: the browser shows no response, for any reason. */
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

/** Whether a server responds, readable or not. */
export async function answers(url: string): Promise<boolean> {
  const response = await probe(url, { mode: 'no-cors' })
  response?.body?.cancel().catch(() => {})
  return response !== undefined
}

/**
 * Which CORS headers are missing, if a server responds and the browser hides the response.
 *
 * @param origin - of the playground
 * @param own - names of the user's headers
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

  // These headers need no preflight.
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
