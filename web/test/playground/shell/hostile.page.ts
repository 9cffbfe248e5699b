/**
 * A server that puts payloads in every field that is drawn: nothing of it runs, nothing is fetched, nobody
 * is navigated away, no text is reversed, and the policy reports no violation.
 */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Frame } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { type Playground, servePlayground } from '../harness.ts'

/** Payloads, each of which would set `pwned` or ask for /stolen if it were more than text. */
const payloads = [
  '<img src=/stolen onerror="pwned=1">',
  '<script>pwned=1</script>',
  '"><svg onload=pwned=1>',
  "javascript:pwned=1//'",
  '[x](javascript:pwned=1) ![y](/stolen) <iframe srcdoc="<script>parent.pwned=1</script>">',
  '$' + '{pwned=1}{{pwned=1}}',
  '\u202e\u0000\u001b]0;x\u0007',
]

/** A page that serves them all, beside the playground that shows them. */
const host = `<!doctype html><meta charset=utf-8><title>host</title>
<script type="module" src="/playground/element.js"></script>
<mcp-playground lang="en" style="display:block;height:1000px"></mcp-playground>
<script type="module">
  const bad = ${JSON.stringify(payloads).replaceAll('<', '\\u003c')}
  const all = bad.join('\\n')
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="pwned=1"><script>pwned=1<\\/script><image href="/stolen"/></svg>'
  const icons = [{ src: 'data:image/svg+xml,' + encodeURIComponent(svg) }, { src: '/stolen' }, { src: 'javascript:pwned=1' }]
  // No engine: one that answers whatever it likes, as a hostile server would.
  const resources = [
    ...bad.map((text, i) => ({ uri: i % 2 ? 'javascript:pwned=' + i : 'x://' + i + text, name: text, title: text, description: text, mimeType: text, icons, annotations: { audience: [text], priority: text, lastModified: text }, size: text })),
    { uri: 'x://html', name: 'html', mimeType: 'text/html', icons },
    { uri: 'x://svg', name: 'svg', mimeType: 'image/svg+xml' },
    { uri: 'x://md', name: 'md', mimeType: 'text/markdown' },
    { uri: 'x://json', name: 'json', mimeType: 'application/json' },
    { uri: 'x://blob', name: 'blob', mimeType: 'image/png' },
    { uri: 'x://error', name: 'error' },
  ]
  const answer = (method, params) => {
    const envelope = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    switch (method) {
      case 'server/discover':
        return { ...envelope, supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true }, prompts: {}, tools: {}, completions: {} }, instructions: all, _meta: { 'io.modelcontextprotocol/serverInfo': { name: bad[0], title: bad[1], version: bad[2], icons } } }
      case 'resources/list': return { ...envelope, resources }
      case 'resources/templates/list': return { ...envelope, resourceTemplates: bad.map((text, i) => ({ uriTemplate: 'x://{a' + i + '}' + text, name: text, description: text, icons })) }
      case 'prompts/list': return { ...envelope, prompts: bad.map((text) => ({ name: text, title: text, description: text, icons, arguments: [{ name: text, description: text, required: true }] })) }
      case 'tools/list': return { ...envelope, tools: bad.map((text) => ({ name: text, title: text, description: text, icons, inputSchema: { type: 'object', properties: { [text]: { type: 'string', description: text, default: text } }, required: [text] } })) }
      case 'resources/read': {
        const { uri } = params
        if (uri === 'x://error') return undefined
        const one = uri === 'x://html' ? { mimeType: 'text/html', text: '<script>pwned=1<\\/script>' + all }
          : uri === 'x://svg' ? { mimeType: 'image/svg+xml', text: svg }
          : uri === 'x://md' ? { mimeType: 'text/markdown', text: all }
          : uri === 'x://json' ? { mimeType: 'application/json', text: JSON.stringify({ [bad[0]]: bad, __proto__: { pwned: 1 } }) }
          : uri === 'x://blob' ? { mimeType: 'image/png', blob: btoa(svg) }
          : { mimeType: uri, text: all }
        return { ...envelope, contents: [{ uri, ...one }] }
      }
      default: return envelope
    }
  }
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }) => {
    const { id, method, params } = typeof data === 'string' ? JSON.parse(data) : data
    if (id === undefined) return
    const result = answer(method, params)
    port1.postMessage(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32602, message: all, data: { uri: bad[0] } } })
    port1.postMessage({ jsonrpc: '2.0', method: bad[0], params: { uri: bad[1], [bad[2]]: bad } })
  }
  await customElements.whenDefined('mcp-playground')
  document.querySelector('mcp-playground').connect(port2, bad[0])
</script>`

