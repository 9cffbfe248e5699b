// Tools of WebMCP as tools of MCP, and the page's tools and resources as tools of WebMCP: in each dialect.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { offerToWebMcp, webmcp } from '../../src/webmcp.ts'
import { type TestPage, testPage } from '../core/page.ts'
import { resultOf, type TestClient, until } from '../harness/client.ts'
import { type Dialect, dialects, type FakeContext, installContext } from './contexts.ts'

interface Result {
  content: { type: string; text: string; _meta?: Record<string, { untrusted: boolean }> }[]
  isError?: boolean
}
interface Tool {
  name: string
  description: string
  inputSchema: object
  annotations?: object
}

/** A page and an implementation of WebMCP, which is there after the page has started. */
async function pageWith(
  t: TestContext,
  dialect: Dialect,
): Promise<TestPage & { native: FakeContext }> {
  const page = await testPage(t)
  const native = installContext(dialect)
  t.after(native.uninstall)
  return { ...page, native }
}

const call = async (client: TestClient, name: string, args: object = {}) =>
  resultOf<Result>((await client.askModern('tools/call', { name, arguments: args })) as never)
const textOf = async (client: TestClient, name: string, args: object = {}) =>
  (await call(client, name, args)).content[0]?.text
const toolsOf = async (client: TestClient) =>
  resultOf<{ tools: Tool[] }>(await client.askModern('tools/list')).tools
const namesOf = async (client: TestClient) => (await toolsOf(client)).map(({ name }) => name)

for (const dialect of dialects) {
  test(`${dialect}: native tools are listed and called, and changes are announced`, async (t) => {
    const { mcp, native, client: newClient } = await pageWith(t, dialect)
    const add = {
      name: 'add',
      title: 'Add',
      description: 'Adds.',
      inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
      annotations: { readOnlyHint: true, untrustedContentHint: true, consequentialHint: false },
      execute: (input: unknown) => `Added ${(input as { what: string }).what}.`,
    }
    native.register(add)
    native.register({ name: 'hidden', annotations: { debugging: true } })
    mcp.mount(webmcp())
    const client = newClient()
    await client.initialize()
    const [tool, ...others] = await toolsOf(client)
    assert.equal(others.length, 0)
    assert.equal(tool?.description, 'Adds.\n\nThe result may have untrusted content.')
    assert.deepEqual(tool?.inputSchema, add.inputSchema)
    assert.deepEqual(tool?.annotations, { readOnlyHint: true, destructiveHint: false })
    const { content } = await call(client, 'add', { what: 'pears' })
    assert.equal(content[0]?.text, 'Added pears.')
    assert.deepEqual(native.executed, [{ what: 'pears' }])
    await call(client, 'add', { what: 'apples' })
    assert.equal(native.executed.length, 2)

    const from = client.got.length
    const remove = native.register({ name: 'more' })
    const isChange = ({ method }: { method?: unknown }) =>
      method === 'notifications/tools/list_changed'
    await client.next(isChange, from)
    assert.deepEqual(await namesOf(client), ['add', 'more'])
    remove()
    await client.next(isChange, client.got.length)
    assert.deepEqual(await namesOf(client), ['add'])
  })

  test(`${dialect}: the page's tools and resources are offered, and removed`, async (t) => {
    const { mcp, native, errors } = await pageWith(t, dialect)
    mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
    const remove = mcp.tool(
      'echo',
      { description: 'Echoes.', annotations: { destructiveHint: true } },
      ({ text }) => String(text),
    )
    const stop = offerToWebMcp(mcp, { onerror: (error) => errors.push(error) })
    const offered = (...names: string[]) =>
      until(() => native.names().sort().join() === names.join(), names.join())
    await offered('echo', 'list_resources', 'read_resource')

    const later = mcp.tool('later', () => 'late')
    await offered('echo', 'later', 'list_resources', 'read_resource')
    later()
    remove()
    await offered('list_resources', 'read_resource')
    stop()
    await offered()
    stop()
    assert.deepEqual(errors, [])
  })
}

