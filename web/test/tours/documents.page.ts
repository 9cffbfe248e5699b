/**
 * The five documents that the project was started from, replayed on a page that runs: demo/world in Chromium and
 * Firefox, through the gateway, in the revision that each document describes. The transcripts seed-*.txtar show the
 * same, message by message.
 */

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { askUntil } from '../e2e/again.ts'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { type Front, startFront } from '../harness/front.ts'
import { type Answer, openSession, type Session } from './session.ts'

let gateway: Gateway
let front: Front
before(
  async () => {
    gateway = await startGateway({ args: ['--lenient', '--page-size', '10'] })
    front = await startFront('documents', gateway)
  },
  { timeout: 300_000 },
)
after(async () => {
  await front?.close()
  await gateway?.close()
})

/** Opens the world, and tells where it is served alone. */
async function openWorld(
  { open }: TestBrowser,
  language = 'en',
): Promise<{ page: Page; path: string }> {
  const { pages } = await gateway.fresh()
  const page = await open(pages.world?.replace('#', `?lang=${language}#`) ?? '')
  return { page, path: `/mcp/${await joined(page)}` }
}

/** What happens in one of the older revisions. */
function document(
  title: string,
  revision: string,
  run: (session: Session, page: Page) => Promise<void>,
  language?: string,
) {
  inBrowsers(title, async (browser) => {
    const { page, path } = await openWorld(browser, language)
    const session = await openSession(front.url(path), revision)
    assert.equal(session.greeting.protocolVersion, revision)
    try {
      await run(session, page)
    } finally {
      await session.close()
    }
  })
}

const main = 'file:///project/src/main.rs'

/** What has one URI in a list. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at what they find
const entry = (answer: Answer, uri: string): any =>
  answer.result.resources.find((one: { uri: string }) => one.uri === uri)

type Ask = (id: number, method: string, params?: object) => Promise<Answer>

/** Lists until there is something: a page that is slow has an empty list at first. */
const listed = (ask: Ask, id: number, method: string, what: string): Promise<Answer> =>
  askUntil(
    `an entry in ${method}`,
    () => ask(id, method),
    ({ result }) => result?.[what]?.length > 0,
  )

/** The first page of the resources, with the entries of the second page. */
async function allResources(ask: Ask): Promise<Answer> {
  const first = await listed(ask, 1, 'resources/list', 'resources')
  const { nextCursor } = first.result
  const second = await ask(20, 'resources/list', { cursor: nextCursor })
  return {
    ...first,
    result: { nextCursor, resources: [...first.result.resources, ...second.result.resources] },
  }
}

/** List, read, template, completion, subscribe, update, read again; a new file; one that is not there. */
async function flow(session: Session, page: Page) {
  assert.deepEqual(session.greeting.capabilities.resources, { subscribe: true, listChanged: true })
  const list = await listed(session.ask, 1, 'resources/list', 'resources')
  assert.equal(entry(list, main).name, 'main.rs')
  assert.equal(entry(list, main).mimeType, 'text/x-rust')
  const { result: before } = await session.ask(2, 'resources/read', { uri: main })
  assert.equal(before.contents.length, 1)
  assert.equal(before.contents[0].uri, main)
  assert.equal(before.contents[0].mimeType, 'text/x-rust')
  assert.match(before.contents[0].text, /fn main\(\)/)
  const { result: templates } = await listed(
    session.ask,
    3,
    'resources/templates/list',
    'resourceTemplates',
  )
  const [files] = templates.resourceTemplates
  assert.equal(files.uriTemplate, 'file:///{path}')
  assert.equal(files.name, 'Project Files')
  assert.equal(files.mimeType, 'application/octet-stream')
  const expanded = 'file:///project%2Fsrc%2Fmain.rs'
  const { result: same } = await session.ask(6, 'resources/read', { uri: expanded })
  assert.equal(same.contents[0].text, before.contents[0].text)
  const { result: completed } = await session.ask(7, 'completion/complete', {
    ref: { type: 'ref/resource', uri: 'file:///{path}' },
    argument: { name: 'path', value: 'project/s' },
  })
  assert.deepEqual(completed.completion.values, ['project/src/main.rs'])
  assert.deepEqual((await session.ask(4, 'resources/subscribe', { uri: main })).result, {})
  await page.click('#act-edit')
  assert.equal((await session.hear('notifications/resources/updated')).params?.uri, main)
  const { result: after } = await session.ask(8, 'resources/read', { uri: main })
  assert.notEqual(after.contents[0].text, before.contents[0].text)
  await page.click('#act-file')
  await session.hear('notifications/resources/list_changed')
  const uri = 'file:///nonexistent.txt'
  const { error } = await session.ask(5, 'resources/read', { uri })
  assert.equal(error?.code, -32002)
  assert.deepEqual(error?.data, { uri })
}

