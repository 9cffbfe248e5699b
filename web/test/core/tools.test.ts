// Tools of a page: what their handlers answer and throw, how they are told to stop, how they speak meanwhile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallRequest, InvalidParamsError, NotFoundError, ToolError } from '../../src/index.ts'
import { envelope, errorOf, type Message, resultOf, until } from '../harness/client.ts'
import { testPage } from './page.ts'

interface Result {
  content: Record<string, unknown>[]
  structuredContent?: unknown
  isError?: boolean
}

test('a tool is listed, called with its arguments, and taken away', async (t) => {
  const page = await testPage(t)
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const remove = page.mcp.tool(
    'double',
    {
      title: 'Double',
      description: 'Doubles a number.',
      inputSchema: schema,
      annotations: { readOnlyHint: true },
    },
    ({ n }) => `${Number(n) * 2}`,
  )
  const client = page.client()
  const listed = resultOf<{ tools: unknown[] }>(await client.askModern('tools/list'))
  assert.deepEqual(listed.tools, [
    {
      name: 'double',
      title: 'Double',
      description: 'Doubles a number.',
      inputSchema: schema,
      annotations: { readOnlyHint: true },
    },
  ])
  const params = { name: 'double', arguments: { n: 21 } }
  const result = resultOf<Result>(await client.askModern('tools/call', params))
  assert.deepEqual(result.content, [{ type: 'text', text: '42' }])

  await client.initialize()
  assert.deepEqual(resultOf(await client.ask('tools/call', params)).content, result.content)
  remove()
  await client.next((m) => m.method === 'notifications/tools/list_changed')
  assert.equal(errorOf(await client.ask('tools/call', params)).code, -32602)
})

test('whatever a tool answers becomes content', async (t) => {
  const page = await testPage(t)
  const image = { type: 'image', data: 'AAEC', mimeType: 'image/png' } as const
  const answers = {
    text: 'text',
    nothing: undefined,
    block: image,
    blocks: [{ type: 'text', text: 'see' } as const, image],
    whole: { content: [image], _meta: { 'com.example/x': 1 } },
    json: { type: 'apple', count: 2 },
    list: [1, 2],
    number: 7,
    null: null,
    surrogate: 'a\ud800',
    late: Promise.resolve('late'),
  }
  const client = page.client()
  const results: Record<string, Message> = {}
  for (const [name, answer] of Object.entries(answers)) {
    page.mcp.tool(name, () => answer)
    results[name] = resultOf(await client.askModern('tools/call', { name }))
  }
  const text = (own: string) => [{ type: 'text', text: own }]
  const content = Object.fromEntries(
    Object.entries(results).map(([name, result]) => [name, result.content]),
  )
  assert.deepEqual(content, {
    text: text('text'),
    nothing: [],
    block: [image],
    blocks: [{ type: 'text', text: 'see' }, image],
    whole: [image],
    json: text('{"type":"apple","count":2}'),
    list: text('[1,2]'),
    number: text('7'),
    null: text('null'),
    surrogate: text('a\ufffd'),
    late: text('late'),
  })
  const meta = results.whole?._meta as Message
  assert.equal(meta['com.example/x'], 1)
})

test('what a tool throws is a result that says so; only what is meant for the client is told', async (t) => {
  const page = await testPage(t)
  const thrown = {
    meant: new ToolError('no such city'),
    params: new InvalidParamsError('a city is missing'),
    secret: new Error('secret of the page'),
    // Not "no such tool": that is for sources to say.
    missing: new NotFoundError('notes://x'),
    cycle: undefined,
  }
  const client = page.client()
  const results: Record<string, unknown> = {}
  for (const [name, error] of Object.entries(thrown)) {
    page.mcp.tool(name, () => {
      if (error) throw error
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      return cycle
    })
    const answer = await client.askModern('tools/call', { name })
    const { isError, content } = resultOf<Result>(answer)
    results[name] = [isError, content[0]?.text]
  }
  assert.deepEqual(results, {
    meant: [true, 'no such city'],
    params: [true, 'a city is missing'],
    secret: [true, 'The tool failed'],
    missing: [true, 'The tool failed'],
    cycle: [true, 'The tool failed'],
  })
  assert.deepEqual(
    page.errors.map((error) => (error as Error).name),
    ['Error', 'NotFoundError', 'TypeError'],
  )
})

