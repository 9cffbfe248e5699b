/** Completions from the server, requested through the active session, so the timeline shows them. */

import { active } from '../connections/clients.ts'
import type { CompletionQuery } from './complete.ts'

/** Timeout: a later response is of no use while the user types. */
const completionTimeout = 1500 // ms

/** The server's completions; none after the timeout. */
export async function complete(
  { ref, argument, context }: CompletionQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const session = active.peek()
  if (session === undefined || session.connection.state.peek() !== 'open') return []
  const until = AbortSignal.any([signal, AbortSignal.timeout(completionTimeout)])
  try {
    const { result } = await session.request(
      'completion/complete',
      { ref, argument, ...(context && { context }) },
      { signal: until },
    )
    const values = (result?.completion as { values?: unknown } | undefined)?.values
    return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : []
  } catch {
    return [] // aborted: the user typed on
  }
}
