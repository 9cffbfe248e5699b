// The reading halves of portable sources run in the engine's Worker, which has their code; in real browsers,
// under the policy that web/docs/package.md asks for.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

const policy = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
    "require-trusted-types-for 'script'; trusted-types pagemcp",
}

/** A page that writes a record and serves it. */
const page = `
import { idb, start } from '/pagemcp/index.js'
const opened = indexedDB.open('app')
await new Promise((resolve) => {
  opened.onupgradeneeded = () => opened.result.createObjectStore('notes').put('in a record', 1)
  opened.onsuccess = resolve
})
const mcp = await start({ name: 'test' })
window.errors = []
mcp.on('error', (error) => errors.push(String(error)))
mcp.mount(idb({ databases: { app: ['notes'] } }))

const port = mcp.port()
const waiting = new Map()
port.onmessage = ({ data }) => waiting.get(data.id)?.(data.result ?? data.error)
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
let last = 0
window.ask = (method, params) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method, params: { ...params, _meta } })
})
window.ready = true`

const uri = 'idb:///app/notes/n.1'

inBrowsers('a reader works in the Worker', async ({ open }) => {
  const site = await servePages({ '/page.html': page }, policy)
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    const got = await tab.evaluate(async (uri) => {
      type Listed = { resources: { uri: string }[] }
      type Read = { contents: { text: string }[] }
      const { ask } = window as never as { ask: (...args: unknown[]) => Promise<never> }
      const listed = (await ask('resources/list', {})) as Listed
      const read = (await ask('resources/read', { uri })) as Read
      return {
        listed: listed.resources.map(({ uri }) => uri),
        text: read.contents[0]?.text,
        errors: (window as never as { errors: string[] }).errors,
      }
    }, uri)
    assert.ok(got.listed.includes(uri), `${uri} is not listed`)
    assert.equal(got.text, '"in a record"')
    assert.deepEqual(got.errors, [])
  } finally {
    await site.close()
  }
})
