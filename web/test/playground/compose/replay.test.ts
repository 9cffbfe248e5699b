/** Messages of the history, sent again on a new connection whose own requests have the same ids. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replay } from '../../../playground/compose/send.ts'
import { connect, disconnect } from '../../../playground/connections/clients.ts'
import { serverOf } from '../stored.ts'

const tick = () => new Promise((resolve) => setTimeout(resolve))

test('a replayed message does not take the response of a request that waits', async () => {
  const sent: { id: number; method: string; raw: string }[] = []
  let say: (message: object) => void = () => {}
  const server = serverOf((message, answer, raw) => {
    say = answer
    sent.push({ ...message, raw })
  })
  const session = connect(server, { handshake: false })
  await tick()
  const templates = session.request('resources/templates/list') // id 1, still in flight
  const read = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}'
  replay(read)
  replay(read.replace('"id":1', '"id": 40'))
  replay(read.replace('"id":1', '"id":"1"'))
  assert.deepEqual(
    sent.map(({ id, method }) => [id, method]),
    [
      [1, 'resources/templates/list'],
      [2, 'resources/read'],
      [40, 'resources/read'],
      ['1', 'resources/read'],
    ],
  )
  assert.ok(sent[2]?.raw.includes('"id": 40'), 'an unused id stays, byte for byte')
  say({ id: 2, result: { contents: [] } })
  say({ id: 1, result: { resourceTemplates: [] } })
  assert.deepEqual((await templates).result, { resourceTemplates: [] })
  disconnect(session)
})
