/** Completions that only the server knows: asked on the active session, so that they are in the timeline. */

import { active } from '../connections/clients.ts'
import type { CompletionQuery } from './complete.ts'

/** How long an answer may take to be of use while somebody types. */
const completionTimeout = 1500 // ms

/** What the server says could be meant; nothing if it does not say so in time. */
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
    return [] // aborted: something else was typed
  }
}
