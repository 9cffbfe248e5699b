// What a handler needs of its client: asked of modern clients by results, of classic ones by requests.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elicit, elicitUrl, NeedInputError, roots, sample } from '../../src/index.ts'
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

/** A tool that asks in two rounds, and counts how often it runs. */
function greeter(page: TestPage) {
  const runs: unknown[] = []
  page.mcp.tool('greet', (_, { need, state, inputs }) => {
    runs.push([state, Object.keys(inputs).sort()])
    const { who } = need({ who: elicit('Who are you?', form) }, { round: 1 })
    if (who.action !== 'accept') return `You said ${who.action}.`
    const { model, folders } = need({
      model: sample({
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who.content.name}` } }],
        maxTokens: 100,
      }),
      folders: roots(),
    })
    const text = 'text' in model.content ? model.content.text : ''
    return `${text} You have ${folders.roots.length} roots.`
  })
  return runs
}
const said = { role: 'assistant', content: { type: 'text', text: 'Hi Ada!' }, model: 'm' }
const folders = { roots: [{ uri: 'file:///home' }] }

interface Required {
  resultType: string
  inputRequests: Record<string, { method: string; params: Message }>
  requestState: string
}

test('a modern client is asked by results, and the handler runs anew with all answers so far', async (t) => {
  const page = await testPage(t)
  const runs = greeter(page)
  const client = page.client()
  const call = async (more: object) => {
    const params = { name: 'greet', ...more }
    return client.askModern('tools/call', params, undefined, capable(able))
  }
  const first = resultOf<Required>(await call({}))
  assert.equal(first.resultType, 'input_required')
  assert.deepEqual(first.inputRequests, {
    who: { method: 'elicitation/create', params: question },
  })
  const second = resultOf<Required>(
    await call({ inputResponses: { who: ada }, requestState: first.requestState }),
  )
  assert.deepEqual(Object.keys(second.inputRequests), ['model', 'folders'])
  // One of two, and one that is no answer: only that is asked for again.
  const wrong = { ...said, content: 'Hi' }
  const third = resultOf<Required>(
    await call({
      inputResponses: { model: wrong, folders, unknown: {} },
      requestState: second.requestState,
    }),
  )
  assert.deepEqual(Object.keys(third.inputRequests), ['model'])
  const last = resultOf(
    await call({ inputResponses: { model: said }, requestState: third.requestState }),
  )
  assert.deepEqual(last.content, [{ type: 'text', text: 'Hi Ada! You have 1 roots.' }])
  assert.deepEqual(runs, [
    [undefined, []],
    [{ round: 1 }, ['who']],
    [{ round: 1 }, ['folders', 'model', 'unknown', 'who']],
    [{ round: 1 }, ['folders', 'model', 'unknown', 'who']],
  ])
  const forged = await call({ requestState: `${third.requestState}x` })
  assert.equal(errorOf(forged).code, -32602)
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
    assert.equal(runs.length, 3)
  })
}

test('what a user declines is an answer; what does not fit the form is asked for again', async (t) => {
  const page = await testPage(t)
  greeter(page)
  const client = page.client()
  await client.initialize('2025-11-25', able)
  const answers = [
    { action: 'accept', content: {} }, // the name is missing
    { action: 'accept', content: { name: 1 } },
    { action: 'accept', content: { name: 'Ada', age: 1.5 } },
    { action: 'maybe' },
    { action: 'decline' },
  ]
  const answer = client.ask('tools/call', { name: 'greet' })
  for (const [i, result] of answers.entries()) {
    const isNth = (m: Message) =>
      client.got.filter(({ method }) => method === 'elicitation/create').indexOf(m) === i
    const request = await client.next(isNth)
    client.post({ jsonrpc: '2.0', id: request.id, result })
  }
  assert.deepEqual(resultOf(await answer).content, [{ type: 'text', text: 'You said decline.' }])
})

test('a prompt may send the user to a page, and state alone may be kept', async (t) => {
  const page = await testPage(t)
  page.mcp.prompt('visit', (_, { need }) => {
    const { visit } = need({ visit: elicitUrl('Log in', 'https://example.com/login') })
    return visit.action
  })
  page.mcp.tool('again', (_, { need, state }) => {
    need({}, 'kept')
    return `${state}`
  })
  const client = page.client()
  const visit = (more = {}) =>
    client.askModern('prompts/get', { name: 'visit', ...more }, undefined, capable(able))
  const { inputRequests } = resultOf<Required>(await visit())
  assert.deepEqual(inputRequests.visit?.params, {
    mode: 'url',
    message: 'Log in',
    url: 'https://example.com/login',
  })
  const { messages } = resultOf<{ messages: { content: Message }[] }>(
    await visit({ inputResponses: { visit: { action: 'accept' } } }),
  )
  assert.equal(messages[0]?.content.text, 'accept')
  const first = resultOf<Required>(await client.askModern('tools/call', { name: 'again' }))
  assert.equal('inputRequests' in first, false)
  const { requestState } = first
  const second = await client.askModern('tools/call', { name: 'again', requestState })
  assert.deepEqual(resultOf(second).content, [{ type: 'text', text: 'kept' }])
})

test('a handler that catches errors lets the one of need through by its class', async (t) => {
  const page = await testPage(t)
  page.mcp.tool('careful', (_, { need }) => {
    try {
      const { who } = need({ who: elicit('Who are you?', form) })
      return `You said ${who.action}.`
    } catch (error) {
      if (error instanceof NeedInputError) throw error
      return 'caught'
    }
  })
  const params = { name: 'careful' }
  const answer = await page.client().askModern('tools/call', params, undefined, capable(able))
  const { inputRequests } = resultOf<Required>(answer)
  assert.deepEqual(Object.keys(inputRequests), ['who'])
})
