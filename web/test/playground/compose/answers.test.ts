/** Fields and contents of elicitation forms, retries with inputs, and declared capabilities. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  declare,
  declareAndRetry,
  requiredOf,
} from '../../../playground/compose/client-capabilities.ts'
import { asksOf, pagesOf, retryWith } from '../../../playground/compose/retry.ts'
import {
  contentOf,
  inputOf,
  localTime,
  schemaFields,
} from '../../../playground/compose/schema-fields.ts'
import { openTask, taskRequests } from '../../../playground/compose/task.ts'
import { active, connect, disconnect } from '../../../playground/connections/clients.ts'
import type { TransportEvents } from '../../../playground/connections/transport.ts'
import { type Params, type Revision, request } from '../../../playground/protocol/revisions.ts'
import { serverOf } from '../stored.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2, maxLength: 9, default: 'Ana' },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    seats: { type: 'integer', minimum: 1, maximum: 5 },
    weight: { type: 'number' },
    window: { type: 'boolean', default: true },
    meal: { type: 'string', enum: ['a', 'b'], enumNames: ['Soup', 'Rice'] },
    fare: { oneOf: [{ const: 'x', title: 'Saver' }, { const: 'y' }], type: 'string' },
    tags: { type: 'array', items: { type: 'string', enum: ['q', 'r'] }, minItems: 1, maxItems: 2 },
    more: { type: 'array', items: { anyOf: [{ const: 'm', title: 'Extra' }] }, default: ['m'] },
  },
  required: ['name', 'seats'],
}

test('each type of the specification has its field', () => {
  const fields = schemaFields(schema)
  assert.deepEqual(
    fields.map(({ name, kind, input }) => [name, kind, input]),
    [
      ['name', 'text', 'text'],
      ['mail', 'text', 'email'],
      ['day', 'text', 'date'],
      ['at', 'text', 'datetime-local'],
      ['seats', 'number', 'number'],
      ['weight', 'number', 'number'],
      ['window', 'choice', 'text'],
      ['meal', 'choice', 'text'],
      ['fare', 'choice', 'text'],
      ['tags', 'many', 'text'],
      ['more', 'many', 'text'],
    ],
  )
  const [name, , , , seats] = fields
  assert.deepEqual([name?.min, name?.max, name?.initial, name?.required], [2, 9, 'Ana', true])
  assert.deepEqual([seats?.min, seats?.max, seats?.whole], [1, 5, true])
  assert.deepEqual(
    fields.slice(6).map(({ choices }) => choices.map(({ title }) => title)),
    [['true', 'false'], ['Soup', 'Rice'], ['Saver', 'y'], ['q', 'r'], ['Extra']],
  )
  assert.deepEqual([fields[9]?.min, fields[9]?.max], [1, 2])
})

test('the content has the types of the schema, and no empty members', () => {
  const fields = schemaFields(schema)
  const given = ['Bo', '', '2026-11-22', '', '3', '1.5', 'false', '"b"', '', ['"q"', '"r"'], []]
  assert.deepEqual(
    contentOf(fields, (index) => given[index] ?? ''),
    {
      name: 'Bo',
      day: '2026-11-22',
      seats: 3,
      weight: 1.5,
      window: false,
      meal: 'b',
      tags: ['q', 'r'],
    },
  )
  const at = schemaFields({ properties: { at: { type: 'string', format: 'date-time' } } })
  const time = '2026-11-22T10:30:00.000Z'
  assert.deepEqual(
    contentOf(at, () => localTime(time)),
    { at: time },
  )
})

test('an enumeration of numbers is a choice, and a type may be nullable', () => {
  const [seat, name] = schemaFields({
    properties: { seat: { type: 'integer', enum: [1, 2] }, name: { type: ['null', 'string'] } },
  })
  assert.deepEqual([seat?.kind, name?.kind], ['choice', 'text'])
  assert.deepEqual(seat && contentOf([seat], () => '2'), { seat: 2 })
})

test('hostile schemas are bounded, and names of the prototype are names', () => {
  const raw = `{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"boolean"},
    "toString":{"type":"string","format":"constructor","minLength":-1,"maxLength":1e99,"default":{"a":1}},
    "odd":{"type":["string"],"enum":"abc","items":7},"none":null}}`
  const fields = schemaFields(JSON.parse(raw))
  const content = contentOf(fields, () => 'x')
  assert.equal(
    JSON.stringify(content),
    '{"__proto__":"x","constructor":"x","toString":"x","odd":"x","none":"x"}',
  )
  assert.equal(Object.getPrototypeOf(content), Object.prototype)
  assert.equal(fields[2]?.min, undefined)
  assert.equal(fields[2]?.input, 'text')
  assert.deepEqual(schemaFields('x'), [])
  assert.deepEqual(schemaFields({ properties: [] }), [])
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, {}]))
  assert.equal(schemaFields({ properties: many }).length, 100)
  const big = { a: { enum: Array.from({ length: 9999 }, (_, i) => 'x'.repeat(2000) + i) } }
  const [field] = schemaFields({ properties: big })
  assert.equal(field?.choices.length, 200)
  assert.equal(field?.choices[0]?.title.length, 500)
  assert.equal(field?.choices[0]?.json.length, 2003, 'the value stays as it is')
  let deep: unknown = {}
  for (let i = 0; i < 50_000; i++) deep = { properties: { a: deep } }
  assert.equal(schemaFields(deep).length, 1)
  const [odd] = schemaFields({ properties: { a: { default: deep } } })
  assert.equal(odd && inputOf(odd, odd.initial), '')
})

test('the retry has the responses, the state and another id, and nothing of the last retry', () => {
  const ask = { id: 4, method: 'tools/call', params: { name: 'x', requestState: 'old', _meta: {} } }
  const answer = JSON.stringify({
    id: 4,
    result: {
      resultType: 'input_required',
      requestState: 'new',
      inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?' } }, y: 7 },
    },
  })
  assert.deepEqual(asksOf(answer), [
    { key: 'who', method: 'elicitation/create', params: { message: 'Who?' } },
    { key: 'y', method: '', params: {} },
  ])
  assert.deepEqual(retryWith(JSON.stringify(ask), answer, { who: { action: 'decline' } }, 9), {
    id: 9,
    method: 'tools/call',
    params: {
      name: 'x',
      _meta: {},
      inputResponses: { who: { action: 'decline' } },
      requestState: 'new',
    },
  })
  assert.equal(asksOf('{"result":{}}'), undefined)
})

test('input for a task is sent by tasks/update, and a task that goes on can be followed', () => {
  const meta = { [capabilities]: { extensions: { [tasks]: {} } } }
  const ask = { id: 4, method: 'tasks/get', params: { taskId: 't1', _meta: meta } }
  const result = {
    resultType: 'complete',
    taskId: 't1',
    status: 'input_required',
    inputRequests: { ok: { method: 'elicitation/create', params: { message: 'Sure?' } } },
  }
  const answer = JSON.stringify({ id: 4, result })
  assert.deepEqual(
    asksOf(answer)?.map(({ key }) => key),
    ['ok'],
  )
  const responses = { ok: { action: 'accept' } }
  assert.deepEqual(retryWith(JSON.stringify(ask), answer, responses, 9), {
    id: 9,
    method: 'tasks/update',
    params: { _meta: meta, taskId: 't1', inputResponses: responses },
  })
  const task = openTask(ask, JSON.parse(answer))
  assert.deepEqual(task && taskRequests.follow(task), {
    method: 'subscriptions/listen',
    params: { _meta: meta, notifications: { taskIds: ['t1'] } },
  })
  for (const odd of [{}, { result: { ...result, status: 'failed' } }, { result: 'x' }, null]) {
    assert.equal(openTask(ask, odd), undefined)
  }
})

const tasks = 'io.modelcontextprotocol/tasks'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'

const declared = (sent: readonly { params?: Params }[]) =>
  (sent.at(-1)?.params?._meta as Params | undefined)?.[capabilities]

async function client(spoken: Revision) {
  const sent: { id?: number; method?: string; params?: Params }[] = []
  const server = serverOf((message, say) => {
    sent.push(message)
    const result = { protocolVersion: spoken, capabilities: {}, serverInfo: {} }
    if (message.method === 'initialize') say({ id: message.id, result })
  })
  const session = connect(server, { handshake: false, as: spoken })
  await new Promise((resolve) => setTimeout(resolve))
  return { session, sent }
}

test('a switch declares in each envelope, and in the handshake of older revisions', async () => {
  const modern = await client('2026-07-28')
  await declare(modern.session, 'elicitation', true)
  void modern.session.request('tools/list')
  assert.deepEqual(declared(modern.sent), {
    elicitation: { form: {}, url: {} },
  })
  await declare(modern.session, 'elicitation', false)
  void modern.session.request('tools/list')
  assert.deepEqual(declared(modern.sent), {})
  await declare(modern.session, 'tasks', true)
  void modern.session.request('tools/list')
  assert.deepEqual(declared(modern.sent), { extensions: { [tasks]: {} } })
  await declare(modern.session, 'tasks', false)
  void modern.session.request('tools/list')
  assert.deepEqual(declared(modern.sent), {})
  disconnect(modern.session)

  const classic = await client('2025-06-18')
  await declare(classic.session, 'elicitation', true)
  const initialize = classic.sent.find(({ method }) => method === 'initialize')
  assert.deepEqual(initialize?.params?.capabilities, { elicitation: {} })
  disconnect(classic.session)
  assert.equal(active.peek(), undefined)
})

test('an error -32021 names what to declare, and the request is sent again with it', async () => {
  const { session, sent } = await client('2026-07-28')
  const ask = JSON.stringify(request('2026-07-28', 1, 'tools/call', { name: 'x' }))
  session.connection.send(ask)
  const answer = JSON.parse(`{"error":{"code":-32021,"data":{"requiredCapabilities":
    {"sampling":{"tools":{},"__proto__":{},"evil":1},"__proto__":{"a":1},"other":{}}}}}`)
  assert.deepEqual(requiredOf(answer), ['sampling'])
  await declareAndRetry(session, ask, answer)
  const again = sent.at(-1)
  assert.equal(again?.id, 2)
  assert.equal(again?.params?.name, 'x')
  assert.deepEqual(declared(sent), { sampling: { tools: {} } })
  assert.deepEqual(session.capabilities.peek(), { sampling: { tools: {} } })
  const required = { extensions: { [tasks]: {}, other: {} } }
  const needsTasks = { error: { code: -32021, data: { requiredCapabilities: required } } }
  assert.deepEqual(requiredOf(needsTasks), ['tasks'])
  await declareAndRetry(session, ask, needsTasks)
  assert.deepEqual(declared(sent), { sampling: { tools: {} }, extensions: { [tasks]: {} } })
  for (const odd of [null, 'x', { error: null }, { error: { data: { requiredCapabilities: [] } } }])
    assert.deepEqual(requiredOf(odd), [])
  disconnect(session)
})

test('pages of an error -32042 are asked for by URL', () => {
  const page = { url: 'https://a.example/', message: 'Sign in', elicitationId: '1', mode: 'form' }
  const error = (elicitations: unknown) => ({ error: { code: -32042, data: { elicitations } } })
  assert.deepEqual(pagesOf(error([page, null, 'x'])), [
    { key: '0', method: 'elicitation/create', params: { ...page, mode: 'url' } },
  ])
  assert.equal(pagesOf(error(new Array(1000).fill(page))).length, 10)
  for (const odd of [null, {}, error('x'), { error: { data: [] } }]) {
    assert.deepEqual(pagesOf(odd), [])
  }
})

test('a monitored client responds itself', async () => {
  let events: TransportEvents | undefined
  const dial = async (given: TransportEvents) => {
    events = given
    return { send() {}, close() {} }
  }
  const session = connect(serverOf(undefined, { kind: 'tap', readOnly: true, dial }))
  await new Promise((resolve) => setTimeout(resolve))
  for (const method of ['ping', 'elicitation/create']) {
    events?.observed('in', JSON.stringify({ jsonrpc: '2.0', id: method, method }), 'ws')
  }
  assert.deepEqual(session.asked.peek(), [])
  disconnect(session)
})
