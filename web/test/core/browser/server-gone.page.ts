// A page outlives its server, or the files of its version: what it has mounted and registered still answers.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

const page = `
import { testClient } from '/test/harness/client.ts'
import { idb, page, start } from '/pagemcp/index.js'
document.body.innerHTML = '<main>words of the page</main>'
const mcp = await start({ name: 'test', redact: (uri, value) => value })
mcp.mount(page({ select: ['main'] }))
mcp.mount(idb({ databases: { app: ['notes'] } }))
mcp.tool('add', { inputSchema: { type: 'object', required: ['n'] } }, () => 'added')
await mcp.skill({ name: 'first', description: 'A' }, 'Text').ready
const client = testClient(mcp.port())
window.ask = async (...request) => JSON.stringify(await client.askModern(...request))
window.offerLater = () => mcp.skill({ name: 'later', description: 'B' }, 'Text').ready
window.ready = true`

/** Files that are loaded when something is mounted or registered. */
const ahead = [
  'answer-call.js',
  'idb-reader.js',
  'page-content.js',
  'redact-contents.js',
  'skills.js',
  'validate.js',
]

inBrowsers('sources, tools and the hook work after the server has gone', async ({ open }) => {
  const site = await servePages({ '/page.html': page })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    await tab.waitForFunction(
      (files) => {
        const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
        return files.every((file) => loaded.some((name) => name.endsWith(`/${file}`)))
      },
      {},
      ahead,
    )
    await site.kill()
    const ask = (code: string) => tab.evaluate(code) as Promise<string>
    assert.match(await ask(`ask('resources/read', { uri: 'page:///text' })`), /words of the page/)
    assert.match(await ask(`ask('tools/call', { name: 'add', arguments: { n: 1 } })`), /added/)
    await tab.evaluate('offerLater()')
    assert.match(await ask(`ask('skills/list', {})`), /skill:\/\/first.*skill:\/\/later/)
    assert.match(await ask(`ask('resources/read', { uri: 'idb:///app/notes/n.1' })`), /not found/)
  } finally {
    await site.close()
  }
})
