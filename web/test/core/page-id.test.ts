// The id by which a gateway knows a page again: a busy browser may answer late whether another document has it.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const stored = new Map<string, string>()
Object.defineProperty(globalThis, 'sessionStorage', {
  value: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  },
})
let request: (options: LockOptions, hold: (lock: unknown) => unknown) => Promise<unknown>
Object.defineProperty(navigator, 'locks', {
  value: {
    request: (_: string, options: LockOptions, hold: () => unknown) => request(options, hold),
  },
})
const window = new EventTarget()
Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window) })
const transition = (type: string) => Object.assign(new Event(type), { persisted: true })

test('an id that no other document has is kept, however late the browser says so', async () => {
  stored.set('pagemcp.page', 'known')
  // Grants a lock after every limit that the request has.
  request = ({ signal }, hold) =>
    new Promise((resolve, reject) => {
      if (signal === undefined) resolve(hold({}))
      else signal.addEventListener('abort', () => reject(signal.reason))
    })
  const { pageId } = await import('../../src/connector.ts')
  const user = new AbortController()
  assert.equal(await pageId(user.signal), 'known')
  user.abort()
})

test('a document that returns from the cache joins with its id once it owns one again', async () => {
  stored.set('pagemcp.page', 'shared')
  request = async (_, hold) => hold({})
  const { pageId, presentPageId } = await import('../../src/connector.ts')
  const user = new AbortController()
  assert.equal(await pageId(user.signal), 'shared')
  window.dispatchEvent(transition('pagehide'))
  let joinsWith: string | undefined
  const attempt = presentPageId().then((id) => (joinsWith = id))
  await new Promise(setImmediate)
  assert.equal(joinsWith, undefined, 'it waits while it is in the cache')
  let refused = 0 // a copy of the tab has the lock, and keeps it
  request = async ({ signal }, hold) => {
    if (++refused > 2) return hold({})
    if (signal === undefined) return void hold(null)
    throw new DOMException('it took too long', 'TimeoutError')
  }
  window.dispatchEvent(transition('pageshow'))
  assert.notEqual(await attempt, 'shared')
  assert.equal(await presentPageId(), stored.get('pagemcp.page'))
  user.abort()
  await assert.rejects(presentPageId())
})

test('the tabs of a browser profile share an id, and without storage there is none', async () => {
  const { profile } = await import('../../src/connector.ts')
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  }
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true })
  const first = profile()
  assert.ok(first)
  assert.equal(profile(), first)
  kept.clear()
  storage.getItem = (key) => {
    const mine = kept.get(key) ?? null
    kept.set(key, 'of the other tab')
    return mine
  }
  storage.setItem = () => kept // the other tab was faster
  assert.equal(profile(), 'of the other tab')
  Object.defineProperty(globalThis, 'localStorage', {
    get() {
      throw new DOMException('an opaque origin', 'SecurityError')
    },
  })
  assert.equal(profile(), undefined)
})
