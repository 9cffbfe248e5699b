// Tools of WebMCP as tools of MCP, and the page's tools as tools of WebMCP: in each dialect.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StartOptions } from '../../src/index.ts'
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

/** A page with the option, and an implementation of WebMCP. */
async function pageWith(
  t: TestContext,
  dialect: Dialect,
  webMcp: StartOptions['webMcp'] = true,
): Promise<TestPage & { native: FakeContext }> {
  const native = installContext(dialect)
  const page = await testPage(t, { webMcp })
  t.after(native.uninstall)
  return { ...page, native }
}

/** The names that are registered with the browser, but for the two tools that read resources. */
const appNames = (native: FakeContext) =>
  native.names().filter((name) => !['list_resources', 'read_resource'].includes(name))

const call = async (client: TestClient, name: string, args: object = {}) =>
  resultOf<Result>((await client.askModern('tools/call', { name, arguments: args })) as never)
const textOf = async (client: TestClient, name: string, args: object = {}) =>
  (await call(client, name, args)).content[0]?.text
const toolsOf = async (client: TestClient) =>
  resultOf<{ tools: Tool[] }>(await client.askModern('tools/list')).tools
const namesOf = async (client: TestClient) => (await toolsOf(client)).map(({ name }) => name)

/** The names of the tools, once there are some: the code for WebMCP is loaded on demand. */
async function listed(client: TestClient): Promise<string[]> {
  for (;;) {
    const names = await namesOf(client)
    if (names.length > 0) return names
    await new Promise((resolve) => setImmediate(resolve))
  }
}

