// Clients on the real transports of @mcp-b/transports, in the window and in the parent of a page that serves;
// and who gets nothing.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { PageMcp } from '../../src/index.ts'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { bundled } from '../harness/bundled.ts'
import type { Served } from '../harness/serve.ts'
import type { Kind, McpB } from './clients.ts'

declare const mcpB: McpB
declare const mcp: PageMcp
declare global {
  interface Window {
    listen(options?: object): void
    stop(): void
    posted: { payload: unknown }[]
    reads: { uri: string; client: string }[]
  }
}

/** A page that serves; its query lists origins, and `wait` that it does not listen yet. */
const host = `
import { start } from '/pagemcp/index.js'
import { listenMcpB } from '/pagemcp/mcp-b.js'
import '/clients.js'
const query = new URLSearchParams(location.search)
window.mcp = await start({ name: 'host', worker: query.get('worker') !== 'false' })
window.text = '2 apples'
mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => window.text)
mcp.resource({ uri: 'notes://slow', name: 'Slow' }, () => new Promise((resolve) => { window.answer = resolve }))
mcp.tool({ name: 'echo' }, ({ text }) => text)
window.reads = []
mcp.on('read', (event) => reads.push(event))
window.posted = [] // what the page posts to this window
addEventListener('message', ({ data }) => {
  if (data?.direction === 'server-to-client') posted.push(data)
})
const origins = query.has('origin') ? query.getAll('origin') : [location.origin]
window.listen = (options) => { window.stop = listenMcpB(mcp, { origins, ...options }) }
if (!query.has('wait')) listen()
window.ready = true`

const embedder = `import '/clients.js'
window.heard = []
addEventListener('message', ({ data, origin }) => heard.push({ data, origin }))
window.ready = true`

let served: Served
before(async () => {
  const clients = await bundled('mcp-b/clients.ts')
  served = await servePages(
    { '/host.html': host, '/embedder.html': embedder },
    { 'access-control-allow-origin': '*' },
    { '/clients.js': clients },
  )
})
after(() => served?.close())

type Open = (url: string) => Promise<Page>

async function ready(open: Open, path: string, origin = served.origin): Promise<Page> {
  const page = await open(`${origin}${path}`)
  await page.waitForFunction('window.ready')
  return page
}

const kinds: readonly Kind[] = ['v1', 'v2', 'v2 modern']

for (const worker of [true, false]) {
  const where = worker ? 'its Worker' : 'the window'
  inBrowsers(
    `with the engine in ${where}: TabClientTransport reads and calls, with each SDK`,
    async ({ open }) => {
      for (const kind of kinds) {
        const page = await ready(open, `/host.html?worker=${worker}`)
        const got = await page.evaluate(async (kind) => {
          const client = await mcpB.tab(kind)
          const texts = await Promise.all([
            mcpB.text(client, 'notes://cart'),
            mcpB.call(client, 'echo', { text: 'pears' }),
          ])
          await client.close()
          return texts
        }, kind)
        assert.deepEqual(got, ['2 apples', 'pears'])
        await page.waitForFunction('reads.length === 1')
        assert.deepEqual(await page.evaluate(() => window.reads), [
          { uri: 'notes://cart', client: served.origin },
        ])
      }
    },
  )
}

inBrowsers('IframeParentTransport of a listed origin is served', async ({ name, open }) => {
  for (const kind of kinds) {
    const page = await ready(open, '/embedder.html', served.otherOrigin)
    const frame = `${served.origin}/host.html?origin=${served.otherOrigin}&origin=https://a.example`
    const got = await page.evaluate(
      async (kind, frame, early) => {
        const client = await mcpB.frame(kind, frame, early)
        return [
          await mcpB.text(client, 'notes://cart'),
          await mcpB.call(client, 'echo', { text: 'pears' }),
        ]
      },
      kind,
      frame,
      name === 'chromium', // Firefox reports the question to the empty document as an uncaught error
    )
    assert.deepEqual(got, ['2 apples', 'pears'])
  }
})

inBrowsers('changes reach a client that has subscribed', async ({ open }) => {
  const page = await ready(open, '/host.html')
  const uri = await page.evaluate(async () => {
    const client = await mcpB.tab('v1')
    const { next } = await mcpB.updated(client, 'notes://cart')
    mcp.changed('notes://cart')
    return next
  })
  assert.equal(uri, 'notes://cart')
})

inBrowsers('a client that was there first is served once the page listens', async ({ open }) => {
  const page = await ready(open, '/host.html?wait')
  const text = await page.evaluate(async () => {
    const connecting = mcpB.tab('v1') // asks once, and is not heard
    await new Promise(requestAnimationFrame)
    window.listen()
    return mcpB.text(await connecting, 'notes://cart')
  })
  assert.equal(text, '2 apples')
})

inBrowsers('a channel with another name has a client of its own', async ({ open }) => {
  const page = await ready(open, '/host.html')
  const texts = await page.evaluate(async () => {
    window.listen({ channel: 'second' })
    const clients = await Promise.all([mcpB.tab('v1'), mcpB.tab('v1', { channelId: 'second' })])
    return Promise.all(
      clients.map((client, i) => mcpB.call(client, 'echo', { text: `of client ${i}` })),
    )
  })
  assert.deepEqual(texts, ['of client 0', 'of client 1'])
})

