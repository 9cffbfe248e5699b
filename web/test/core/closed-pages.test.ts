// Which pages of a browser are closed: their names at a gateway may be given to a new page of the same browser.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { closedPages, watchClosing } from '../../src/closed-pages.ts'

let stored: Record<string, string> = {}
let held: string[] = []
let isListed = true
const methods = {
  getItem: (key: string) => stored[key] ?? null,
  setItem(key: string, value: string) {
    stored[key] = value
  },
  removeItem: (key: string) => void delete stored[key],
}
const storage = () => {
  const all = Object.create(methods, Object.getOwnPropertyDescriptors(stored))
  const ownKeys = () => {
    throw new Error('the keys cannot be listed')
  }
  return isListed ? all : new Proxy(all, { ownKeys })
}
Object.defineProperty(globalThis, 'localStorage', { get: storage })
Object.defineProperty(navigator, 'locks', {
  value: {
    query: async () => ({ held: held.map((id) => ({ name: `pagemcp:${id}` })), pending: [] }),
  },
})
const window = new EventTarget()
Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window) })
const { signal } = new AbortController()
const ago = (ms: number) => String(Date.now() - ms)

beforeEach(() => {
  stored = {}
  held = []
  isListed = true
})

test('a page whose browser was killed is closed, one that has a document is not', async () => {
  stored = { 'pagemcp.page.killed': ago(60_000), 'pagemcp.page.alive': ago(60_000) }
  held = ['alive']
  assert.deepEqual(await closedPages(signal), ['killed'])
})

test('a page that may be reloading is not closed', async () => {
  stored = { 'pagemcp.page.reloading': ago(2_000) }
  assert.deepEqual(await closedPages(signal), [])
})

test('pages are remembered for days, and those that were closed a moment ago come last', async () => {
  const day = 86_400_000
  stored = {
    'pagemcp.page.recent': ago(day),
    'pagemcp.page.early': ago(6 * day),
    'pagemcp.page.forgotten': ago(8 * day),
    'pagemcp.page.broken': 'x',
    'pagemcp.page.marked': ago(5 * day),
    'pagemcp.closed.marked': ago(1_000),
    'of the app': '1',
  }
  assert.deepEqual(await closedPages(signal), ['early', 'recent', 'marked'])
  assert.equal(stored['pagemcp.page.forgotten'], undefined)
  assert.equal(stored['of the app'], '1')
})

test('few pages are remembered, and at most 16 are named', async () => {
  for (let i = 0; i < 100; i++) stored[`pagemcp.page.p${i}`] = ago(1_000_000 - i)
  const over = new AbortController()
  watchClosing('own', new Set(), over.signal)
  held = ['own']
  const kept = Object.keys(stored).filter((key) => key.startsWith('pagemcp.page.'))
  assert.equal(kept.length, 32)
  const closed = await closedPages(signal)
  assert.deepEqual([closed.length, closed.at(-1)], [16, 'p99'])
  over.abort()
})

test('a page is marked as closed although its browser does not list the keys of storage any more', (t) => {
  t.mock.method(performance, 'now', () => 100) // ms: a document that starts slowly may still be reloading
  const left = new AbortController()
  watchClosing('closing', new Set(), left.signal)
  isListed = false
  const now = Date.now()
  window.dispatchEvent(new Event('pagehide'))
  assert.ok(Number(stored['pagemcp.closed.closing']) > now)
  left.abort()
})
