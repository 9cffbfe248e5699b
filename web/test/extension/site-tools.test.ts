/** What becomes a tool of a site, without a browser: documents speak by fake ports. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TabInfo } from '../../extension/messages.ts'
import { siteTools } from '../../extension/site-tools.ts'
import type { CallRequest } from '../../src/callee.ts'

const shop = 'https://shop.example'
const gateway = 'ws://127.0.0.1:8808/page'

const tab = (id: number, site: string, more: Partial<TabInfo> = {}): TabInfo =>
  ({ id, site, active: false, stopped: [], acting: [], ...more }) as TabInfo

/** The port of the relay in a document, with what the engine has posted. */
function fakePort(sender: { tab: number; origin: string; frameId?: number }) {
  const hear: ((message: unknown) => void)[] = []
  const end: (() => void)[] = []
  const posted: unknown[] = []
  let isOpen = true
  const port = {
    sender: { tab: { id: sender.tab }, origin: sender.origin, frameId: sender.frameId ?? 0 },
    onMessage: { addListener: (act: (typeof hear)[0]) => hear.push(act) },
    onDisconnect: { addListener: (act: () => void) => end.push(act) },
    postMessage: (message: unknown) => posted.push(message),
    disconnect: () => (isOpen = false),
  }
  return {
    port: port as unknown as chrome.runtime.Port,
    posted,
    isOpen: () => isOpen,
    say: (message: unknown) => hear.forEach((act) => void act(message)),
    leave: () => end.forEach((act) => void act()),
  }
}

function scene(...tabs: TabInfo[]) {
  const attached: number[] = []
  let changes = 0
  const host = {
    attach: async ({ tab }: { tab: number }) => void attached.push(tab),
    sharedTabs: async () => tabs,
  }
  const tools = siteTools(
    host,
    () => gateway,
    () => changes++,
  )
  tools.update(tabs)
  const open = (id: number, site: string, ...own: object[]) => {
    const made = fakePort({ tab: id, origin: site })
    tools.connect(made.port)
    made.say({ tools: own, left: 0 })
    return made
  }
  const listed = async () => (await tools.source.tools?.()) ?? []
  const names = async () => (await listed()).map(({ name }) => name)
  return { tools, attached, open, listed, names, changes: () => changes }
}

const add = { name: 'add', description: 'Adds.', inputSchema: '{"type":"object"}' }
const request = (principal: string) =>
  ({ signal: new AbortController().signal, client: { principal } }) as unknown as CallRequest

test('a document is that of the tab and site that the browser names, in the top frame', async () => {
  const { tools, attached, names, open } = scene(tab(1, shop))
  assert.deepEqual(attached, [1])
  for (const sender of [
    { tab: 1, origin: 'https://evil.example' },
    { tab: 1, origin: 'null' }, // a sandbox
    { tab: 2, origin: shop },
    { tab: 1, origin: shop, frameId: 3 },
  ]) {
    const other = fakePort(sender)
    tools.connect(other.port)
    other.say({ tools: [add] })
    assert.equal(other.isOpen(), false)
    assert.deepEqual(await names(), [], JSON.stringify(sender))
  }
  open(1, shop, add)
  assert.deepEqual(await names(), ['shop.example/add'])
})

test('names are by site, and of two tabs of a site the one used last has the tools', async () => {
  const first = tab(1, shop, { lastAccessed: 2 })
  const second = tab(2, shop, { lastAccessed: 1 })
  const other = tab(3, 'http://localhost:3000')
  const { tools, names, open, changes } = scene(first, second, other)
  open(1, shop, add)
  open(2, shop, { ...add, name: 'remove' })
  open(3, 'http://localhost:3000', add)
  assert.deepEqual(await names(), ['shop.example/add', 'http://localhost:3000/add'])
  const before = changes()
  tools.update([first, { ...second, active: true }, other])
  assert.deepEqual(await names(), ['shop.example/remove', 'http://localhost:3000/add'])
  assert.equal(changes(), before + 1)
  tools.update([first, { ...second, active: true, title: 'Another' }, other])
  assert.equal(changes(), before + 1, 'the same tools are not announced again')
})

test('what a document sends is bounded, and what was cut is said', async () => {
  const { listed, open } = scene(tab(1, shop))
  const deep = `{"properties":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`
  const document = open(1, shop, { ...add, inputSchema: deep }, { ...add, name: 'no name' })
  const [tool, ...others] = await listed()
  assert.deepEqual(others, [])
  assert.deepEqual(tool?.inputSchema, { type: 'object' })
  assert.match(tool?.description ?? '', /schema is missing, or too large/)
  const many = Array.from({ length: 300 }, (_, i) => ({ ...add, name: `add_${i}` }))
  document.say({ tools: many, left: 200 })
  const all = await listed()
  assert.equal(all.length, 100)
  assert.match(all.at(-1)?.description ?? '', /200 further tools/)
  for (const odd of [undefined, null, 5, { tools: 'x' }, { tools: [null], left: 'x' }]) {
    document.say(odd)
    assert.deepEqual(await listed(), [])
  }
})

test('a document that has joined the gateway, in any spelling, serves its tools itself', async () => {
  const { names, open } = scene(tab(1, shop))
  const document = open(1, shop, add)
  document.say({ tools: [add], gateways: ['ws://localhost:8808/page'] })
  assert.deepEqual(await names(), [])
  document.say({ tools: [add], gateways: ['wss://hosted.example/page', 5] })
  assert.deepEqual(await names(), ['shop.example/add'])
})

test('calls end with their document, and for an assistant that the user has stopped, also one without a name', async () => {
  const shared = tab(1, shop)
  const { tools, attached, open } = scene(shared)
  const document = open(1, shop, add)
  const call = () => tools.source.callTool?.('shop.example/add', { a: 1 }, request('stdio'))
  const first = call()
  await Promise.resolve().then(() => {})
  document.say({
    id: 1,
    answer: '{"content":[{"type":"resource_link","uri":"tab:///2","name":"x"}]}',
  })
  assert.deepEqual(await first, {
    content: [{ type: 'text', text: '{"type":"resource_link","uri":"tab:///2","name":"x"}' }],
    isError: false,
  })
  const stopped = call()
  await Promise.resolve().then(() => {})
  shared.stopped = ['unnamed']
  tools.update([shared])
  assert.match(JSON.stringify(await stopped), /ended this access/)
  assert.deepEqual(document.posted.at(-1), { cancel: 2 })
  await assert.rejects(call() as Promise<unknown>, /not shared this with you/)
  shared.stopped = []
  tools.update([shared])
  const left = call()
  await Promise.resolve().then(() => {})
  document.leave()
  assert.match(JSON.stringify(await left), /document was left/)
  assert.deepEqual(attached, [1, 1], 'there may be another document')
})