document('the first document: resources of 2025-11-25', '2025-11-25', async (session, page) => {
  await flow(session, page)
  const list = await allResources(session.ask)
  assert.equal(entry(list, main).title, 'The program')
  assert.equal(typeof entry(list, main).size, 'number')
  assert.deepEqual(entry(list, main).icons[0].sizes, ['48x48'])
  assert.equal(entry(list, 'file:///project/build.log').name, 'build.log')
})

document('the second document: many kinds of data', '2025-03-26', async (session, page) => {
  const list = await listed(session.ask, 1, 'resources/list', 'resources')
  for (const one of list.result.resources) {
    const known = ['uri', 'name', 'description', 'mimeType', 'size', 'annotations']
    assert.deepEqual(
      Object.keys(one).filter((name) => !known.includes(name)),
      [],
    )
  }
  const read = async (id: number, uri: string) =>
    (await session.ask(id, 'resources/read', { uri })).result.contents[0]
  const pdf = await read(2, 'file:///home/user/documents/report.pdf')
  assert.equal(Buffer.from(pdf.blob, 'base64').subarray(0, 5).toString(), '%PDF-')
  const schema = await read(3, 'postgres://database/customers/schema')
  assert.equal(JSON.parse(schema.text).table, 'customers')
  const screen = await read(4, 'screen://localhost/display1')
  assert.equal(screen.mimeType, 'image/png')
  const weather = JSON.parse((await read(5, 'weather://data/12345')).text)
  assert.deepEqual(Object.keys(weather).sort(), ['condition', 'humidity', 'temperature'])
  await page.click('#act-weather')
  const later = JSON.parse((await read(6, 'weather://data/12345')).text)
  assert.notDeepEqual(later, weather) // the current one, without a subscription
  assert.equal((await read(7, 'weather://data/54321')).mimeType, 'application/json')
  const none = await session.ask(8, 'resources/read', { uri: 'weather://data/nowhere' })
  assert.equal(none.error?.code, -32002)

  const log = 'file:///logs/app.log'
  const before = (await read(9, log)).text
  assert.deepEqual((await session.ask(10, 'resources/subscribe', { uri: log })).result, {})
  await page.click('#act-log')
  assert.equal((await session.hear('notifications/resources/updated')).params?.uri, log)
  assert.ok((await read(11, log)).text.length > before.length)
  assert.deepEqual((await session.ask(12, 'resources/unsubscribe', { uri: log })).result, {})
  const heard = session.unheard().length
  await page.click('#act-log')
  await page.click('#act-file')
  await session.hear('notifications/resources/list_changed') // it comes behind what would have come
  const updates = session.unheard().slice(heard)
  assert.deepEqual(
    updates.filter(({ method }) => method.endsWith('/updated')),
    [],
  )
})

document('the third document: icons, annotations, folders', '2025-11-25', async (session, page) => {
  await flow(session, page)
  const list = await listed(session.ask, 9, 'resources/list', 'resources')
  const { annotations } = entry(list, 'file:///project/README.md')
  const lastModified = '2025-01-12T15:00:58Z'
  assert.deepEqual(annotations, { audience: ['user'], priority: 0.8, lastModified })
  assert.equal(entry(list, 'file:///project/').mimeType, 'inode/directory')
  const { result } = await listed(session.ask, 10, 'resources/templates/list', 'resourceTemplates')
  assert.equal(result.resourceTemplates[0].icons[0].src, 'https://example.com/folder-icon.png')
  const image = await session.ask(11, 'resources/read', { uri: 'file:///example.png' })
  const { blob, ...rest } = image.result.contents[0]
  assert.deepEqual(
    { ...rest, _meta: undefined },
    {
      uri: 'file:///example.png',
      mimeType: 'image/png',
      _meta: undefined,
    },
  )
  assert.equal(Buffer.from(blob, 'base64').length, entry(list, 'file:///example.png').size)
})

document('the fourth document: the older fields', '2024-11-05', async (session, page) => {
  await flow(session, page)
  const list = await listed(session.ask, 9, 'resources/list', 'resources')
  for (const one of list.result.resources) {
    for (const newer of ['title', 'icons', '_meta']) assert.equal(newer in one, false, newer)
  }
})

document(
  'the fifth document: an agent and its prompt',
  '2025-11-25',
  async (session) => {
    await agent((id, method, params) => session.ask(id, method, params))
    const asked = { name: 'research', arguments: { topic: '量子计算' } }
    const standard = await session.ask(5, 'prompts/get', asked)
    assert.match(standard.result.messages[0].content.text, /量子计算.*摘要/) // depth was left out
    const missing = { name: 'research', arguments: { depth: 'deep' } }
    assert.equal((await session.ask(6, 'prompts/get', missing)).error?.code, -32602)
    const { result } = await session.ask(7, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'research' },
      argument: { name: 'depth', value: 'd' },
    })
    assert.deepEqual(result.completion.values[0], 'deep')
  },
  'zh-Hans',
)

