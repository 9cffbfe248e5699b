// WebMCP of real implementations: that of Chromium, which 156 has behind the flag WebMCP, and
// @mcp-b/webmcp-polyfill in both browsers.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { PageMcp } from '../../src/index.ts'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { bundled } from '../harness/bundled.ts'
import { close, launch } from '../harness/launch.ts'
import type { Served } from '../harness/serve.ts'
import { explainTimeouts } from '../harness/waits.ts'

interface Native {
  registerTool(tool: object, options?: object): Promise<void>
  getTools(): Promise<{ name: string }[]>
  executeTool(tool: object, input: unknown): Promise<string>
}
declare const mcp: PageMcp
declare const modelContext: Native
declare const ask: (method: string, params?: object) => Promise<{ result: never; error?: object }>
declare const errors: string[]

const page = (polyfill: boolean) => `
${polyfill ? "import '/polyfill.js'" : ''}
import { testClient } from '/test/harness/client.ts'
import { start } from '/pagemcp/index.js'
window.modelContext = document.modelContext
window.errors = []
const access = new URLSearchParams(location.search).get('access') ?? undefined
window.mcp = start({ name: 'host', access, webMcp: true })
mcp.on('error', (error) => errors.push(String(error)))
mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
mcp.tool('echo', { description: 'Echoes.' }, ({ text }) => text)
window.client = testClient(mcp.port())
window.ask = client.ask
await client.initialize()
window.ready = true`

let served: Served
before(async () => {
  const headers = { 'origin-agent-cluster': '?1' } // the polyfill requires it, and in Firefox it is not the default
  served = await servePages(
    { '/native.html': page(false), '/polyfill.html': page(true) },
    headers,
    {
      '/polyfill.js': await bundled('webmcp/polyfill.ts'),
    },
  )
})
after(() => served?.close())

const nativeNames = async () => (await modelContext.getTools()).map(({ name }) => name).sort()
const names = (page: Page) =>
  page.evaluate(async () => {
    const { result } = await ask('tools/list')
    return (result as { tools: { name: string }[] }).tools.map(({ name }) => name).sort()
  })
/** Waits until these tools of the app are offered, besides those that read its resources. */
const untilNative = (page: Page, ...wanted: string[]) =>
  page.waitForFunction(
    async (wanted) =>
      (await modelContext.getTools())
        .map(({ name }) => name)
        .sort()
        .join() === wanted,
    { polling: 50 },
    [...wanted, 'list_resources', 'read_resource'].sort().join(),
  )

/** What holds with every implementation. */
async function mirrorsAndOffers(page: Page): Promise<void> {
  await page.waitForFunction('window.ready')
  // Offered: what the page registers.
  await untilNative(page, 'echo')
  // Mirrored: registered by a script, announced, called, gone.
  assert.deepEqual(await names(page), ['echo'])
  await page.evaluate(async () => {
    const controller = new AbortController()
    Object.assign(window, { controller, inputs: [] })
    await modelContext.registerTool(
      {
        name: 'add',
        description: 'Adds.',
        inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
        annotations: { readOnlyHint: true, untrustedContentHint: true },
        execute: (input: { what: string }) => {
          ;(window as unknown as { inputs: object[] }).inputs.push(input)
          if (input.what === 'error') throw new TypeError('secret')
          return `Added ${input.what}.`
        },
      },
      { signal: controller.signal },
    )
  })
  await page.waitForFunction(
    "client.got.some(({ method }) => method === 'notifications/tools/list_changed')",
  )
  const { tool, result, failed } = await page.evaluate(async () => {
    const call = (what: string) => ask('tools/call', { name: 'add', arguments: { what } })
    const { tools } = (await ask('tools/list')).result as { tools: { name: string }[] }
    return {
      tool: tools.find(({ name }) => name === 'add') as unknown as Record<string, object>,
      result: (await call('pears')).result as { content: { text: string }[] },
      failed: (await call('error')).result as { isError?: boolean; content: { text: string }[] },
    }
  })
  const { readOnlyHint, destructiveHint = false } = tool.annotations as Record<string, boolean>
  assert.deepEqual([readOnlyHint, destructiveHint], [true, false])
  assert.deepEqual(tool.inputSchema, {
    type: 'object',
    properties: { what: { type: 'string' } },
  })
  assert.equal(result.content[0]?.text, 'Added pears.')
  assert.equal(failed.isError, true)
  assert.doesNotMatch(JSON.stringify(failed), /secret/)
  assert.deepEqual(await page.evaluate('inputs'), [{ what: 'pears' }, { what: 'error' }])
  assert.equal((await page.evaluate(() => errors)).length, 1)

  assert.deepEqual(await names(page), ['add', 'echo'])
  const texts = await page.evaluate(async () => {
    const run = async (name: string, input: object) => {
      const tool = (await modelContext.getTools()).find((one) => one.name === name)
      if (tool === undefined) throw new Error(`no ${name}`)
      let answer: string
      try {
        answer = await modelContext.executeTool(tool, input)
      } catch {
        answer = await modelContext.executeTool(tool, JSON.stringify(input)) // the polyfill
      }
      return (JSON.parse(answer) as { content: { text: string }[] }).content[0]?.text
    }
    return [await run('echo', { text: 'hi' }), await run('read_resource', { uri: 'notes://cart' })]
  })
  assert.deepEqual(texts, ['hi', '2 apples'])

  // Gone, each for itself.
  await page.evaluate(() =>
    (window as unknown as { controller: AbortController }).controller.abort(),
  )
  await untilNative(page, 'echo')
  assert.deepEqual(await names(page), ['echo'])
  await page.evaluate(() => mcp.close())
  assert.deepEqual(await page.evaluate(nativeNames), [])
  assert.equal((await page.evaluate(() => errors)).length, 1)
}

test('WebMCP of Chromium: tools are mirrored and offered', { timeout: 120_000 }, async () => {
  const browser = await launch('chromium', { flags: ['--enable-features=WebMCP'] })
  try {
    const page = await browser.newPage()
    explainTimeouts(page)
    await page.goto(`${served.origin}/native.html`)
    await mirrorsAndOffers(page)
  } finally {
    await close(browser)
  }
})

inBrowsers('WebMCP of the polyfill: tools are mirrored and offered', async ({ open }) => {
  await mirrorsAndOffers(await open(`${served.origin}/polyfill.html`))
})

inBrowsers('the assistant of the browser needs the decision of the user', async ({ open }) => {
  const page = await open(`${served.origin}/polyfill.html?access=ask`)
  await page.waitForFunction('window.ready')
  await page.evaluate(() => mcp.access.revoke('webmcp')) // so that nothing is asked
  await untilNative(page, 'echo') // the app offers the names
  const run = (name: string, input: object) =>
    page.evaluate(
      async (name, input) => {
        const tool = (await modelContext.getTools()).find((one) => one.name === name)
        const answer = await modelContext.executeTool(tool as object, input)
        return (JSON.parse(answer) as { content: { text: string }[] }).content[0]?.text ?? ''
      },
      name,
      JSON.stringify(input),
    )
  const echo = () => run('echo', { text: 'hi' })
  const read = () => run('read_resource', { uri: 'notes://cart' })
  const no = /^The user .*Do not try again unless they ask\.$/
  assert.match(await read(), no)
  await page.evaluate(() => mcp.access.allow('webmcp', 'read'))
  assert.equal(await read(), '2 apples')
  assert.match(await echo(), no)
  await page.evaluate(() => mcp.access.allow('webmcp', 'act'))
  assert.equal(await echo(), 'hi')
  await page.evaluate(() => mcp.access.revoke())
  assert.match(await echo(), no)
})
