// Prompts of a page, what completes their arguments and the variables of templates, and reads of several items.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rankCompletions } from '../../src/answer-call.ts'
import {
  type Completion,
  contents,
  InvalidParamsError,
  NotFoundError,
  type PromptMessage,
} from '../../src/index.ts'
import { errorOf, resultOf, type TestClient, until } from '../harness/client.ts'
import { testPage } from './page.ts'

test('a prompt is listed, filled, and taken away', async (t) => {
  const page = await testPage(t)
  const args = [{ name: 'city', description: 'Where', required: true }, { name: 'day' }]
  const remove = page.mcp.prompt(
    'weather',
    { title: 'Weather', arguments: args, complete: { city: ['Rome'] } },
    ({ city, day = 'today' }) => `How is the weather in ${city} ${day}?`,
  )
  const client = page.client()
  const { prompts } = resultOf(await client.askModern('prompts/list'))
  assert.deepEqual(prompts, [{ name: 'weather', title: 'Weather', arguments: args }])
  const get = (values: object) =>
    client.askModern('prompts/get', { name: 'weather', arguments: values })
  const { messages } = resultOf<{ messages: PromptMessage[] }>(await get({ city: 'Rome' }))
  assert.deepEqual(messages, [
    { role: 'user', content: { type: 'text', text: 'How is the weather in Rome today?' } },
  ])
  assert.equal(errorOf(await get({ day: 'today' })).code, -32602)
  remove()
  assert.equal(errorOf(await get({ city: 'Rome' })).code, -32602)
})

test('a prompt answers with messages or a whole result, and its errors stay here but for one', async (t) => {
  const page = await testPage(t)
  const message = { role: 'assistant', content: { type: 'text', text: 'Hello' } } as const
  page.mcp.prompt('messages', () => [message])
  page.mcp.prompt('whole', async () => ({ description: 'Greets', messages: [message] }))
  page.mcp.prompt('wrong', () => ({}) as never)
  page.mcp.prompt('missing', () => {
    throw new NotFoundError('notes://x')
  })
  page.mcp.prompt('params', () => {
    throw new InvalidParamsError('no such city')
  })
  const client = page.client()
  const get = (name: string) => client.askModern('prompts/get', { name })
  assert.deepEqual(resultOf(await get('messages')).messages, [message])
  const whole = resultOf(await get('whole'))
  assert.deepEqual([whole.description, whole.messages], ['Greets', [message]])
  assert.equal(errorOf(await get('wrong')).code, -32603)
  assert.equal(errorOf(await get('missing')).code, -32603)
  const { code, message: text } = errorOf(await get('params'))
  assert.deepEqual([code, text], [-32602, 'no such city'])
  assert.equal(page.errors.length, 2)
})

test('values are ranked: what begins so, what contains it, what has the letters in order', () => {
  const cities = ['Barcelona', 'Rome', 'Cologne', 'Lone Pine', 'Milano']
  assert.deepEqual(rankCompletions(cities, 'lon'), ['Lone Pine', 'Barcelona', 'Cologne'])
  assert.deepEqual(rankCompletions(cities, 'RM'), ['Rome'])
  assert.deepEqual(rankCompletions(cities, ''), cities)
  assert.deepEqual(rankCompletions(cities, 'x'), [])
})

const complete = async (
  client: TestClient,
  ref: object,
  name: string,
  value: string,
  more = {},
) => {
  const argument = { name, value }
  const answer = await client.askModern('completion/complete', { ref, argument, ...more })
  return resultOf<{ completion: Completion }>(answer).completion
}

test('arguments of prompts and variables of templates are completed', async (t) => {
  const page = await testPage(t)
  const many = Array.from({ length: 150 }, (_, i) => `n${i}`)
  page.mcp.prompt(
    'trip',
    {
      arguments: ['from', 'to', 'many', 'free', 'bad'].map((name) => ({ name })),
      complete: {
        from: ['Rome', 'Rimini', 'Paris'],
        to: (value, { arguments: { from } }) => [`${value} from ${from}`],
        many,
        bad: () => {
          throw new InvalidParamsError('not like that')
        },
      },
    },
    () => '',
  )
  page.mcp.resources('notes://tag/{tag}', {
    name: 'Tag',
    complete: { tag: async () => ({ values: ['a', 'b'], total: 7 }) },
    read: () => '',
  })
  const client = page.client()
  const prompt = { type: 'ref/prompt', name: 'trip' }
  assert.deepEqual(await complete(client, prompt, 'from', 'r'), {
    values: ['Rome', 'Rimini', 'Paris'],
    total: 3,
    hasMore: false,
  })
  const chosen = { context: { arguments: { from: 'Rome' } } }
  const { values } = await complete(client, prompt, 'to', 'x', chosen)
  assert.deepEqual(values, ['x from Rome'])
  const some = await complete(client, prompt, 'many', 'n')
  assert.deepEqual([some.values.length, some.total, some.hasMore], [100, 150, true])
  assert.deepEqual((await complete(client, prompt, 'free', 'x')).values, [])
  for (const uri of ['notes://tag/{tag}', 'notes://tag/a']) {
    const found = await complete(client, { type: 'ref/resource', uri }, 'tag', '')
    assert.deepEqual(found, { values: ['a', 'b'], total: 7, hasMore: true })
  }
  const bad = { ref: prompt, argument: { name: 'bad', value: '' } }
  const refused = errorOf(await client.askModern('completion/complete', bad))
  assert.deepEqual([refused.code, refused.message], [-32602, 'not like that'])
  const unknown = { ref: prompt, argument: { name: 'constructor', value: '' } }
  assert.equal(errorOf(await client.askModern('completion/complete', unknown)).code, -32602)
})