for (const dialect of dialects) {
  test(`${dialect}: native tools are listed and called, and changes are announced`, async (t) => {
    const { native, client: newClient } = await pageWith(t, dialect)
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
    const client = newClient()
    await client.initialize()
    await listed(client)
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

  test(`${dialect}: the page's tools are offered, and removed`, async (t) => {
    const { mcp, native, errors } = await pageWith(t, dialect)
    const remove = mcp.tool(
      'echo',
      { description: 'Echoes.', annotations: { destructiveHint: true } },
      ({ text }) => String(text),
    )
    const offered = (...names: string[]) =>
      until(() => appNames(native).sort().join() === names.join(), names.join())
    await offered('echo')
    const later = mcp.tool('later', () => 'late')
    await offered('echo', 'later')
    later()
    remove()
    await offered()
    mcp.tool('last', () => '')
    await offered('last')
    mcp.close()
    await offered()
    assert.deepEqual(errors, [])
  })
}

interface Context {
  getTools(): Promise<{ name: string; annotations: object }[]>
  executeTool(tool: object, input: object, options?: object): Promise<string>
}

/** Calls a tool as the browser's assistant, once it is offered. */
async function run(name: string, input: object): Promise<Result> {
  const { modelContext } = (globalThis as unknown as { document: { modelContext: Context } })
    .document
  for (;;) {
    const tool = (await modelContext.getTools()).find((one) => one.name === name)
    if (tool) return JSON.parse(await modelContext.executeTool(tool, input))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('what is offered can be called, with the result of the engine', async (t) => {
  const { mcp, errors } = await pageWith(t, 'objects')
  mcp.tool('echo', ({ text }, { client }) => `${client.principal}: ${text}`)
  mcp.tool('fail', () => {
    throw new Error('secret')
  })
  assert.deepEqual((await run('echo', { text: 'hi' })).content, [
    { type: 'text', text: 'webmcp: hi' },
  ])
  const failed = await run('fail', {})
  assert.equal(failed.isError, true)
  assert.doesNotMatch(JSON.stringify(failed), /secret/)
  assert.equal(errors.length, 1)
})

test('the resources of the page are read by two tools', async (t) => {
  const { mcp, native, errors, client: newClient } = await pageWith(t, 'objects')
  const long = '🍎'.repeat(30_000)
  mcp.resource('notes://cart', { name: 'cart', description: 'To buy' }, '2 apples')
  mcp.resource('notes://long', () => long)
  mcp.resource('notes://data', new Uint8Array([0, 1, 255]))
  mcp.resource('notes://gone', () => undefined)
  mcp.resources('notes://day/{date}', { name: 'Diary', read: ({ date }) => `Diary of ${date}` })
  const read = async (args: object) =>
    (await run('read_resource', args)).content.map(({ text }) => text)

  const [listed] = (await run('list_resources', {})).content
  const { resources, resourceTemplates } = JSON.parse(listed?.text ?? '')
  assert.deepEqual(
    resources.map(({ uri }: { uri: string }) => uri),
    ['notes://cart', 'notes://long', 'notes://data', 'notes://gone'],
  )
  assert.equal(resources[0].description, 'To buy')
  assert.equal(resourceTemplates[0].uriTemplate, 'notes://day/{date}')
  assert.deepEqual(await read({ uri: 'notes://cart' }), ['2 apples'])
  assert.deepEqual(await read({ uri: 'notes://day/today' }), ['Diary of today'])
  assert.deepEqual(await read({ uri: 'notes://cart', offset: 2, limit: '3' }), [
    'app',
    'Characters 2 to 5 of 8. To go on, call read_resource with offset 5.',
  ])
  const [first, note] = await read({ uri: 'notes://long', limit: 39_999 })
  const [rest] = await read({ uri: 'notes://long', offset: 40_000 })
  assert.match(note ?? '', /offset 40000/)
  assert.equal(`${first}${rest}`, long, 'no character is cut into halves')
  assert.match((await read({ uri: 'notes://data' }))[0] ?? '', /which are not text/)
  for (const [args, why] of [
    [{ uri: 'notes://gone' }, /not found/],
    [{ uri: 'notes://cart', offset: 9 }, /behind the end/],
    [{ uri: 'notes://cart', limit: 0 }, /limit/],
    [{}, /uri/],
  ] as const) {
    const failed = await run('read_resource', args)
    assert.equal(failed.isError, true)
    assert.match(failed.content[0]?.text ?? '', why)
  }
  assert.deepEqual(await namesOf(newClient()), [], 'clients have resources, and need no such tools')

  const end = mcp.tool('read_resource', () => "the app's own")
  await until(() => native.names().length === 2, 'the offer')
  assert.equal((await run('read_resource', {})).content[0]?.text, "the app's own")
  end()
  await until(() => native.names().length === 2, 'the offer')
  assert.deepEqual(await read({ uri: 'notes://cart' }), ['2 apples'])
  assert.deepEqual(errors, [])
})

test('without the option nothing is offered or mirrored', async (t) => {
  const { mcp, native, client } = await pageWith(t, 'objects', false)
  native.register({ name: 'theirs' })
  mcp.tool('ours', () => 'ours')
  assert.deepEqual(await namesOf(client()), ['ours'])
  assert.deepEqual(appNames(native), ['theirs'])
})

test('nothing is registered or mirrored twice', async (t) => {
  const { mcp, native, errors, client: newClient } = await pageWith(t, 'objects')
  native.register({ name: 'theirs' })
  mcp.tool('ours', () => 'ours')
  const client = newClient()
  await until(() => appNames(native).includes('ours'), 'the offer')
  assert.deepEqual((await namesOf(client)).sort(), ['ours', 'theirs'])
  assert.equal(await textOf(client, 'ours'), 'ours')
  assert.equal(await textOf(client, 'theirs'), 'done')
  // A change of either side does not come back to it.
  native.register({ name: 'theirs_too' })
  mcp.tool('ours_too', () => '')
  await until(() => appNames(native).includes('ours_too'), 'another offer')
  assert.deepEqual(appNames(native).sort(), ['ours', 'ours_too', 'theirs', 'theirs_too'])
  assert.deepEqual((await namesOf(client)).sort(), ['ours', 'ours_too', 'theirs', 'theirs_too'])
  assert.deepEqual(errors, [])
})

test('a name that the document has taken is reported, and the others are offered', async (t) => {
  const { mcp, native, errors } = await pageWith(t, 'objects')
  native.register({ name: 'echo' })
  mcp.tool('echo', () => '')
  mcp.tool('other', () => '')
  await until(() => errors.length === 1 && appNames(native).includes('other'), 'an error')
  assert.match(String(errors[0]), /"echo" is not offered/)
})

test('tools for debugging are mirrored by an option', async (t) => {
  const { native, client: newClient } = await pageWith(t, 'objects', { debugging: true })
  native.register({ name: 'inspect', annotations: { debugging: true } })
  const client = newClient()
  assert.deepEqual(await listed(client), ['inspect'])
})

test('an engine for debugging mirrors nothing else, and offers nothing', async (t) => {
  const { native, client: newClient } = await pageWith(t, 'objects', { debugging: 'only' })
  native.register({ name: 'add' })
  native.register({ name: 'inspect', annotations: { debugging: true } })
  const client = newClient()
  assert.deepEqual(await listed(client), ['inspect'])
  assert.deepEqual(native.names().sort(), ['add', 'inspect'])
})

test('results, errors and cancelling of native tools', async (t) => {
  const { native, errors, client: newClient } = await pageWith(t, 'objects')
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
    JSON.parse(`${'{"properties":'.repeat(150)}{}${'}'.repeat(150)}`),
    'no JSON',
    null,
  ].entries()) {
    native.register({ name: `schema${i}`, inputSchema: inputSchema as object })
  }
  const client = newClient()
  await listed(client)
  for (const [name, , content, isError] of results) {
    const result = await call(client, name)
    assert.deepEqual([result.content[0]?.text, result.isError === true], [content, isError], name)
  }
  for (const name of ['throws', 'mistake']) {
    const before = native.executed.length
    const result = await call(client, name)
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
    { type: 'object' },
  ])
  assert.equal(await textOf(client, 'schema2'), 'done', 'no client can be refused by it')
  client.post({
    jsonrpc: '2.0',
    id: 'waits',
    method: 'tools/call',
    params: {
      name: 'waits',
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
  const { native, client: newClient } = await pageWith(t, 'objects')
  const inputSchema = {
    type: 'object',
    properties: {
      'items[]': { type: 'array', items: { type: 'string' } },
      'with space': { type: 'string' },
    },
    required: ['items[]'],
  }
  native.register({ name: 'form', inputSchema, execute: (args) => JSON.stringify(args) })
  const client = newClient()
  await listed(client)
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
  assert.equal((await run('echo', {})).content[0]?.text, 'echo')
  await kill()
  assert.equal((await run('echo', {})).content[0]?.text, 'echo')
  mcp.tool('later', () => 'later')
  await until(() => appNames(native).join() === 'echo,later', 'the offer of a new tool')
  native.register({ name: 'theirs' })
  assert.deepEqual((await namesOf(newClient())).sort(), ['echo', 'later', 'theirs'])
  assert.match(String(errors[0]), /engine\.wasm has ended/)
})

test('without WebMCP nothing is mirrored and nothing is offered', async (t) => {
  const { mcp, client, errors } = await testPage(t, { webMcp: true })
  mcp.tool('ours', () => 'ours')
  assert.equal(await textOf(client(), 'ours'), 'ours')
  assert.deepEqual(errors, [])
})

test('a frame that may not use WebMCP has no tools, and its developer is told once', async (t) => {
  const native = installContext('interfaces')
  t.after(native.uninstall)
  const context = (globalThis.document as unknown as { modelContext: object }).modelContext
  const refuse = async () => {
    throw new DOMException('tools is not allowed in this document', 'NotAllowedError')
  }
  Object.assign(context, { getTools: refuse, registerTool: refuse })
  const { mcp, errors, client: newClient } = await testPage(t, { webMcp: true })
  mcp.tool('own', () => 'own')
  const client = newClient()
  for (let again = 0; again < 3; again++) assert.deepEqual(await namesOf(client), ['own'])
  await until(() => errors.length > 0, 'the report')
  assert.match(String(errors), /allow="tools"/)
  assert.equal(errors.length, 1)
})
