// A Go program that ends inside the Worker is replaced, in real browsers. security.md R11.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

/** The Worker, with a way to end its Go program as an exhausted memory does. */
const worker = `
import '/pagemcp/worker.js'
let last
let Watched // what wasm_exec.js defines at the start of the engine
Object.defineProperty(globalThis, 'Go', {
  get: () => Watched,
  set(Go) {
    Watched = class extends Go {
      constructor() { super(); last = this }
    }
  },
})
const own = self.onmessage
self.onmessage = (event) => {
  if (event.data !== 'kill') return own(event)
  last.importObject.gojs['runtime.wasmExit'](0)
  event.ports[0].postMessage('done')
}`

const page = `
import { start } from '/pagemcp/index.js'
window.Worker = class extends Worker {
  constructor(...args) {
    super(...args)
    window.worker = this
  }
}
window.errors = []
window.mcp = await start({ name: 'test', urls: { worker: '/worker.html.js' } })
mcp.on('error', (error) => errors.push(error.message))
let n = 0
mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => 'read ' + ++n)
const port = mcp.port()
const waiting = new Map()
window.notified = []
port.onmessage = ({ data }) => {
  if ('id' in data) waiting.get(data.id)(data)
  else notified.push(data.method)
}
let last = 0
window.ask = (method, params) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method, params })
})
await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } })
port.postMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })
await ask('resources/subscribe', { uri: 'notes://cart' })
window.killed = async () => {
  const { port1, port2 } = new MessageChannel()
  const done = new Promise((resolve) => { port1.onmessage = resolve })
  worker.postMessage('kill', [port2])
  await done // ports are in order each by itself, not among each other
  const first = await ask('ping')
  const second = await ask('resources/read', { uri: 'notes://cart' })
  return [first.error?.data.reason, second.result?.contents[0].text]
}
window.ready = true`

inBrowsers('a dead engine is back with all that it knew', async ({ open }) => {
  const site = await servePages({ '/page.html': page, '/worker.html': worker })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    for (let i = 1; i <= 2; i++) {
      const [reason, text] = (await tab.evaluate('killed()')) as [string, string]
      assert.equal(reason, 'restarted')
      assert.equal(text, `read ${i}`)
      await tab.waitForFunction(`notified.filter((m) => m.endsWith('updated')).length === ${i}`)
    }
    assert.equal(await tab.evaluate('mcp.state.engine'), 'running')
    assert.equal(await tab.evaluate('errors.length'), 2)
  } finally {
    await site.close()
  }
})
