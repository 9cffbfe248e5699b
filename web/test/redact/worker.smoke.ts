// The hook that sees contents last, wherever the engine runs and whoever reads: in real browsers.

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'

const page = (worker: boolean) => `
import { idb, NotFoundError, start } from '/pagemcp/index.js'
const open = indexedDB.open('app')
open.onupgradeneeded = () => {
  const store = open.result.createObjectStore('notes')
  store.put({ text: 'secret note' }, 1)
  store.put(new Blob(['secret blob'], { type: 'text/plain' }), 2)
}
await new Promise((resolve) => { open.onsuccess = resolve })
window.errors = []
const mcp = await start({
  name: 'test',
  worker: ${worker},
  redact: (uri, value) => {
    if (uri.includes('throw')) throw new Error('secret reason at ' + document.title)
    if (uri.includes('gone')) return undefined
    return typeof value === 'string' ? value.replace('secret', 'open') : new TextEncoder().encode('open blob')
  },
})
mcp.on('error', (error) => errors.push(error.message))
mcp.mount(idb({ databases: { app: ['notes'] } }))
mcp.mount({
  list: async () => ({ resources: [] }),
  read: async (uri) => [{ uri, text: 'secret memo' }],
}, 'my+')
mcp.resource({ uri: 'app:own', name: 'Own' }, () => 'secret own')
mcp.resource({ uri: 'app:throw', name: 'Throws' }, () => 'secret own')
const port = mcp.port()
const waiting = new Map()
port.onmessage = ({ data }) => waiting.get(data.id)(data.result?.contents[0] ?? data.error)
let last = 0
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
window.read = (uri) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method: 'resources/read', params: { uri, _meta } })
})
window.ready = true`

for (const worker of [true, false]) {
  const where = worker ? 'a Worker' : 'the window'
  inBrowsers(`the hook sees what leaves an engine in ${where}`, async ({ open }) => {
    const site = await servePages({ '/page.html': page(worker) })
    try {
      const tab = await open(`${site.origin}/page.html`)
      await tab.waitForFunction('window.ready')
      type Answer = { text?: string; blob?: string; code?: number; message?: string }
      const read = (uri: string) => tab.evaluate(`read('${uri}')`) as Promise<Answer>
      assert.match(String((await read('idb:///app/notes/n.1')).text), /open note/)
      assert.equal(atob(String((await read('idb:///app/notes/n.2')).blob)), 'open blob')
      assert.equal((await read('my+memo:1')).text, 'open memo')
      assert.equal((await read('app:own')).text, 'open own')
      assert.equal((await read('my+memo:gone')).code, -32602)
      for (const uri of ['app:throw', 'my+memo:throw']) {
        const { code, message } = await read(uri)
        assert.deepEqual([code, message], [-32603, 'Internal error'])
      }
      await tab.waitForFunction('errors.length === 2')
      assert.match(
        String(await tab.evaluate('errors[0]')),
        /redact of app:throw threw.*secret reason/,
      )
    } finally {
      await site.close()
    }
  })
}
