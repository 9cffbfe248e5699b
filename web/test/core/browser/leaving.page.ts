// A page is left while a file of the package loads, which ends with the document: that is no error.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { leave } from '../../harness/waits.ts'
import { servePages } from './built.ts'

/** Calls that make the package load files of its own; one function loads all others. */
const parts: { readonly [file: string]: string } = {
  'answer-call.js': "mcp.tool('add', () => 'added'); ask('tools/call', { name: 'add' })",
  'skills.js': "mcp.skill({ name: 'first', description: 'A' }, 'Text')",
  'worker.js': '', // start needs it
  'engine.wasm': '',
}

const script = (code: string) => `
import { testClient } from '/test/harness/client.ts'
import { start } from '/pagemcp/index.js'
const mcp = await start({ name: 'test' })
const ask = (...request) => void testClient(mcp.port()).askModern(...request)
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
      await leave(tab, `${site.origin}/page.html`)
      await request
      await leave(tab, '/other.html')
      await tab.waitForFunction('window.loaded')
    } finally {
      await site.close()
    }
  })
}