test('a source has prompts and completions of its own, under its prefix', async (t) => {
  const page = await testPage(t)
  const refs: unknown[] = []
  page.mcp.mount(
    {
      list: async () => ({ resources: [] }),
      read: (uri) => Promise.reject(new NotFoundError(uri)),
      prompts: async () => [{ name: 'greet', arguments: [{ name: 'who' }] }],
      async getPrompt(name, { who }) {
        if (name !== 'greet') throw new NotFoundError(name)
        return `Greet ${who}.`
      },
      async complete(ref, argument) {
        refs.push(ref)
        return [`${argument.name}:${argument.value}`]
      },
    },
    'my+',
  )
  const client = page.client()
  const { prompts } = resultOf(await client.askModern('prompts/list'))
  assert.deepEqual(prompts, [{ name: 'my__greet', arguments: [{ name: 'who' }] }])
  const get = (name: string) => client.askModern('prompts/get', { name, arguments: { who: 'Ada' } })
  const { messages } = resultOf<{ messages: PromptMessage[] }>(await get('my__greet'))
  assert.deepEqual(messages[0]?.content, { type: 'text', text: 'Greet Ada.' })
  assert.equal(errorOf(await get('my.other')).code, -32602)
  const prompt = { type: 'ref/prompt', name: 'my__greet' }
  assert.deepEqual((await complete(client, prompt, 'who', 'A')).values, ['who:A'])
  const template = { type: 'ref/resource', uri: 'my+notes://{x}' }
  assert.deepEqual((await complete(client, template, 'x', '')).values, ['x:'])
  assert.deepEqual(refs, [
    { type: 'ref/prompt', name: 'greet' },
    { type: 'ref/resource', uri: 'notes://{x}' },
  ])
})

test('a completion that nobody waits for is told so', async (t) => {
  const page = await testPage(t)
  let signal: AbortSignal | undefined
  page.mcp.prompt(
    'slow',
    {
      arguments: [{ name: 'x' }],
      complete: {
        x: (_, context) => {
          signal = context.signal
          return new Promise(() => {})
        },
      },
    },
    () => '',
  )
  const client = page.client()
  void complete(client, { type: 'ref/prompt', name: 'slow' }, 'x', '').catch(() => {})
  await until(() => signal !== undefined, 'it is asked')
  client.close()
  await until(() => signal?.aborted === true, 'it is told')
})

test('a provider answers with several items, and says how long they may be kept', async (t) => {
  const page = await testPage(t)
  const several = () =>
    contents([
      { uri: 'notes://all/1', text: 'one', _meta: { 'com.example/n': 1 } },
      { uri: 'notes://all/2', mimeType: 'image/png', blob: new Uint8Array([1, 2]) },
      { uri: 'notes://all/3', blob: new Blob(['x'], { type: 'text/css' }) },
    ])
  const cache = { ttlMs: 60_000, scope: 'public' } as const
  const description = { name: 'All', mimeType: 'text/plain', cache }
  page.mcp.resource('notes://all', { ...description }, several)
  page.mcp.resources('notes://{x}/late', { ...description, read: async () => several() })
  page.mcp.resource('notes://none', { name: 'None' }, () => contents([]))
  page.mcp.resource('notes://bad', { name: 'Bad' }, () => contents([{ uri: 'a:1' }]))
  const client = page.client()
  for (const uri of ['notes://all', 'notes://all/late']) {
    const read = resultOf<{ contents: Record<string, unknown>[]; ttlMs: number }>(
      await client.askModern('resources/read', { uri }),
    )
    const items = read.contents.map(({ _meta, ...item }) => item)
    assert.deepEqual(items, [
      { uri: 'notes://all/1', mimeType: 'text/plain', text: 'one' },
      { uri: 'notes://all/2', mimeType: 'image/png', blob: 'AQI=' },
      { uri: 'notes://all/3', mimeType: 'text/plain', blob: 'eA==' },
    ])
    const metas = read.contents.map(({ _meta }) => _meta)
    assert.deepEqual(metas, [{ 'com.example/n': 1 }, undefined, undefined])
    assert.deepEqual([read.ttlMs, (read as { cacheScope?: string }).cacheScope], [60_000, 'public'])
  }
  const read = (uri: string) => client.askModern('resources/read', { uri })
  assert.equal(errorOf(await read('notes://none')).code, -32602)
  assert.equal(errorOf(await read('notes://bad')).code, -32603)
})