test('what is offered can be called, with the result of the engine', async (t) => {
  const { mcp, errors } = await pageWith(t, 'objects')
  mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
  mcp.resources('notes://{id}', { name: 'Note', read: ({ id }) => `note ${id}` })
  mcp.tool('echo', ({ text }, { client }) => `${client.principal}: ${text}`)
  mcp.tool('fail', () => {
    throw new Error('secret')
  })
  const reads: unknown[] = []
  mcp.on('read', (event) => reads.push(event))
  const stop = offerToWebMcp(mcp)
  type Context = {
    getTools(): Promise<{ name: string; annotations: object }[]>
    executeTool(tool: object, input: object, options?: object): Promise<string>
  }
  const { modelContext } = (globalThis as unknown as { document: { modelContext: Context } })
    .document
  const find = async (name: string) =>
    (await modelContext.getTools()).find((tool) => tool.name === name)
  const ready = async (name: string) => {
    for (;;) {
      const tool = await find(name)
      if (tool) return tool
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const run = async (name: string, input: object) =>
    JSON.parse(await modelContext.executeTool(await ready(name), input)) as Result
  assert.deepEqual((await run('echo', { text: 'hi' })).content, [
    { type: 'text', text: 'webmcp: hi' },
  ])
  const failed = await run('fail', {})
  assert.equal(failed.isError, true)
  assert.doesNotMatch(JSON.stringify(failed), /secret/)
  assert.equal(errors.length, 1)
  const listed = JSON.parse((await run('list_resources', {})).content[0]?.text ?? '') as {
    resources: { uri: string }[]
    resourceTemplates: { uriTemplate: string }[]
  }
  assert.deepEqual(
    [listed.resources[0]?.uri, listed.resourceTemplates[0]?.uriTemplate],
    ['notes://cart', 'notes://{id}'],
  )
  for (const [uri, text] of [
    ['notes://cart', '2 apples'],
    ['notes://7', 'note 7'],
  ]) {
    assert.deepEqual((await run('read_resource', { uri })).content, [{ type: 'text', text }])
  }
  await assert.rejects(run('read_resource', { uri: 'notes://a/b' }), /UnknownError|failed/)
  assert.deepEqual((await find('read_resource'))?.annotations, {
    readOnlyHint: true,
    untrustedContentHint: true,
  })
  await until(() => reads.length === 2, 'two reads')
  assert.deepEqual(reads, [
    { uri: 'notes://cart', client: 'webmcp' },
    { uri: 'notes://7', client: 'webmcp' },
  ])
  stop()
})

test('nothing is registered or mirrored twice, and nothing without being asked for', async (t) => {
  const { mcp, native, errors, client: newClient } = await pageWith(t, 'objects')
  native.register({ name: 'theirs' })
  mcp.tool('ours', () => 'ours')
  const client = newClient()
  await client.initialize()
  assert.deepEqual(await namesOf(client), ['ours'])
  assert.deepEqual(native.names(), ['theirs'])

  const unmount = mcp.mount(webmcp())
  const stop = offerToWebMcp(mcp, { onerror: (error) => errors.push(error) })
  await until(() => native.names().includes('ours'), 'the offer')
  assert.deepEqual((await namesOf(client)).sort(), ['ours', 'theirs'])
  assert.equal(await textOf(client, 'ours'), 'ours')
  assert.equal(await textOf(client, 'theirs'), 'done')
  // A change of either side does not come back to it.
  native.register({ name: 'theirs_too' })
  await until(() => native.names().length >= 5, 'another native tool')
  const later = mcp.tool('ours_too', () => '')
  await until(() => native.names().includes('ours_too'), 'another offer')
  const expected = ['list_resources', 'ours', 'ours_too', 'read_resource', 'theirs', 'theirs_too']
  assert.deepEqual(native.names().sort(), expected)
  assert.deepEqual((await namesOf(client)).sort(), ['ours', 'ours_too', 'theirs', 'theirs_too'])
  later()
  unmount()
  assert.deepEqual(await namesOf(client), ['ours'])
  stop()
  assert.deepEqual(native.names().sort(), ['theirs', 'theirs_too'])
  assert.deepEqual(errors, [])
})

test('a name that the document has taken is reported, and the others are offered', async (t) => {
  const { mcp, native } = await pageWith(t, 'objects')
  native.register({ name: 'echo' })
  mcp.tool('echo', () => '')
  mcp.tool('other', () => '')
  mcp.tool('no name for it', () => '')
  const errors: Error[] = []
  const controller = new AbortController()
  const onerror = (error: unknown) => void errors.push(error as Error)
  offerToWebMcp(mcp, { resources: false, signal: controller.signal, onerror })
  await until(() => errors.length === 2 && native.names().includes('other'), 'two errors')
  const messages = errors.map(({ message }) => message).sort()
  assert.match(messages[0] ?? '', /"echo" is not offered/)
  assert.match(messages[1] ?? '', /"no name for it" has a name that WebMCP does not allow/)
  controller.abort()
  assert.deepEqual(native.names(), ['echo'])
})

test('only the named tools are offered or mirrored', async (t) => {
  const { mcp, native, client: newClient } = await pageWith(t, 'objects')
  native.register({ name: 'a' })
  native.register({ name: 'b' })
  mcp.tool('c', () => '')
  mcp.tool('d', () => '')
  mcp.mount(webmcp({ tools: ['a'] }))
  offerToWebMcp(mcp, { tools: ['c'], resources: false })
  await until(() => native.names().includes('c'), 'the offer')
  const client = newClient()
  assert.deepEqual((await namesOf(client)).sort(), ['a', 'c', 'd'])
  assert.deepEqual(native.names(), ['a', 'b', 'c'])
  const { error } = await client.askModern('tools/call', { name: 'b', arguments: {} })
  assert.ok(error)
  mcp.close()
  await until(() => native.names().join() === 'a,b', 'the end of the offer')
})

test('results, errors and cancelling of native tools', async (t) => {
  const { mcp, native, errors, client: newClient } = await pageWith(t, 'objects')
  mcp.mount(webmcp(), 'my+')
  const block = { type: 'text', text: 'block' }
  const results: [name: string, answer: unknown, content: string, isError: boolean][] = [
    ['text', 'plain', 'plain', false],
    ['quoted', '"q"', '"q"', false],
    ['number', 5, '5', false],
    ['object', { a: 1 }, '{"a":1}', false],
    ['result', { content: [block] }, 'block', false],
    ['failure', { content: [block], isError: true }, 'block', true],
    ['almost', { content: [{ type: 'odd' }] }, '{"content":[{"type":"odd"}]}', false],
    ['left', null, 'The document was left while the tool ran; it may have taken effect.', true],
  ]
  for (const [name, answer] of results) native.register({ name, execute: () => answer })
  native.register({
    name: 'throws',
    execute: () => {
      throw new Error('secret')
    },
  })
  // Not a refusal of the input: it must not run again.
  native.register({
    name: 'mistake',
    execute: () => {
      throw new TypeError('x is not a function')
    },
  })
  let aborted = false
  native.register({
    name: 'waits',
    execute: (_, { signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true
          reject(signal.reason)
        })
      }),
  })
  for (const [i, inputSchema] of [
    { properties: { a: {} } },
    { type: 'string' },
    { $ref: 'https://a.example/schema' },
    'no JSON',
    null,
  ].entries()) {
    native.register({ name: `schema${i}`, inputSchema: inputSchema as object })
  }
  const client = newClient()
  for (const [name, , content, isError] of results) {
    const result = await call(client, `my.${name}`)
    assert.deepEqual([result.content[0]?.text, result.isError === true], [content, isError], name)
  }
  for (const name of ['throws', 'mistake']) {
    const before = native.executed.length
    const result = await call(client, `my.${name}`)
    assert.ok(result.isError)
    assert.doesNotMatch(JSON.stringify(result), /secret/)
    assert.equal(native.executed.length, before + 1, `${name} ran twice`)
  }
  assert.equal(errors.length, 2)
  const tools = await toolsOf(client)
  const schemas = tools.filter(({ name }) => name.includes('schema')).map((one) => one.inputSchema)
  assert.deepEqual(schemas, [
    { type: 'object', properties: { a: {} } },
    { type: 'object' },
    { type: 'object', $ref: 'https://a.example/schema' },
    { type: 'object' },
    { type: 'object' },
  ])
  assert.equal(await textOf(client, 'my__schema2'), 'done', 'no client can be refused by it')
  client.post({
    jsonrpc: '2.0',
    id: 'waits',
    method: 'tools/call',
    params: {
      name: 'my__waits',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  await until(() => native.calls.at(-1)?.name === 'waits', 'the call')
  client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'waits' } })
  await until(() => aborted, 'the abort')
})

