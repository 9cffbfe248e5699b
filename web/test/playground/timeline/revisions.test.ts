/** The revision of a row is what its connection declared, also after that closed, and of imported rows. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { active, connect, disconnect } from '../../../playground/connections/clients.ts'
import { store } from '../../../playground/messages/log.ts'
import { explainRow } from '../../../playground/protocol/explain.ts'
import { type Params, request, revisionOf } from '../../../playground/protocol/revisions.ts'
import { revisionAt } from '../../../playground/timeline/hints.ts'
import { newStore, push, serverOf } from '../stored.ts'

const own = newStore()
const say = (connection: number, direction: 'in' | 'out', message: unknown, to = own) =>
  push(to, direction, message, { connection })
const revision = (row: number) => revisionOf(own.revision(row))

const initialize = (protocolVersion: string, id = 1) => ({
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: {} },
})

test('the answer to initialize decides, and an envelope', () => {
  const first = say(1, 'out', initialize('2025-11-25'))
  assert.equal(revision(first), '2025-11-25')
  const answer = say(1, 'in', { id: 1, result: { protocolVersion: '2025-06-18' } })
  assert.equal(revision(first), '2025-06-18')
  assert.equal(revision(answer), '2025-06-18')
  assert.equal(revision(say(1, 'out', { id: 2, method: 'resources/list' })), '2025-06-18')

  const discover = say(1, 'out', request('2026-07-28', 3, 'server/discover'))
  assert.equal(revision(discover), '2026-07-28', 'the client has reconnected')
  assert.equal(revision(answer), '2025-06-18', 'earlier rows keep theirs')
})

test('rows without a handshake are explained by their form', () => {
  assert.equal(revision(say(2, 'out', { id: 1, method: 'resources/list' })), '2025-11-25')
  assert.equal(revision(say(3, 'out', request('2026-07-28', 1, 'tools/list'))), '2026-07-28')
  assert.equal(revision(say(4, 'in', { method: 'notifications/message' })), '2026-07-28')
  const old = say(5, 'out', initialize('2024-11-05'))
  assert.equal(revision(old), '2025-06-18', 'the oldest supported one')
  const one = say(6, 'out', initialize('2099-01-01'))
  assert.equal(revision(one), '2026-07-28')
})

test('a server cannot make a client into another revision, nor fill the memory', () => {
  say(7, 'out', request('2026-07-28', 1, 'tools/list'))
  say(7, 'in', { ...initialize('2025-06-18'), id: 'x' })
  const text = { 'io.modelcontextprotocol/protocolVersion': 'x'.repeat(1000) }
  for (let id = 0; id < 1000; id++) {
    say(7, 'out', { id, method: 'server/discover', params: { _meta: text } })
    text['io.modelcontextprotocol/protocolVersion'] = `${id}`
  }
  assert.ok((own.revision(own.length - 1)?.length ?? 0) <= 20)
  own.clear()
  const later = say(1, 'out', { id: 9, method: 'tools/list' })
  assert.equal(revision(later), '2026-07-28', 'the connection outlives the rows')
})

test('a closed connection of an older revision is explained as that', () => {
  const session = connect(serverOf(), { handshake: false })
  const { id } = session.connection
  say(id, 'out', initialize('2025-11-25'), store)
  say(id, 'in', { id: 1, result: { protocolVersion: '2025-11-25' } }, store)
  const row = say(
    id,
    'out',
    { id: 2, method: 'resources/subscribe', params: { uri: 'a:b' } },
    store,
  )
  disconnect(session)
  assert.equal(active.peek(), undefined)
  assert.equal(revisionAt(row), '2025-11-25')
  const links = explainRow(store, row, revisionAt(row)).links.map(({ url }) => url)
  assert.match(links[0] ?? '', /2025-11-25/)
  const { params } = store.message(row) as { params: Params }
  assert.deepEqual(params, { uri: 'a:b' })
})
