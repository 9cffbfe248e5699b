/** What an audience reads of a message, in words. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../../harness/texts.ts'
import { type Key, setLocale, t } from '../../../playground/base/i18n.ts'
import { type Turn, turnOf } from '../../../playground/lessons/chat-turns.ts'
import { Store } from '../../../playground/messages/store.ts'

await setLocale('en')

/** Pushes messages, each `> ` by the client or `< ` by the server; the turns that they make. */
function turnsOf(...messages: (string | [string, object | string])[]): (Turn | undefined)[] {
  const store = new Store((run) => run())
  const rows = messages.map((one) => {
    const [way, message] = typeof one === 'string' ? [one.slice(0, 1), one.slice(1)] : one
    return store.push({
      connection: 1,
      direction: way === '>' ? 'out' : way === '<' ? 'in' : 'world',
      framing: 'port',
      raw: typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  })
  return rows.map((row) => turnOf(store, row, '2026-07-28'))
}

/** A turn as the audience reads it. */
const read = (turn: Turn | undefined): string =>
  turn === undefined
    ? ''
    : [
        turn.from,
        turn.failed ? '!' : '',
        turn.says ? t(turn.says.key as Key, turn.says.params) : '',
        turn.quote,
      ]
        .filter(Boolean)
        .join(' | ')

const form = {
  method: 'elicitation/create',
  params: {
    message: 'Remove it?',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
  },
}
const sample = {
  method: 'sampling/createMessage',
  params: {
    systemPrompt: 'Be short.',
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum it up' } }],
  },
}

for (const { of, request, response, says } of [
  {
    of: 'a read',
    request: { method: 'resources/read', params: { uri: 'notes://today' } },
    response: { result: { contents: [{ uri: 'notes://today', text: '2 apples' }] } },
    says: ['client | Reads notes://today.', 'server | 2 apples'],
  },
  {
    of: 'a read of bytes',
    request: { method: 'resources/read', params: { uri: 'a:/b' } },
    response: { result: { contents: [{ uri: 'a:/b', mimeType: 'image/png', blob: 'AAAA' }] } },
    says: ['client | Reads a:/b.', 'server | image/png'],
  },
  {
    of: 'a call with arguments',
    request: {
      method: 'tools/call',
      params: { name: 'add', arguments: { name: 'Rome', days: 2, at: { x: 1, of: ['a', 'b'] } } },
    },
    response: { result: { content: [{ type: 'text', text: 'done' }, { type: 'image' }] } },
    says: ['client | Calls add. | name: Rome\ndays: 2\nat: x: 1, of: a, b', 'server | done\nimage'],
  },
  {
    of: 'a call that fails',
    request: { method: 'tools/call', params: { name: 'add' } },
    response: { result: { isError: true, content: [{ type: 'text', text: 'no room' }] } },
    says: ['client | Calls add.', 'server | ! | tool error | no room'],
  },
  {
    of: 'a list',
    request: { method: 'tools/list' },
    response: { result: { tools: [{ name: 'a', title: 'Add' }, { name: 'b' }] } },
    says: ['client | Requests one page of the list of tools.', 'server | Add\nb'],
  },
  {
    of: 'a prompt',
    request: { method: 'prompts/get', params: { name: 'plan', arguments: { city: 'Rome' } } },
    response: {
      result: { messages: [{ role: 'user', content: { type: 'text', text: 'Plan it' } }] },
    },
    says: [
      'client | Requests one prompt, with its arguments filled in. | plan\ncity: Rome',
      'server | Plan it',
    ],
  },
  {
    of: 'an error',
    request: { method: 'resources/read', params: { uri: 'x:/' } },
    response: { error: { code: -32602, message: 'Resource not found' } },
    says: ['client | Reads x:/.', 'server | ! | error -32602 | Resource not found'],
  },
  {
    of: 'a listener',
    request: {
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: ['a:/1', 'a:/2'] } },
    },
    response: { result: { resultType: 'complete' } },
    says: [
      'client | Opens a stream of notifications. It stays open, and its id identifies the subscription. | a:/1\na:/2',
      'server | ok',
    ],
  },
  {
    of: 'a result that asks the user first',
    request: { method: 'tools/call', params: { name: 'remove' } },
    response: { result: { resultType: 'input_required', inputRequests: { a: form, b: sample } } },
    says: [
      'client | Calls remove.',
      'server | input needed | Remove it?\nsure\nBe short.\nSum it up',
    ],
  },
  {
    of: 'the request that brings the input',
    request: {
      method: 'tools/call',
      params: {
        name: 'remove',
        inputResponses: {
          a: { action: 'accept', content: { sure: true } },
          b: { role: 'assistant', content: { type: 'text', text: 'Short.' } },
        },
      },
    },
    response: { result: { content: [] } },
    says: ['client | Calls remove. | accept\nsure: true\nShort.', 'server | ok'],
  },
  {
    of: 'a call that goes on as a task',
    request: { method: 'tools/call', params: { name: 'bake' } },
    response: {
      result: { resultType: 'task', taskId: 't', status: 'working', statusMessage: 'in the oven' },
    },
    says: ['client | Calls bake.', 'server | task | working\nin the oven'],
  },
])
  test(`in words: ${of}`, () => {
    const turns = turnsOf(['>', { id: 1, ...request }], ['<', { id: 1, ...response }])
    assert.deepEqual(turns.map(read), says)
  })

