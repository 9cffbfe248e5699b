// A page is left while a file of the package loads, which ends with the document: that is no error.

import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

/** What makes the package load each of its files. */
const parts: { readonly [file: string]: string } = {
  'answer-call.js': "mcp.tool({ name: 'add' }, () => 'added'); ask('tools/call', { name: 'add' })",
  'idb-in-window.js': `
    mcp.mount('', idb({ databases: { app: ['notes'] } }))
    ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'idb:///app/notes/{key}' },
      argument: { name: 'key', value: '' },
    })`,
  'in-window.js': "start({ name: 'second', worker: false })",
  'markdown.js': `
    mcp.mount('', page({ select: ['body'], parts: ['markdown'] }))
    ask('resources/read', { uri: 'page:///markdown' })`,
  'page-content.js': `
    mcp.mount('', page({ select: ['body'] }))
    ask('resources/read', { uri: 'page:///text' })`,
  'redact-contents.js': `
    const other = await start({ name: 'other', redact: (uri, value) => value })
    other.resource({ uri: 'a:b', name: 'B' }, 'text')
    ask('resources/read', { uri: 'a:b' }, other.port())`,
  'skills.js': "mcp.skill({ name: 'first', description: 'A' }, 'Text')",
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

for (const [file, code] of Object.entries(parts)) {
  inBrowsers(`a page may be left while ${file} loads`, async ({ open }) => {
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
      await tab.evaluate((url) => location.assign(url), `${site.origin}/page.html`)
      await request
      await tab.evaluate("location.href = '/other.html'")
      await tab.waitForFunction('window.loaded')
    } finally {
      await site.close()
    }
  })
}