test('a tool tells its progress and logs, as far as the client wants to hear of it', async (t) => {
  const page = await testPage(t, { capabilities: { logging: true } })
  page.mcp.tool('work', (_, { progress, log }) => {
    progress(1, 2, 'half')
    log('debug', 'details')
    log('warning', { left: 1 }, 'worker')
    progress(1) // does not rise
    progress(2, 2)
    return 'done'
  })
  const client = page.client()
  const notified = async (meta: object) => {
    const from = client.got.length
    resultOf(await client.askModern('tools/call', { name: 'work' }, 'call', meta))
    return client.got.slice(from, -1).map(({ method, params }) => [method, params])
  }
  assert.deepEqual(await notified({}), [])
  assert.deepEqual(await notified({ progressToken: 'p' }), [
    ['notifications/progress', { progressToken: 'p', progress: 1, total: 2, message: 'half' }],
    ['notifications/progress', { progressToken: 'p', progress: 2, total: 2 }],
  ])
  const level = { 'io.modelcontextprotocol/logLevel': 'info' }
  assert.deepEqual(await notified(level), [
    [
      'notifications/message',
      {
        _meta: { 'io.github.pagemcp/request': 'call' },
        level: 'warning',
        logger: 'worker',
        data: { left: 1 },
      },
    ],
  ])
})

test('a handler knows who asks, and what the request says besides', async (t) => {
  const page = await testPage(t)
  let told: CallRequest | undefined
  page.mcp.tool('who', (_, request) => {
    told = request
  })
  const client = page.client()
  const meta = {
    'io.modelcontextprotocol/clientCapabilities': { roots: {} },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
  resultOf(await client.askModern('tools/call', { name: 'who' }, 1, meta))
  assert.deepEqual(told?.client, { principal: 'page', capabilities: { roots: {} }, modern: true })
  assert.deepEqual(told?.meta, { traceparent: meta.traceparent })
  await client.initialize('2025-06-18', { sampling: {} })
  resultOf(await client.ask('tools/call', { name: 'who' }))
  assert.deepEqual(told?.client, {
    principal: 'page',
    capabilities: { sampling: {} },
    modern: false,
  })
})

test('a cancelled call aborts its signal, and nothing more is said', async (t) => {
  const page = await testPage(t)
  const requests: CallRequest[] = []
  page.mcp.tool('endless', (_, request) => {
    requests.push(request)
    return new Promise((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
    })
  })
  const client = page.client()
  const params = { name: 'endless', _meta: { ...envelope, progressToken: 1 } }
  client.post({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params })
  await until(() => requests.length === 1, 'it runs')
  client.post({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 'x' },
  })
  await until(() => requests[0]?.signal.aborted === true, 'it is told')
  requests[0]?.progress(1)
  client.post({ jsonrpc: '2.0', id: 'y', method: 'tools/call', params })
  await until(() => requests.length === 2, 'it runs again')
  client.close()
  await until(() => requests[1]?.signal.aborted === true, 'it is told that the client has gone')
  assert.deepEqual(client.got, [])
  assert.deepEqual(page.errors, [])
})

test('a source has tools of its own, under its prefix', async (t) => {
  const page = await testPage(t)
  let change = (_: { list: 'tools' }) => {}
  let names = ['add']
  page.mcp.mount(
    {
      list: async () => ({ resources: [] }),
      read: async (uri) => Promise.reject(new NotFoundError(uri)),
      tools: async () => names.map((name) => ({ name, description: 'Adds.' })),
      async callTool(name, args, { client }) {
        if (!names.includes(name)) throw new NotFoundError(name)
        if (name === 'broken') throw new Error('secret')
        return `${Number(args.a) + Number(args.b)} for ${client.principal}`
      },
      watch(changed) {
        change = changed
      },
    },
    'math+',
  )
  const client = page.client()
  const toolNames = async () =>
    resultOf<{ tools: { name: string }[] }>(await client.askModern('tools/list')).tools.map(
      ({ name }) => name,
    )
  assert.deepEqual(await toolNames(), ['math__add'])
  const call = (name: string) => client.askModern('tools/call', { name, arguments: { a: 1, b: 2 } })
  assert.deepEqual(resultOf<Result>(await call('math__add')).content, [
    { type: 'text', text: '3 for page' },
  ])
  assert.equal(errorOf(await call('math__sub')).code, -32602)
  assert.equal(errorOf(await call('add')).code, -32602)

  await client.initialize()
  resultOf(await client.ask('tools/list'))
  names = ['add', 'broken']
  change({ list: 'tools' })
  await client.next((m) => m.method === 'notifications/tools/list_changed')
  assert.deepEqual(await toolNames(), ['math__add', 'math__broken'])
  assert.equal(resultOf<Result>(await call('math__broken')).isError, true)
  assert.match(String(page.errors.at(-1)), /secret/)
})