inBrowsers('a second client of a channel is refused while the first is there', async ({ open }) => {
  const pairs: readonly (readonly [Kind, Kind])[] = [
    ['v1', 'v1'],
    ['v1', 'v2'],
    ['v2', 'v2 modern'],
  ]
  for (const [first, second] of pairs) {
    const page = await ready(open, '/host.html')
    const got = await page.evaluate(
      async (first, second) => {
        const one = await mcpB.tab(first)
        const refusal = await mcpB.error(mcpB.tab(second))
        const before = await mcpB.text(one, 'notes://cart')
        await one.close()
        const two = await mcpB.tab(second)
        return [refusal, before, await mcpB.text(two, 'notes://cart')]
      },
      first,
      second,
    )
    assert.match(got[0] ?? '', /another client uses this channel|Version negotiation failed/)
    assert.deepEqual(got.slice(1), ['2 apples', '2 apples'])
  }
})

inBrowsers('a client that was made anew is served, also by 2026-07-28', async ({ open }) => {
  const page = await ready(open, '/host.html')
  for (const kind of kinds) {
    const texts = await page.evaluate(async (kind) => {
      const all = []
      for (let i = 0; i < 3; i++) {
        const client = await mcpB.tab(kind)
        all.push(await mcpB.text(client, 'notes://cart'))
        await client.close()
      }
      return all
    }, kind)
    assert.deepEqual(texts, ['2 apples', '2 apples', '2 apples'])
  }
})

inBrowsers(
  'two requests with one id at a time are answered by an error, not by a result',
  async ({ open }) => {
    const page = await ready(open, '/host.html')
    const answers = await page.evaluate(async () => {
      const post = (payload: object) =>
        postMessage(
          { channel: 'mcp-default', type: 'mcp', direction: 'client-to-server', payload },
          location.origin,
        )
      const client = await mcpB.tab('v1')
      const from = window.posted.length
      const read = { jsonrpc: '2.0', id: 'x', method: 'resources/read' }
      post({ ...read, params: { uri: 'notes://slow' } })
      post({ ...read, params: { uri: 'notes://cart' } })
      await mcpB.text(client, 'notes://cart') // answered after them
      ;(window as { answer?: (text: string) => void }).answer?.('secret')
      await mcpB.text(client, 'notes://cart')
      return window.posted
        .slice(from)
        .map(({ payload }) => payload as { id: unknown; error?: { message: string } })
        .filter(({ id }) => id === 'x')
    })
    assert.equal(answers.length, 1)
    assert.match(answers[0]?.error?.message ?? '', /two clients on this channel/)
  },
)

inBrowsers(
  'what ends the service closes clients: abort, stop, close of the engine',
  async ({ open }) => {
    for (const how of ['stop', 'abort', 'close'] as const) {
      const page = await ready(open, '/host.html?wait')
      const closed = await page.evaluate(async (how) => {
        const controller = new AbortController()
        window.listen({ signal: controller.signal })
        const client = await mcpB.tab('v1')
        const closed = new Promise<string>((resolve) => {
          client.onclose = () => resolve('closed')
        })
        // Into the back/forward cache and back: a client of @mcp-b/transports would not come back.
        dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
        const text = await mcpB.text(client, 'notes://cart')
        if (how === 'stop') window.stop()
        else if (how === 'abort') controller.abort()
        else mcp.close()
        return [text, await closed]
      }, how)
      assert.deepEqual(closed, ['2 apples', 'closed'])
    }
  },
)

inBrowsers('an embedder of another origin hears nothing, not even a word', async ({ open }) => {
  const page = await ready(open, '/embedder.html', served.otherOrigin)
  const frame = `${served.origin}/host.html?origin=${served.origin}&origin=https://a.example`
  await page.evaluate(async (frame) => {
    const iframe = document.createElement('iframe')
    iframe.src = frame
    iframe.id = 'frame'
    document.body.append(iframe)
  }, frame)
  const handle = await page.waitForSelector('#frame')
  const content = await handle?.contentFrame()
  await content?.waitForFunction('window.ready')
  await page.evaluate(() => {
    const iframe = document.querySelector<HTMLIFrameElement>('#frame')
    const initialize = { jsonrpc: '2.0', id: 0, method: 'ping' }
    for (const payload of ['mcp-check-ready', initialize]) {
      for (const channel of ['mcp-iframe', 'mcp-default']) {
        const message = { channel, type: 'mcp', direction: 'client-to-server', payload }
        iframe?.contentWindow?.postMessage(message, '*')
      }
    }
  })
  // A client in the frame's own window is answered after them.
  const text = await content?.evaluate(async () => mcpB.text(await mcpB.tab('v1'), 'notes://cart'))
  assert.equal(text, '2 apples')
  assert.deepEqual(await page.evaluate('heard'), [])
})

