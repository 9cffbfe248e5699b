// A Worker that is replaced: clients on each kind of port learn that theirs has ended, and the next one serves them.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

const page = `
import { start } from '/pagemcp/index.js'
import { connectTo } from '/pagemcp/client.js'
import { testClient } from '/test/harness/client.ts'
window.Worker = class extends Worker {
  constructor(...args) { super(...args); if (args[1].name === 'pagemcp') window.worker = this }
}
const offered = new Map()
document.modelContext ??= {}
Object.defineProperty(document, 'modelContext', { value: {
  async registerTool(tool, { signal }) {
    offered.set(tool.name, tool)
    signal.addEventListener('abort', () => offered.delete(tool.name))
  },
} })
const mcp = start({ name: 'host', webMcp: true, urls: { worker: '/mortal.html.js' } })
mcp.on('error', () => {})
mcp.resource('app://value', { name: 'Value' }, 'kept')
mcp.tool('echo', () => 'echo')
mcp.listen({ origins: [location.origin] })
const read = async (port) =>
  (await testClient(port).askModern('resources/read', { uri: 'app://value' })).result.contents[0].text
/** A port, and the promise of its last message. */
const open = {
  port: async () => mcp.port(),
  listened: () => connectTo(window, { origin: location.origin }),
  async accepted() {
    const { port1, port2 } = new MessageChannel()
    // A port that cannot be moved to the Worker.
    const port = { onmessage: null, postMessage: (data) => port1.postMessage(data), close: () => port1.close() }
    port1.onmessage = (event) => port.onmessage(event)
    mcp.accept(port, { principal: 'page' })
    return port2
  },
}
const lastMessage = (port) => new Promise((resolve) => {
  port.addEventListener('message', ({ data }) => data.pagemcp === 'close' && resolve(data.reason))
})
window.strike = async (how) => {
  const ports = Object.fromEntries(
    await Promise.all(Object.entries(open).map(async ([kind, make]) => [kind, await make()])),
  )
  for (const port of Object.values(ports)) await read(port)
  const lasts = Promise.all(Object.entries(ports).map(async ([kind, port]) => [kind, await lastMessage(port)]))
  const running = new Promise((resolve) => {
    const stop = mcp.on('state', ({ engine }) => { if (engine === 'running') { stop(); resolve() } })
  })
  worker.postMessage(how)
  const told = await lasts
  await running
  const again = []
  for (const make of Object.values(open)) again.push(await read(await make()))
  const { content } = await offered.get('echo').execute({})
  return { told: Object.fromEntries(told), again, tool: content[0].text }
}
window.ready = true`

const mortal = `
import '/pagemcp/worker.js'
let go
let Watched // what wasm_exec.js defines at the start of the engine
Object.defineProperty(globalThis, 'Go', {
  get: () => Watched,
  set(Go) {
    Watched = class extends Go {
      constructor() { super(); go = this }
    }
  },
})
const own = self.onmessage
self.onmessage = (event) => {
  if (event.data === 'hang') for (;;);
  else if (event.data === 'exit') { go.importObject.gojs['runtime.wasmExit'](0); own({ data: { call: 'changed' } }) }
  else own(event)
}`

for (const how of ['exit', 'hang']) {
  inBrowsers(
    `a Worker that ${how}s: each port ends with a message, and can be opened again`,
    async ({ open }) => {
      const site = await servePages({ '/host.html': page, '/mortal.html': mortal })
      try {
        const tab = await open(`${site.origin}/host.html`)
        await tab.waitForFunction('window.ready')
        const reason = 'the engine was restarted'
        assert.deepEqual(await tab.evaluate(`strike('${how}')`), {
          told: { port: reason, listened: reason, accepted: reason },
          again: ['kept', 'kept', 'kept'],
          tool: 'echo',
        })
      } finally {
        await site.close()
      }
    },
  )
}