test('fields of a form whose names APIs refuse have others for clients, and JSON text is taken', async (t) => {
  const { mcp, native, client: newClient } = await pageWith(t, 'objects')
  const inputSchema = {
    type: 'object',
    properties: {
      'items[]': { type: 'array', items: { type: 'string' } },
      'with space': { type: 'string' },
    },
    required: ['items[]'],
  }
  native.register({ name: 'form', inputSchema, execute: (args) => JSON.stringify(args) })
  mcp.mount(webmcp())
  const client = newClient()
  const { tools } = resultOf<{ tools: { inputSchema: typeof inputSchema }[] }>(
    await client.askModern('tools/list'),
  )
  assert.deepEqual(tools[0]?.inputSchema.required, ['items__'])
  assert.deepEqual(Object.keys(tools[0]?.inputSchema.properties ?? {}), ['items__', 'with_space'])
  for (const args of [
    { items__: ['a'], with_space: 'b' },
    { items__: '["a"]', with_space: 'b' },
    { 'items[]': ['a'], 'with space': 'b' },
  ]) {
    const answer = await client.askModern('tools/call', { name: 'form', arguments: args })
    const [block] = resultOf<{ content: { text: string }[] }>(answer).content
    assert.deepEqual(JSON.parse(block?.text ?? ''), { 'items[]': ['a'], 'with space': 'b' })
  }
})

