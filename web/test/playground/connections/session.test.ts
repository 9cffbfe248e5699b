import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  active,
  connect,
  disconnect,
  revision,
  sessions,
} from '../../../playground/connections/clients.ts'
import type { GatewayMessage } from '../../../playground/connections/gateway-message.ts'
import { monitorPage } from '../../../playground/connections/monitor.ts'
import { openConnection } from '../../../playground/connections/open.ts'
import { until } from '../../harness/client.ts'
import { serverOf } from '../stored.ts'

/** Answers each request with an empty result. */
const server = serverOf(({ id }, say) => say({ id, result: {} }))

test('of two subscriptions of an older revision that overlap, none is lost', async () => {
  const session = connect(server, { handshake: false, as: '2025-11-25', temporary: true })
  const uris = () => session.wanted.value.resourceSubscriptions
  await Promise.all(['a://1', 'a://2'].map((uri) => session.subscribe(uri)))
  assert.deepEqual(uris(), ['a://1', 'a://2'])
  await Promise.all([session.unsubscribe('a://1'), session.subscribe('a://3')])
  assert.deepEqual(uris(), ['a://2', 'a://3'])
  disconnect(session)
})

test('the message of another assistant does not change the active client', async () => {
  let say: (message: GatewayMessage) => void = () => {}
  monitorPage('notes', connect, {
    onMonitoredMessage(listener) {
      say = listener
      return () => {}
    },
    startMonitoring: async () => {},
  })
  const first = sessions.peek().at(-1)
  assert.ok(first && active.peek() === first, 'the user asked for it')
  await Promise.resolve() // the monitoring has started
  for (const client of ['claude', 'other'])
    say({
      door: '/mcp',
      page: 'notes',
      to: 'page',
      who: 'token',
      client,
      text: '{}',
    } as GatewayMessage)
  assert.equal(sessions.peek().length, 2)
  assert.ok(active.peek() === first)
  for (const session of sessions.peek()) disconnect(session)
})

test('a server that wants another revision changes no client that became active meanwhile', async () => {
  const classic = serverOf(({ id, method }, say) =>
    say({ id, ...(method === 'initialize' ? { result: {} } : { error: { code: -32601 } }) }),
  )
  const old = openConnection(classic)
  const user = connect(server)
  await until(() => old.revision.value === '2025-11-25', 'the client has the other revision')
  assert.deepEqual([user.revision.value, revision.value], ['2026-07-28', '2026-07-28'])
  for (const session of [old, user]) disconnect(session)
})
