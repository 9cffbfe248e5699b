// What a handler asks its client: modern clients by results, classic ones by requests. The handler waits, and runs once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { elicit, elicitUrl, roots, sample } from '../../src/index.ts'
import { errorOf, type Message, resultOf } from '../harness/client.ts'
import { type TestPage, testPage } from './page.ts'

const form = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name'],
} as const
const question = { mode: 'form', message: 'Who are you?', requestedSchema: form }
const able = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const capable = (capabilities: object) => ({
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})
const ada = { action: 'accept', content: { name: 'Ada' } }
const said = { role: 'assistant', content: { type: 'text', text: 'Hi Ada!' }, model: 'm' }
const folders = { roots: [{ uri: 'file:///home' }] }

/** A tool that asks in two rounds, and counts how often it runs. */
function greeter(page: TestPage) {
  const runs: object[] = []
  page.mcp.tool('greet', async (args, { ask }) => {
    runs.push(args)
    const { name } = await ask('Who are you?', form)
    const { model, home } = await ask({
      model: sample({
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
        maxTokens: 100,
      }),
      home: roots(),
    })
    const text = 'text' in model.content ? model.content.text : ''
    return `${text} You have ${home.roots.length} roots.`
  })
  return runs
}

interface Required {
  resultType: string
  inputRequests: Record<string, { method: string; params: Message }>
  requestState: string
}

test('a modern client is asked by results, and its next request continues the handler', async (t) => {
  const page = await testPage(t)
  const runs = greeter(page)
  const client = page.client()
  const call = async (more: object) =>
    client.askModern('tools/call', { name: 'greet', ...more }, undefined, capable(able))
  const first = resultOf<Required>(await call({}))
  assert.equal(first.resultType, 'input_required')
  assert.deepEqual(first.inputRequests, {
    answer: { method: 'elicitation/create', params: question },
  })
  const second = resultOf<Required>(
    await call({ inputResponses: { answer: ada }, requestState: first.requestState }),
  )
  assert.deepEqual(Object.keys(second.inputRequests), ['model', 'home'])
  // One of two, and one that is no answer: only that is asked for again.
  const wrong = { ...said, content: 'Hi' }
  const inputResponses = { model: wrong, home: folders, unknown: {} }
  const third = resultOf<Required>(
    await call({ inputResponses, requestState: second.requestState }),
  )
  assert.deepEqual(Object.keys(third.inputRequests), ['model'])
  const used = await call({ inputResponses, requestState: second.requestState })
  assert.equal(errorOf(used).code, -32602)
  const last = resultOf(
    await call({ inputResponses: { model: said }, requestState: third.requestState }),
  )
  assert.deepEqual(last.content, [{ type: 'text', text: 'Hi Ada! You have 1 roots.' }])
  assert.equal(runs.length, 1)
})

for (const version of ['2025-06-18', '2025-11-25']) {
  test(`a client of ${version} is asked by requests`, async (t) => {
    const page = await testPage(t)
    const runs = greeter(page)
    const client = page.client()
    await client.initialize(version, able)
    const asked: Message[] = []
    const reply = async (method: string, result: unknown) => {
      const request = await client.next((m) => m.method === method)
      asked.push(request)
      client.post({ jsonrpc: '2.0', id: request.id, result })
    }
    const answer = client.ask('tools/call', { name: 'greet' }, 'call')
    await reply('elicitation/create', ada)
    await Promise.all([reply('sampling/createMessage', said), reply('roots/list', folders)])
    const { content } = resultOf(await answer)
    assert.deepEqual(content, [{ type: 'text', text: 'Hi Ada! You have 1 roots.' }])
    for (const { params } of asked) {
      const { _meta } = params as { _meta: Message }
      assert.equal(_meta['io.github.pagemcp/request'], 'call') // whom it belongs to
    }
    assert.equal(new Set(asked.map(({ id }) => id)).size, 3)
    assert.equal(runs.length, 1)
  })
}