let playground: Playground
before(async () => {
  playground = await servePlayground({ '/host.html': host })
})
after(() => playground?.close())

/** Texts of a document in which something reverses what is shown. Fields keep the values that are sent. */
const reversed = (frame: Frame) =>
  frame.evaluate(() => {
    const all = (root: Document | ShadowRoot): Element[] =>
      [...root.querySelectorAll('*')].flatMap((one) => [
        one,
        ...(one.shadowRoot ? all(one.shadowRoot) : []),
      ])
    return all(document)
      .flatMap((one) => [
        ...[...one.childNodes].filter(({ nodeType }) => nodeType === 3),
        ...['title', 'aria-label', 'alt', 'placeholder'].map(
          (name) => one.getAttributeNode(name) ?? one,
        ),
      ])
      .filter(({ nodeValue }) => /[\u202a-\u202e\u2066-\u2069]/.test(nodeValue ?? ''))
      .map(({ nodeName, nodeValue }) => `${nodeName}: ${nodeValue}`)
  })

inBrowsers('payloads in every field do nothing', async ({ open, context }) => {
  const page = await open('about:blank')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const dialogs: string[] = []
  page.on('dialog', (one) => {
    dialogs.push(one.message())
    one.dismiss()
  })
  await page.goto(`${playground.origin}/host.html`)
  const frame = await page.waitForFrame((one) => one.url().includes('embed.html'))
  await frame.waitForSelector('html[data-ready]')
  await frame.evaluate(() => {
    const reports: string[] = []
    Object.assign(globalThis, { reports })
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      reports.push(`${violatedDirective} ${blockedURI}`),
    )
  })
  await frame.waitForSelector('.row-open')
  const things = await frame.$$eval('.row-open', (all) => all.length)
  assert.ok(things >= payloads.length, 'resources are listed')
  for (let i = 0; i < things; i++) {
    const before = await frame.$$eval('[data-pane=timeline] [role=row]', (all) => all.length)
    await frame.$$eval('.row-open', (all, at) => (all[at] as HTMLElement).click(), i)
    await frame.waitForFunction(
      (seen) =>
        document.querySelectorAll('[data-pane=timeline] [role=row]').length > seen || seen > 8,
      {},
      before,
    )
    await frame.waitForSelector('[data-pane=inspect] [data-view]')
    const views = await frame.$$eval('[data-pane=inspect] [data-show]', (all) =>
      all.map((one) => one.getAttribute('data-show')),
    )
    assert.ok(views.length >= 3, 'a message has views')
    for (const view of views) {
      await frame.$eval(`[data-pane=inspect] [data-show=${view}]`, (one) =>
        (one as HTMLElement).click(),
      )
      await frame.waitForSelector(`[data-pane=inspect] [data-view=${view}]`)
      assert.deepEqual(await reversed(frame), [], String(view))
    }
  }
  for (const tab of ['templates', 'prompts', 'tools', 'subscriptions']) {
    await frame.click(`#explore-${tab}`)
    await frame.waitForSelector(`#explore-${tab}[aria-selected=true]`)
    await frame.$$eval('#explore-view details', (all) => {
      for (const one of all) one.open = true
    })
    assert.deepEqual(await reversed(frame), [], tab)
  }
  await frame.click('#explore-tools')
  await frame.click('.row-open')
  await frame.waitForSelector('[data-pane=compose] .editor')
  await frame.click('[data-pane=compose] [data-show=form]')
  await frame.waitForSelector('.compose-form, [data-pane=compose] form')
  assert.deepEqual(await reversed(frame), [], 'the form of a call')
  for (const view of ['sequence', 'list']) {
    await frame.click(`[data-pane=timeline] [data-show=${view}]`)
    assert.deepEqual(await reversed(frame), [], view)
  }
  // Pictures and styles that were asked for are loaded by the frame after the next.
  await frame.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
  const { pwned, reports, here } = await frame.evaluate(() => {
    const { pwned, reports } = globalThis as unknown as { pwned?: unknown; reports: string[] }
    return { pwned, reports, here: location.pathname }
  })
  assert.equal(pwned, undefined)
  assert.equal(await page.evaluate(() => (globalThis as { pwned?: unknown }).pwned), undefined)
  assert.deepEqual(reports, [], 'nothing got as far as the policy')
  assert.deepEqual(dialogs, [])
  assert.equal(here, '/playground/embed.html')
  assert.deepEqual(
    asked.filter((url) => url.startsWith('http') && url.includes('stolen')),
    [],
  )
  assert.equal((await context.pages()).length, 1, 'no window was opened')
})