test('in words: what a server of an older revision asks of its client, and the response', () => {
  assert.deepEqual(
    turnsOf(
      ['<', { id: 7, ...form }],
      ['>', { id: 7, result: { action: 'decline' } }],
      ['<', { id: 8, ...sample }],
      ['>', { id: 8, result: { role: 'assistant', content: { type: 'text', text: 'Short.' } } }],
    ).map((turn) => [turn?.from, turn?.quote]),
    [
      ['server', 'Remove it?\nsure'],
      ['client', 'decline'],
      ['server', 'Be short.\nSum it up'],
      ['client', 'Short.'],
    ],
  )
})

test('in words: notifications, and nothing for pings, events and the end of a handshake', () => {
  assert.deepEqual(
    turnsOf(
      ['<', { method: 'notifications/resources/updated', params: { uri: 'notes://today' } }],
      ['<', { method: 'notifications/progress', params: { progress: 3, total: 5 } }],
      ['>', { id: 1, method: 'ping' }],
      ['>', { method: 'notifications/initialized' }],
      ['*', 'closed'],
    ).map(read),
    [
      'server | A resource has changed. Read it for the new contents. | notes://today',
      'server | Reports the progress of a request that has a progressToken. | 3/5',
      '',
      '',
      '',
    ],
  )
})

test('whatever a peer sends, a turn is short and throws nothing', () => {
  const long = 'x'.repeat(100_000)
  const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `n${i}${long.slice(0, 100)}` }))
  const deep = `${'{"content":['.repeat(20_000)}${']}'.repeat(20_000)}`
  const turns = turnsOf(
    `>${long}`,
    '<[]',
    '<{"id":1,"result":null}',
    ['<', { error: long }],
    ['<', { id: 2, result: { tools: many } }],
    ['<', { id: 2, result: { completion: { values: [1, long] }, contents: 7 } }],
    `<{"jsonrpc":"2.0","id":3,"result":${deep}}`,
    ['>', { id: 3, method: long, params: { name: long, arguments: { [long]: long } } }],
    ['>', { id: 4, method: 'tools/call', params: { name: 'a', arguments: many } }],
    `>{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"a","arguments":${deep}}}`,
    `<{"jsonrpc":"2.0","id":6,"result":{"content":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    ['<', { id: 5, method: 'elicitation/create', params: [1] }],
  )
  for (const turn of turns) assert.ok(read(turn).length < 600, read(turn).slice(0, 600))
})
