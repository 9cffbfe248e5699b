import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actions } from '../../../playground/base/actions.ts'
import { selected } from '../../../playground/base/state.ts'
import { connect, disconnect } from '../../../playground/connections/clients.ts'
import { inspectCommands } from '../../../playground/inspect/commands.ts'
import '../../harness/texts.ts'
import { serverOf } from '../stored.ts'

test('the key that sends again sends what only reads, and opens what may write in the composer', async (t) => {
  const sent: string[] = []
  const server = serverOf((_message, _say, text) => sent.push(text))
  const session = connect(server, { handshake: false })
  t.after(() => disconnect(session))
  await session.connection.open()
  const composed: string[] = []
  const { compose } = actions
  actions.compose = (text) => void composed.push(text)
  t.after(() => {
    actions.compose = compose
  })
  const again = inspectCommands.find(({ id }) => id === 'inspect.resend')
  const press = (method: string) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 900, method, params: { name: 'add' } })
    selected.value = session.connection.send(text)
    sent.length = 0
    again?.run?.()
    return text
  }
  press('resources/list')
  assert.equal(sent.length, 1)
  const call = press('tools/call')
  assert.deepEqual([sent, composed], [[], [call]])
})
