// Nothing of an engine is in the page before its start, nor left of a start that failed or of a connection that was left;
// test/sources/lifecycle.smoke.ts has the same of sources.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'
import { fakeGateway } from './gateway.ts'

const host = `
import { leftovers } from '/test/harness/leftovers.ts'
import * as lib from '/pagemcp/index.js'
const query = new URLSearchParams(location.search)
window.uncaught = []
addEventListener('error', ({ message }) => uncaught.push(message))
addEventListener('unhandledrejection', ({ reason }) => uncaught.push(String(reason)))
const before = leftovers()
window.lib = lib
window.workers = []
const RealWorker = Worker
window.Worker = class extends RealWorker {
  constructor(...args) { super(...args); this.ended = false; workers.push(this) }
  terminate() { this.ended = true; super.terminate() }
}
window.begin = (options) => lib.start({ name: 'host', ...options })
/** Settles when an engine runs, and rejects if it does not start. */
window.begun = async (options) => {
  const mcp = begin(options)
  mcp.on('error', () => {})
  await mcp.ready
}
/** What is open besides what was there before; waits for at most 15 s until that is nothing. */
window.open = () => {
  const all = leftovers()
  for (const one of before) all.splice(all.indexOf(one), 1)
  return all
}
window.untilNothing = async (isOver = (open) => open.length === 0) => {
  const end = performance.now() + 15_000
  while (!isOver(window.open()) && performance.now() < end) await new Promise(requestAnimationFrame)
  return window.open()
}
window.nameOf = (promise) => new Promise((resolve) => {
  const timer = setTimeout(resolve, 15_000, 'not settled after 15 s')
  promise
    .then((value) => 'resolved ' + value, (error) => error.name + ': ' + error.message)
    .then((outcome) => { clearTimeout(timer); resolve(outcome) })
})
window.ready = true`

const pages = {
  '/host.html': host,
  '/throws.html': "throw new Error('thrown by the script')",
}

/** Imports all entry points when it is called, and says what has changed. */
const importing = `
import { leftovers } from '/test/harness/leftovers.ts'
const seen = async () => ({
  address: location.href,
  entries: history.length,
  globals: Object.getOwnPropertyNames(window).length,
  open: leftovers(),
  local: Object.keys(localStorage),
  session: Object.keys(sessionStorage),
  databases: await indexedDB.databases(),
  document: document.documentElement.outerHTML,
  locks: (await navigator.locks.query()).held.length,
})
window.effects = async () => {
  const before = await seen()
  for (const entry of ['index', 'client']) await import('/pagemcp/' + entry + '.js')
  const after = await seen()
  return Object.keys(before)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => [name, before[name], after[name]])
}
window.loaded = () => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`

inBrowsers(
  'importing the package has no effect but to take an invitation out of the address, and to keep it for a reload',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const site = await servePages({ ...pages, '/importing.html': importing })
    const address = `${site.origin}/importing.html?q=1#route`
    try {
      const invited = `${address}${gateway.fragment.replace('#', '&')}`
      for (const [url, effects] of [
        [
          invited,
          [
            ['address', invited, address],
            ['session', [], ['pagemcp.invitation']], // for a reload
          ],
        ],
        [address, []],
      ] as const) {
        const tab = await open(url)
        await tab.waitForFunction('window.loaded')
        assert.deepEqual(await tab.evaluate('effects()'), effects)
        const loaded = (await tab.evaluate('loaded()')) as string[]
        assert.ok(loaded.includes('/pagemcp/index.js'), loaded.join())
        assert.ok(!loaded.some((path) => /worker|wasm/.test(path)), loaded.join())
        await tab.close()
      }
      assert.equal(gateway.dials, 0)
    } finally {
      await site.close()
      gateway.close()
    }
  },
)

