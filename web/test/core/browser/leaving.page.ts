// A page is left while a file of the package loads, which ends with the document: that is no error.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { browserNames } from '../../harness/launch.ts'
import { leave } from '../../harness/waits.ts'
import { servePages } from './built.ts'

/** What makes the package load each of its files. */
const parts: { readonly [file: string]: string } = {
  'answer-call.js': "mcp.tool({ name: 'add' }, () => 'added'); ask('tools/call', { name: 'add' })",
  'decisions.js': "start({ name: 'asks', access: 'ask' })",
  'idb-in-window.js': `
    mcp.mount(idb({ databases: { app: ['notes'] } }))
    ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'idb:///app/notes/{key}' },
      argument: { name: 'key', value: '' },
    })`,
  'page-content.js': `
    mcp.mount(page({ select: ['body'] }))
    ask('resources/read', { uri: 'page:///text' })`,
  'redact-contents.js': `
    const other = await start({ name: 'other', redact: (uri, value) => value })
    other.resource({ uri: 'a:b', name: 'B' }, 'text')
    ask('resources/read', { uri: 'a:b' }, other.port())`,
  'skills.js': "mcp.skill({ name: 'first', description: 'A' }, 'Text')",
  'worker.js': '', // start needs it
  'engine.wasm': '',
  'validate.js': `
    mcp.tool({ name: 'add', inputSchema: { type: 'object', required: ['n'] } }, () => 'added')
    ask('tools/call', { name: 'add', arguments: { n: 1 } })`,
}

const script = (code: string) => `
import { idb, page, start } from '/pagemcp/index.js'
const mcp = await start({ name: 'test' })
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const ask = (method, params, port = mcp.port()) => {
  port.postMessage({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
}
${code}`

/** The times of waits are recorded, and the short one that follows a failed load passes at once. */
const timers = `
window.waits = []
const { setTimeout } = window
window.setTimeout = (act, ms, ...more) => {
  waits.push(ms)
  return setTimeout(act, ms === 1000 ? 0 : ms, ...more)
}`

inBrowsers(
  'a page may be left for a document that takes long',
  async ({ open }) => {
    let requested: () => void = () => {}
    const request = new Promise<void>((resolve, reject) => {
      requested = resolve
      setTimeout(reject, 20_000, new Error('skills.js was not requested in 20 s')).unref()
    })
    const held = { '/pagemcp/skills.js': () => requested(), '/slow.html': () => {} }
    const pages = { '/page.html': `${script(parts['skills.js'] ?? '')}\n${timers}` }
    const site = await servePages(pages, undefined, {}, held)
    try {
      const tab = await open('about:blank')
      await leave(tab, `${site.origin}/page.html`)
      await request
      await tab.waitForFunction('window.waits')
      await leave(tab, '/slow.html')
      await tab.waitForFunction('waits.includes(60000) || waits.includes(1000)')
      assert.ok(await tab.evaluate('waits.includes(60000)'))
    } finally {
      await site.close()
    }
  },
  { only: ['firefox'] }, // others end the loads with the document
)

for (const [file, code] of Object.entries(parts)) {
  inBrowsers(
    `a page may be left while ${file} loads`,
    async ({ open }) => {
      let requested: () => void = () => {}
      const request = new Promise<void>((resolve, reject) => {
        requested = resolve
        setTimeout(reject, 20_000, new Error(`${file} was not requested in 20 s`)).unref()
      })
      const pages = { '/page.html': script(code), '/other.html': 'window.loaded = true' }
      const held = { [`/pagemcp/${file}`]: () => requested() }
      const site = await servePages(pages, undefined, {}, held)
      try {
        const tab = await open('about:blank')
        await leave(tab, `${site.origin}/page.html`)
        await request
        await leave(tab, '/other.html')
        await tab.waitForFunction('window.loaded')
      } finally {
        await site.close()
      }
    },
    {
      only:
        file.startsWith('worker') || file.startsWith('engine') || file === 'answer-call.js'
          ? browserNames
          : ['chromium'], // one function loads the rest
    },
  )
}
