// Published values with the engine in its Worker: reads do not wait for the window.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

const page = `
import { start } from '/pagemcp/index.js'
window.mcp = await start({ name: 'test' })
window.value = mcp.resource('shop://cart', { name: 'Cart' }, 'published')
mcp.resource('shop://computed', { name: 'Computed' }, () => new Uint8Array([1, 2, 3]))
mcp.resource('shop://logo', { name: 'Logo' }, new Uint8Array([1, 2, 3]))

/** Sends a read from another Worker, whose answer arrives there. */
const client = new Worker('/client.js', { type: 'module' })
const port = mcp.port()
window.read = (uri, flag) => new Promise((resolve) => {
  client.onmessage = ({ data }) => resolve(data)
  client.postMessage({ uri, flag })
})
client.postMessage({ port }, [port])
/** Does nothing else until the answer is in the other Worker. */
window.readBlocked = async (uri) => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const answer = read(uri, flag)
  const deadline = performance.now() + 10_000
  while (Atomics.load(flag, 0) === 0 && performance.now() < deadline);
  return { isAnswered: Atomics.load(flag, 0) === 1, answer: await answer }
}
window.ready = true`

const client = `
import { testClient } from '/test/harness/client.ts'
let client
onmessage = async ({ data: { port, uri, flag } }) => {
  if (port) {
    client = testClient(port)
    return
  }
  const { result, error } = await client.askModern('resources/read', { uri })
  if (flag) Atomics.store(flag, 0, 1)
  postMessage(result?.contents[0] ?? error)
}`

const isolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

inBrowsers('a published value is read while the window is busy', async ({ open }) => {
  const site = await servePages({ '/page.html': page }, isolated, { '/client.js': client })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    const run = (code: string) => tab.evaluate(code) as Promise<Record<string, unknown>>
    await run(`read('shop://cart')`) // the other Worker has started
    const first = await run(`readBlocked('shop://cart')`)
    assert.deepEqual(
      [first.isAnswered, (first.answer as { text: string }).text],
      [true, 'published'],
    )
    await run(`value.set({ n: 1 })`)
    assert.equal((await run(`read('shop://cart')`)).text, '{"n":1}')
    assert.equal((await run(`read('shop://logo')`)).blob, 'AQID')
    assert.equal((await run(`read('shop://computed')`)).blob, 'AQID')
  } finally {
    await site.close()
  }
})