inBrowsers('a connection is left after joining', async ({ open }) => {
  const gateway = await fakeGateway()
  const site = await servePages(pages)
  try {
    const tab = await open(`${site.origin}/host.html${gateway.fragment}`)
    await tab.waitForFunction('window.ready')
    await tab.evaluate(`(async () => {
        window.mcp = await begin()
        window.started = window.open()
        window.connection = mcp.connect('${gateway.url}')
        window.outcome = nameOf(connection.joined)
      })()`)
    const peer = await gateway.dialled()
    await gateway.join(peer)
    assert.equal(await tab.evaluate('outcome'), 'resolved notes')
    assert.equal(await tab.evaluate('connection.state.name'), 'notes')
    await tab.evaluate('connection.leave()')
    assert.equal(await peer.closed, 1000)
    await tab.waitForFunction("mcp.state.gateways[0].is === 'closed'")
    await tab.evaluate("dispatchEvent(new Event('online'))") // would reconnect
    const { dials } = gateway
    // A second connection is independent of the first.
    await tab.evaluate(`{ window.again = nameOf(mcp.connect('${gateway.url}').joined); undefined }`)
    await gateway.join(await gateway.dialled())
    assert.equal(await tab.evaluate('again'), 'resolved notes')
    assert.equal(gateway.dials, dials + 1)
    await tab.evaluate('mcp.close()')
    assert.deepEqual(await tab.evaluate('untilNothing()'), [])
    assert.deepEqual(await tab.evaluate('uncaught'), [])
  } finally {
    await site.close()
    gateway.close()
  }
})

inBrowsers(
  'a connection that is left while the user is asked takes the question away',
  async ({ open }) => {
    const known = await fakeGateway()
    const other = await fakeGateway()
    const site = await servePages(pages)
    const connect = `(async () => {
        window.mcp = await begin()
        window.connection = mcp.connect({ gateways: ['${known.url}', '${other.url}'] })
        window.outcome = nameOf(connection.joined)
      })()`
    try {
      const first = await open(`${site.origin}/host.html${known.fragment}`)
      await first.waitForFunction('window.ready')
      await first.evaluate(connect)
      await known.join(await known.dialled())
      assert.equal(await first.evaluate('outcome'), 'resolved notes')
      await first.close()
      const tab = await open(`${site.origin}/host.html${other.fragment}`)
      await tab.waitForFunction('window.ready')
      for (const end of ['connection.leave()', 'mcp.close()']) {
        await tab.evaluate(connect)
        await tab.waitForSelector('pagemcp-question')
        await tab.evaluate(end)
        const wanted =
          end === 'mcp.close()'
            ? 'InvalidStateError: the engine was closed'
            : 'AbortError: the page left the gateway'
        assert.equal(await tab.evaluate('outcome'), wanted)
        await tab.waitForFunction("document.querySelector('pagemcp-question') === null", {
          timeout: 5_000, // ms
        })
        await tab.evaluate('mcp.close()')
      }
      assert.equal(other.dials, 0)
      assert.deepEqual(await tab.evaluate('uncaught'), [])
    } finally {
      await site.close()
      known.close()
      other.close()
    }
  },
)

inBrowsers('a start that fails leaves nothing', async ({ open }) => {
  const site = await servePages(pages)
  try {
    const tab = await open(`${site.origin}/host.html`)
    await tab.waitForFunction('window.ready')
    const got = (await tab.evaluate(`(async () => {
        const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])
        const never = new URL('/never.wasm', location.href)
        const bad = [
          { urls: { wasm: '/missing.wasm' } },
          { urls: { wasm: empty } }, // compiles, and is no engine
          { urls: { wasm: new Uint8Array([1, 2, 3]) } },
          { cache: { ttlMs: 10n } },
          { urls: { worker: '/missing.js' } },
          { urls: { worker: '/throws.html.js' } },
          { urls: { worker: '/missing.js', wasm: '/missing.wasm' } },
        ]
        const outcomes = []
        for (const options of bad) outcomes.push(await nameOf(begun(options)))
        const open = await untilNothing()
        return { outcomes, open, running: workers.filter(({ ended }) => !ended).length, uncaught }
      })()`)) as { outcomes: string[]; open: string[]; running: number; uncaught: string[] }
    assert.deepEqual(
      got.outcomes.filter((outcome) => !/^\w*Error: /.test(outcome)),
      [],
      got.outcomes.join('\n'),
    )
    assert.deepEqual([got.open, got.running, got.uncaught], [[], 0, []])
  } finally {
    await site.close()
  }
})