inBrowsers('forged, foreign and broken messages have no effect', async ({ open }) => {
  const page = await ready(open, '/host.html')
  const got = await page.evaluate(async () => {
    const right = { channel: 'mcp-default', type: 'mcp', direction: 'client-to-server' }
    const ping = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' })
    const client = await mcpB.tab('v1')
    const from = window.posted.length
    // Of an event that a script made, of a frame without a document of its own, of a sandboxed frame.
    const forged = { origin: location.origin, source: window }
    dispatchEvent(
      new MessageEvent('message', { data: { ...right, payload: ping('forged') }, ...forged }),
    )
    const inherits = document.body.appendChild(document.createElement('iframe'))
    const script = (payload: object) =>
      `parent.postMessage(${JSON.stringify({ ...right, payload })}, '*')`
    ;(inherits.contentWindow as unknown as { eval(code: string): void }).eval(script(ping('child')))
    const sandboxed = document.createElement('iframe')
    sandboxed.sandbox.add('allow-scripts')
    sandboxed.srcdoc = `<script>${script(ping('sandboxed'))};parent.postMessage('done', '*')</script>`
    const done = new Promise<void>((resolve) => {
      addEventListener('message', ({ data }) => data === 'done' && resolve())
    })
    document.body.append(sandboxed)
    await done
    // Other envelopes, and payloads that are none.
    const payload = ping('wrong envelope')
    for (const message of [
      { ...right, channel: 'other', payload },
      { ...right, channel: undefined, payload },
      { ...right, type: 'mcp2', payload },
      { ...right, direction: 'server-to-client-2', payload },
      { payload },
      payload,
      right,
      null,
      [right],
    ]) {
      postMessage(message, location.origin)
    }
    for (const payload of [
      null,
      'mcp-server-stopped',
      'mcp-check-ready ',
      '{"jsonrpc":"2.0","id":"text","method":"ping"}',
      7,
      [ping('batch')],
      { pagemcp: 'close' },
      { jsonrpc: '1.0', id: 'old', method: 'ping' },
      { jsonrpc: '2.0', id: 'ping-guess', result: {} },
    ]) {
      postMessage({ ...right, payload }, location.origin)
    }
    const text = await mcpB.text(client, 'notes://cart')
    const answers = window.posted.slice(from).map(({ payload }) => payload)
    return { text, answers }
  })
  assert.equal(got.text, '2 apples')
  // Only the client's own read was answered.
  assert.equal(got.answers.length, 1, JSON.stringify(got.answers))
})

inBrowsers(
  'too large and too many messages are refused, and the client lives',
  async ({ open }) => {
    const page = await ready(open, '/host.html')
    const got = await page.evaluate(async () => {
      const post = (payload: unknown) =>
        postMessage(
          { channel: 'mcp-default', type: 'mcp', direction: 'client-to-server', payload },
          location.origin,
        )
      const client = await mcpB.tab('v1')
      const from = window.posted.length
      const big = { uri: `notes://${'x'.repeat(2 << 20)}` }
      post({ jsonrpc: '2.0', id: 'big', method: 'resources/read', params: big })
      let deep: object = {}
      for (let i = 0; i < 500; i++) deep = { deep }
      post({ jsonrpc: '2.0', id: 'deep', method: 'ping', params: deep })
      for (let i = 0; i < 1_000; i++) {
        post('mcp-check-ready')
        const params = { uri: 'notes://slow' }
        post({ jsonrpc: '2.0', id: `r${i}`, method: 'resources/read', params })
      }
      const refused = await mcpB
        .call(client, 'echo', { text: 'busy' })
        .catch(({ message }) => message)
      for (let i = 0; i < 1_000; i++) {
        const params = { requestId: `r${i}` }
        post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      }
      const text = await mcpB.call(client, 'echo', { text: 'alive' })
      const answers = window.posted
        .slice(from)
        .map(
          ({ payload }) => payload as { id?: unknown; error?: { code: number; message: string } },
        )
      const of = (id: RegExp) => answers.filter((one) => id.test(String(one.id)) && one.error)
      return {
        text,
        refused,
        big: of(/^big$/)[0]?.error,
        deep: of(/^deep$/)[0]?.error,
        tooMany: of(/^r\d/).length,
      }
    })
    assert.equal(got.text, 'alive')
    assert.equal(got.big?.code, -32600)
    assert.ok(got.deep)
    assert.ok(got.tooMany > 900, `${got.tooMany} reads were refused`)
  },
)

inBrowsers('a flood of sessions is refused while the first is decided about', async ({ open }) => {
  const page = await ready(open, '/host.html')
  const got = await page.evaluate(async () => {
    await mcpB.tab('v1')
    const from = window.posted.length
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'flood', version: '1' },
    }
    for (let i = 0; i < 500; i++) {
      const payload = { jsonrpc: '2.0', id: `i${i}`, method: 'initialize', params }
      const to = { channel: 'mcp-default', type: 'mcp', direction: 'client-to-server' }
      postMessage({ ...to, payload }, location.origin)
    }
    await mcpB.error(mcpB.tab('v1'))
    const answers = window.posted.slice(from).map(({ payload }) => payload as { error?: object })
    return answers.filter(({ error }) => error).length
  })
  assert.ok(got >= 499, `${got} sessions were refused`)
})
