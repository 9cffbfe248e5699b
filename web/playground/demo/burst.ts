/** Ten thousand notifications at once, and how many of them the server left out. */

import { signal } from '@preact/signals'
import { active } from '../connections/clients.ts'
import { recordEvent, store } from '../messages/log.ts'
import { bigList } from './serve.ts'

/** How many notifications of the last burst were not sent. */
export const omitted = signal<number | undefined>(undefined)

/** Requests ten thousand notifications, the progress of a tool that counts, and counts the notifications that arrive. */
export async function burst(): Promise<void> {
  const session = active.peek()
  if (session === undefined) return
  recordEvent(`burst of ${bigList} notifications`)
  let received = 0
  const stop = session.connection.watch((row) => {
    if (store.method(row) === 'notifications/progress') received++
  })
  await session.request('tools/call', {
    name: 'count',
    arguments: { to: bigList },
    _meta: { progressToken: `burst-${session.nextId()}` },
  })
  stop()
  omitted.value = bigList - received
  recordEvent(`burst: ${received} came, ${omitted.value} left out by the server's rate limit`)
}
