/** A burst of ten thousand notifications: the report says how many the server left out. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, disconnect } from '../../../playground/connections/clients.ts'
import { burst, omitted } from '../../../playground/demo/burst.ts'
import { store } from '../../../playground/messages/log.ts'
import { serverOf } from '../stored.ts'

/** A server that sends only so many of the notifications. */
const server = (sent: number) =>
  serverOf(({ id, params }, say) => {
    const { progressToken } = params._meta
    for (let i = 0; i < sent; i++)
      say({ method: 'notifications/progress', params: { progressToken } })
    say({ id, result: { content: [] } })
  })

test('a burst says how many notifications the server left out', async () => {
  for (const [sent, left] of [
    [77, 9923],
    [10_000, 0],
  ] as const) {
    const session = connect(server(sent), { handshake: false })
    await burst()
    assert.equal(omitted.value, left)
    assert.equal(
      store.raw(store.length - 1),
      `burst: ${sent} came, ${left} left out by the server's rate limit`,
    )
    disconnect(session)
  }
})