test('the offer goes on after the engine was restarted', async (t) => {
  const { mcp, native, kill, errors, client: newClient } = await pageWith(t, 'objects')
  mcp.tool('echo', () => 'echo')
  mcp.mount(webmcp())
  const stop = offerToWebMcp(mcp, { resources: false })
  await until(() => native.names().join() === 'echo', 'the offer')
  await kill()
  const { modelContext } = globalThis.document as unknown as {
    modelContext: {
      getTools(): Promise<{ name: string }[]>
      executeTool(tool: object, input: object): Promise<string>
    }
  }
  const [echo] = await modelContext.getTools()
  assert.match(await modelContext.executeTool(echo ?? {}, {}), /"text":"echo"/)
  mcp.tool('later', () => 'later')
  await until(() => native.names().join() === 'echo,later', 'the offer of a new tool')
  native.register({ name: 'theirs' })
  assert.deepEqual((await namesOf(newClient())).sort(), ['echo', 'later', 'theirs'])
  stop()
  assert.deepEqual(native.names(), ['theirs'])
  assert.match(String(errors[0]), /engine\.wasm has ended/)
})

test('without WebMCP nothing is mirrored and nothing is offered', async (t) => {
  const { mcp, client: newClient, errors } = await testPage(t)
  mcp.tool('ours', () => 'ours')
  mcp.mount(webmcp())
  const stop = offerToWebMcp(mcp, { onerror: (error) => errors.push(error) })
  const client = newClient()
  assert.deepEqual(await namesOf(client), ['ours'])
  assert.equal(await textOf(client, 'ours'), 'ours')
  stop()
  assert.deepEqual(errors, [])
})

test('a frame that may not use WebMCP has no tools, and its developer is told once', async (t) => {
  const { mcp, errors, client: newClient } = await pageWith(t, 'interfaces')
  const context = (globalThis.document as unknown as { modelContext: object }).modelContext
  const refuse = async () => {
    throw new DOMException('tools is not allowed in this document', 'NotAllowedError')
  }
  Object.assign(context, { getTools: refuse, registerTool: refuse })
  const told: unknown[] = []
  Object.assign(globalThis, { reportError: (error: unknown) => told.push(error) })
  t.after(() => Reflect.deleteProperty(globalThis, 'reportError'))
  mcp.mount(webmcp())
  mcp.tool('own', () => 'own')
  const client = newClient()
  await client.initialize()
  for (let again = 0; again < 3; again++) assert.deepEqual(await namesOf(client), ['own'])
  assert.equal(told.length, 1, told.join())
  assert.match(String(told[0]), /allow="tools"/)
  assert.deepEqual(errors, [])
  const reported = await new Promise((onerror) => offerToWebMcp(mcp, { onerror }))
  assert.match(String(reported), /allow="tools"/)
})