inBrowsers('the fifth document’s curl lines: no handshake, a key, one header', async (browser) => {
  const { path } = await openWorld(browser, 'zh-Hans')
  await agent((id, method, params) => curl(path, { id, method, ...(params && { params }) }))
  const refused = await curl(path, { id: 9, method: 'resources/list' }, 'bak_WRONG')
  assert.equal(refused.status, 401)
})

inBrowsers('the fifth document’s path: the agent before /mcp', async (browser) => {
  const { path } = await openWorld(browser, 'zh-Hans')
  const spelled = `/${path.slice('/mcp/'.length)}/mcp`
  await agent((id, method, params) => curl(spelled, { id, method, ...(params && { params }) }))
})

document(
  'all documents: every resource is described, and a list has a second page',
  '2025-11-25',
  async (session) => {
    const first = await listed(session.ask, 1, 'resources/list', 'resources')
    const cursor = first.result.nextCursor
    assert.equal(typeof cursor, 'string')
    const second = await session.ask(2, 'resources/list', { cursor })
    assert.equal(second.result.nextCursor, undefined)
    const all = [...first.result.resources, ...second.result.resources]
    assert.equal(new Set(all.map(({ uri }) => uri)).size, all.length)
    for (const { uri, description } of all) assert.ok(description, uri)
  },
)

document(
  'the second document: text, images, audio and video; a resource of git',
  '2025-06-18',
  async (session) => {
    const list = await listed(session.ask, 1, 'resources/list', 'resources')
    const { result } = await session.ask(2, 'resources/list', { cursor: list.result.nextCursor })
    const media = {
      'file:///media/chime.wav': 'audio/wav',
      'file:///media/test.webm': 'video/webm',
    }
    for (const [uri, mimeType] of Object.entries(media)) {
      const { result: read } = await session.ask(3, 'resources/read', { uri })
      const [content] = read.contents
      assert.equal(content.mimeType, mimeType)
      const { size } = entry({ result } as Answer, uri)
      assert.equal(Buffer.from(content.blob, 'base64').length, size)
    }
    const { result: commit } = await session.ask(4, 'resources/read', {
      uri: 'git://project/commits/main',
    })
    assert.match(commit.contents[0].text, /^commit [0-9a-f]{40}\n/)
  },
)

/** What the fifth document shows, however it is asked. */
async function agent(ask: Ask) {
  const config = 'beeos://agent/config'
  const list = await allResources(ask)
  const described = entry(list, config)
  assert.deepEqual(Object.keys(described).sort(), ['description', 'mimeType', 'name', 'uri'])
  assert.equal(described.name, '智能体配置')
  assert.equal(entry(list, 'beeos://agent/skills').name, '技能注册表')
  const { result: read } = await ask(2, 'resources/read', { uri: config })
  const agent = { name: 'Research Assistant', model: 'gpt-4o', skills: ['web_search', 'summarize'] }
  assert.deepEqual(JSON.parse(read.contents[0].text), agent)
  const { result: list2 } = await listed(ask, 3, 'prompts/list', 'prompts')
  const [prompt] = list2.prompts
  assert.equal(prompt.name, 'research')
  const required = prompt.arguments.map((one: { name: string; required?: boolean }) => [
    one.name,
    one.required,
  ])
  assert.deepEqual(required, [
    ['topic', true],
    ['depth', false],
  ])
  const { result: got } = await ask(4, 'prompts/get', {
    name: 'research',
    arguments: { topic: '量子计算', depth: 'deep' },
  })
  assert.equal(got.messages.length, 1)
  assert.equal(got.messages[0].role, 'user')
  assert.equal(got.messages[0].content.type, 'text')
  assert.match(got.messages[0].content.text, /深入研究量子计算/)
}

/** Sends what curl would: the key, the content type, and nothing that MCP asks for. */
async function curl(
  path: string,
  message: object,
  key = gateway.token,
): Promise<Answer & { status?: number | undefined }> {
  const at = new URL(path, gateway.mcp)
  const headers = { 'X-Agent-API-Key': key, 'Content-Type': 'application/json', Accept: '*/*' }
  return new Promise((resolve, reject) => {
    const request = httpRequest(at, { method: 'POST', headers, timeout: 20_000 }, (response) => {
      text(response).then((body) => {
        if (response.statusCode !== 200) resolve({ status: response.statusCode })
        else resolve(JSON.parse(body))
      }, reject)
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  })
}
