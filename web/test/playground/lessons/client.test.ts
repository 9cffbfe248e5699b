/** The client of a scenario. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Connection } from '../../../playground/connections/connection.ts'
import { inPage } from '../../../playground/connections/in-page.ts'
import { Session } from '../../../playground/connections/session.ts'
import { newClient } from '../../../playground/lessons/client.ts'
import { Store } from '../../../playground/messages/store.ts'

const patience = 50 // ms

test('the time for a message begins when the engine is loaded', async () => {
  const { port1, port2 } = new MessageChannel()
  const engine = Promise.withResolvers<MessagePort>()
  const dialer = inPage('slow', () => engine.promise)
  const session = new Session(
    new Connection(dialer, 'A', new Store((run) => queueMicrotask(run))),
    '2026-07-28',
  )
  const { signal } = new AbortController()
  const client = newClient({
    session,
    revision: undefined,
    memory: new Map(),
    patience,
    strict: true,
    signal,
  })
  void session.connection.open()
  const message = '{"jsonrpc":"2.0","method":"notifications/x"}'
  const expected = client.expect(message)
  await setTimeout(3 * patience)
  engine.resolve(port1)
  port2.postMessage(message)
  assert.equal(await expected, undefined)
  assert.deepEqual(await client.expect(message), { difference: undefined }, 'nothing more came')
  session.connection.close()
})