test('lists can be said to have changed, each by itself', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  await client.initialize()
  await client.ask('ping') // the last message of the handshake has arrived
  for (const list of ['resources', 'prompts', 'tools'] as const) {
    const from = client.got.length
    page.mcp.changed({ list })
    await client.next((m) => 'method' in m, from)
    assert.deepEqual(
      client.got.slice(from).map(({ method }) => method),
      [`notifications/${list}/list_changed`],
    )
  }
})

test('what is switched off is neither declared nor answered', async (t) => {
  const capabilities = { tools: false, prompts: false, completions: false, listChanged: false }
  const page = await testPage(t, {
    capabilities: { ...capabilities, subscribe: false },
    cache: { ttlMs: 5000, scope: 'public' },
  })
  page.mcp.tool('hidden', () => '')
  const client = page.client()
  const discover = resultOf(await client.askModern('server/discover'))
  const { extensions, ...others } = discover.capabilities as Record<string, unknown>
  assert.deepEqual(others, { resources: {} })
  assert.deepEqual([discover.ttlMs, discover.cacheScope], [5000, 'public'])
  for (const method of ['tools/list', 'tools/call', 'prompts/list', 'completion/complete']) {
    assert.equal(errorOf(await client.askModern(method)).code, -32601, method)
  }
})

test('the next engine has the tools of the one before, and interrupted calls are not run again', async (t) => {
  const page = await testPage(t)
  page.mcp.tool('old', () => 'replaced')
  const removals = [page.mcp.tool('gone', () => ''), page.mcp.tool('gone', () => 'replaced')]
  page.mcp.tool('old', () => 'still there')
  page.mcp.prompt('prompt', () => 'text')
  for (const remove of removals) remove()
  let asked = 0
  page.mcp.tool('endless', () => {
    asked++
    return new Promise(() => {})
  })
  const client = page.client()
  await client.initialize()
  const pending = client.ask('tools/call', { name: 'endless' })
  await until(() => asked === 1, 'it runs')
  const killed = page.kill()
  assert.equal(errorOf(await pending).data?.reason, 'restarted')
  await client.next((m) => m.pagemcp === 'close')
  await killed
  const next = page.client()
  const listed = resultOf<{ tools: { name: string }[] }>(await next.askModern('tools/list'))
  assert.deepEqual(
    listed.tools.map(({ name }) => name),
    ['old', 'endless'],
  )
  const result = resultOf<Result>(await next.askModern('tools/call', { name: 'old' }))
  assert.equal(result.content[0]?.text, 'still there')
  assert.equal(asked, 1) // what was interrupted is not run again
  resultOf(await next.askModern('prompts/get', { name: 'prompt' }))
})

test('confirm asks in the page before each call, with checked arguments', async (t) => {
  const asked: unknown[] = []
  const page = await testPage(t, {
    access(request) {
      if (request.tool) asked.push([request.tool, request.question])
      return 'allow'
    },
  })
  const deleted: string[] = []
  page.mcp.tool(
    'delete',
    {
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
      } as const,
      confirm: ({ id }) => `Delete ${id}?`,
    },
    ({ id }) => void deleted.push(String(id)),
  )
  const client = page.client('https://assistant.example')
  const call = (args: object) => client.askModern('tools/call', { name: 'delete', arguments: args })
  resultOf(await call({ id: 'a' }))
  resultOf(await call({ id: 'b' }))
  assert.equal(resultOf(await call({ id: 3 })).isError, true)
  const tool = { name: 'delete', destructive: true }
  assert.deepEqual(asked, [
    [tool, 'Delete a?'],
    [tool, 'Delete b?'],
    [tool, undefined],
  ])
  assert.deepEqual(deleted, ['a', 'b'])
})