/** Answers each question of a classic client's call in turn. */
async function answered(page: TestPage, name: string, answers: readonly unknown[]) {
  const client = page.client()
  await client.initialize('2025-11-25', able)
  const answer = client.ask('tools/call', { name })
  for (const [i, result] of answers.entries()) {
    const isNth = (m: Message) =>
      client.got.filter(({ method }) => method === 'elicitation/create').indexOf(m) === i
    const request = await client.next(isNth)
    client.post({ jsonrpc: '2.0', id: request.id, result })
  }
  return resultOf(await answer)
}

test('what does not fit is asked for again; what a user declines is an error for the model', async (t) => {
  const page = await testPage(t)
  greeter(page)
  const result = await answered(page, 'greet', [
    { action: 'accept', content: {} }, // the name is missing
    { action: 'accept', content: { name: 1 } },
    { action: 'accept', content: { name: 'Ada', age: 1.5 } },
    { action: 'maybe' },
    { action: 'decline' },
  ])
  assert.equal(result.isError, true)
  assert.match(JSON.stringify(result.content), /The user declined/)
})

test('the answer has the type of the schema, and two questions follow each other', async (t) => {
  const page = await testPage(t)
  page.mcp.tool('book', async (_, { ask }) => {
    const [{ seat }, agreed] = await Promise.all([
      ask('Which seat?', z.object({ seat: z.string().regex(/^\d+[A-F]$/) })),
      ask('Sure?'),
    ])
    return `${seat.toLowerCase()} ${JSON.stringify(agreed)}`
  })
  const { content } = await answered(page, 'book', [
    { action: 'accept', content: { seat: 'window' } },
    { action: 'accept', content: { seat: '12A' } },
    { action: 'accept', content: {} },
  ])
  assert.deepEqual(content, [{ type: 'text', text: '12a {}' }])
})

test('a prompt may send the user to a page', async (t) => {
  const page = await testPage(t)
  page.mcp.prompt(
    'visit',
    async (_, { ask }) => (await ask(elicitUrl('Log in', 'https://example.com/login'))).action,
  )
  const client = page.client()
  const visit = (more = {}) =>
    client.askModern('prompts/get', { name: 'visit', ...more }, undefined, capable(able))
  const { inputRequests, requestState } = resultOf<Required>(await visit())
  assert.deepEqual(inputRequests.answer?.params, {
    mode: 'url',
    message: 'Log in',
    url: 'https://example.com/login',
  })
  const { messages } = resultOf<{ messages: { content: Message }[] }>(
    await visit({ inputResponses: { answer: { action: 'accept' } }, requestState }),
  )
  assert.equal(messages[0]?.content.text, 'accept')
})

test('a client that cannot be asked gets an error, unless the handler goes on without it', async (t) => {
  const page = await testPage(t)
  page.mcp.tool('asks', async (_, { ask }) => {
    await ask('Sure?')
  })
  page.mcp.tool('tries', (_, { ask }) => ask(elicit('Who?', form)).catch(() => 'not asked'))
  const client = page.client()
  const refused = await client.askModern('tools/call', { name: 'asks' }, undefined, capable({}))
  assert.equal(errorOf(refused).code, -32021)
  const tried = await client.askModern('tools/call', { name: 'tries' }, undefined, capable({}))
  assert.deepEqual(resultOf(tried).content, [{ type: 'text', text: 'not asked' }])
})

test('a question ends with its call', async (t) => {
  const page = await testPage(t)
  const ended = Promise.withResolvers<unknown>()
  page.mcp.tool('asks', async (_, { ask, signal }) => {
    await ask('Sure?').catch(() => ended.resolve(signal.aborted))
  })
  const client = page.client()
  await client.initialize('2025-11-25', able)
  void client.ask('tools/call', { name: 'asks' }, 'call')
  await client.next((m) => m.method === 'elicitation/create')
  client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } })
  assert.equal(await ended.promise, true)
})
