// The engine's Worker ends without a word, or hangs in an endless loop: the window replaces it, and assistants go on
// with the same names, URIs and subscriptions. security.md §5, R11.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { joinedAs, modern, type Setting, set, setting } from './kit.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

/** Ends the Worker, or makes it hang; resolves when the page has joined with the next one. */
async function strike(page: Page, how: 'end' | 'hang'): Promise<void> {
  const errors = (await page.evaluate('errors.length')) as number
  await page.evaluate(`worker.postMessage('${how}')`)
  await page.waitForFunction(`errors.length > ${errors}`)
}

inBrowsers('a Worker that ends is replaced, with all that it served', async (browser) => {
  const { page, name } = await at.open(browser, '?mortal')
  const client = await modern(at.gateway)
  await client.subscribe(`${name}+app://count`)
  await page.evaluate("value.set('second')")
  for (let round = 1; round <= 2; round++) {
    const missed = client.update(`${name}+app://count`)
    await strike(page, 'end')
    assert.equal(await joinedAs(page), name)
    await missed // a hint, since changes may have been missed
    assert.equal(await client.read(`${name}+app://count`), String(round - 1))
    assert.equal(await client.read(`${name}+app://value`), 'second')
    assert.equal(await client.read(`${name}+app://bytes`), 'undefined') // it has a blob and no text
    assert.ok(await client.call(`${name}__answer`))
    const changed = client.update(`${name}+app://count`)
    await set(page, round)
    await changed
  }
  assert.deepEqual(await page.evaluate('errors'), [
    "the engine's Worker has ended",
    "the engine's Worker has ended",
  ])
  assert.equal(await page.evaluate('mcp.state.engine'), 'running')
  await client.close()
})

inBrowsers('a Worker that hangs is replaced', async (browser) => {
  const { page, name } = await at.open(browser, '?mortal')
  const client = await modern(at.gateway)
  await strike(page, 'hang')
  assert.equal(await joinedAs(page), name)
  assert.equal(await client.read(`${name}+app://value`), 'first')
  assert.match(String(await page.evaluate('errors[0]')), /Worker has not answered for/)
  await client.close()
})

inBrowsers(
  'a Worker that works off what the page has sent in one task is kept',
  async (browser) => {
    const { page } = await at.open(browser, '?mortal')
    // Asked by the page itself: to the gateway, the page sleeps if that takes 30 s.
    const value = await page.evaluate(`new Promise((answered) => {
      for (let i = 0; i <= 300_000; i++) value.set('value ' + i)
      const port = mcp.port()
      port.onmessage = ({ data }) => answered(data.result?.contents[0].text ?? JSON.stringify(data))
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      port.postMessage({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'app://value', _meta } })
    })`)
    assert.equal(value, 'value 300000')
    assert.deepEqual(await page.evaluate('errors'), [])
  },
)

inBrowsers('an engine that has run out of memory is replaced', async (browser) => {
  const { page, name } = await at.open(browser, '?mortal')
  const client = await modern(at.gateway)
  await page.evaluate("value.set('second')")
  await page.evaluate("worker.postMessage('exhaust')")
  assert.equal(await client.read(`${name}+app://value`), 'second')
  assert.deepEqual(await page.evaluate('errors'), ['engine.wasm has ended'])
  await client.close()
})
