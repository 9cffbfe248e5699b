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

/** A page that fills each kind of storage and serves it. */
const page = (worker: boolean) => `
import { caches as cached, idb, opfs, start } from '/pagemcp/index.js'
const opened = indexedDB.open('app')
await new Promise((resolve) => {
  opened.onupgradeneeded = () => opened.result.createObjectStore('notes').put('in a record', 1)
  opened.onsuccess = resolve
})
const docs = await (await navigator.storage.getDirectory()).getDirectoryHandle('docs', { create: true })
const writable = await (await docs.getFileHandle('a.txt', { create: true })).createWritable()
await writable.write('in a file')
await writable.close()
await (await caches.open('v1')).put('/x', new Response('in a cache', { headers: { 'content-type': 'text/plain' } }))
const mcp = await start({ name: 'test', worker: ${worker} })
window.errors = []
mcp.on('error', (error) => errors.push(String(error)))
mcp.mount(idb({ databases: { app: ['notes'] } }))
mcp.mount(opfs({ paths: ['/docs'] }))
mcp.mount(cached({ caches: ['v1'] }))

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

const urisOf = (origin: string) => [
  'idb:///app/notes/n.1',
  'opfs:///docs/a.txt',
  `cache:///v1/${origin}/x`,
]

for (const worker of [true, false]) {
  inBrowsers(`readers work in ${worker ? 'a Worker' : 'the window'}`, async ({ open }) => {
    const site = await servePages({ '/page.html': page(worker) }, policy)
    try {
      const tab = await open(`${site.origin}/page.html`)
      await tab.waitForFunction('window.ready')
      const uris = urisOf(site.origin)
      const got = await tab.evaluate(
        async ({ uris }) => {
          type Listed = { resources: { uri: string }[]; resourceTemplates: object[] }
          const { ask } = window as never as { ask: (...args: unknown[]) => Promise<never> }
          const listed = (await ask('resources/list', {})) as Listed
          const templates = (await ask('resources/templates/list', {})) as Listed
          const read = (uri: string) => ask('resources/read', { uri }) as Promise<object>
          return {
            listed: listed.resources.map(({ uri }) => uri),
            templates: templates.resourceTemplates.length,
            texts: await Promise.all(
              uris.map(async (uri) => {
                const answer = (await read(uri)) as { contents: { text: string }[] }
                return answer.contents[0]?.text
              }),
            ),
            errors: (window as never as { errors: string[] }).errors,
          }
        },
        { uris },
      )
      for (const uri of uris) assert.ok(got.listed.includes(uri), `${uri} is not listed`)
      assert.ok(got.templates >= uris.length)
      assert.deepEqual(got.texts, ['"in a record"', 'in a file', 'in a cache'])
      assert.deepEqual(got.errors, [])
    } finally {
      await site.close()
    }
  })
}
