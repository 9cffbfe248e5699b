// A page that is large, and that many read at the same time: its thread works once for all of them.

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'

const page = `
let styles = 0
const { getComputedStyle } = window
window.getComputedStyle = (...args) => { styles++; return getComputedStyle(...args) }
const { page, start } = await import('/pagemcp/index.js')
const { testClient } = await import('/test/harness/client.ts')
const main = document.createElement('main')
for (let i = 0; i < 100; i++) main.append(Object.assign(document.createElement('p'), { textContent: i }))
document.body.append(main)
const mcp = start({ name: 'host' })
mcp.mount(page({ select: ['main'] }))
const client = testClient(mcp.port())
const read = async () =>
  (await client.askModern('resources/read', { uri: 'page:///text' })).result.contents[0].text
await read()
window.readAll = async (count) => {
  styles = 0
  const texts = await Promise.all(Array.from({ length: count }, read))
  return { styles, texts: [...new Set(texts)].length }
}
window.change = async () => {
  main.firstChild.textContent = 'changed'
  return (await read()).split('\\n')[0]
}
window.ready = true`

inBrowsers('reads of a part at the same time are one', async ({ open }) => {
  const site = await servePages({ '/page.html': page })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    const one = (await tab.evaluate('readAll(1)')) as { styles: number; texts: number }
    const many = (await tab.evaluate('readAll(20)')) as { styles: number; texts: number }
    assert.ok(one.styles > 0)
    assert.ok(many.styles < 10 * one.styles, `${many.styles} styles instead of ${one.styles}`)
    assert.equal(many.texts, 1)
    assert.equal(await tab.evaluate('change()'), 'changed')
  } finally {
    await site.close()
  }
})
