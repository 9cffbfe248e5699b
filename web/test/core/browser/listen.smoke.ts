// Clients in the same window, in an iframe and in a Worker, each on a port of its own; and those who
// get nothing. protocol.md §3.4, R-351; security.md S5.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

/** In a page: reads on a port. */
const text = `
import { testClient } from '/test/harness/client.ts'
const text = async (port) => {
  const { result, error } = await testClient(port).askModern('resources/read', { uri: 'notes://cart' })
  return result ? result.contents[0].text : JSON.stringify(error)
}`

/** A page that serves, and lists its own origin and whatever its query names. */
const host = `
import { start } from '/pagemcp/index.js'
import { connectTo } from '/pagemcp/client.js'
${text}
const query = new URLSearchParams(location.search)
window.mcp = await start({ name: 'host' })
mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
window.reads = []
mcp.on('read', (event) => reads.push(event))
const origins = [location.origin, ...query.getAll('origin')]
mcp.listen({ origins })
window.same = async () => text(await connectTo(window, { origin: location.origin, timeout: 15_000 }))
window.inWorker = async () => {
  const worker = new Worker('/worker.html.js', { type: 'module' })
  const answer = new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data) })
  const port = mcp.port()
  worker.postMessage(port, [port])
  return answer
}
window.frame = async (src, sandbox) => {
  const frame = document.createElement('iframe')
  if (sandbox) frame.sandbox = sandbox
  const answer = new Promise((resolve) => {
    const hear = ({ data, source }) => {
      if (source !== frame.contentWindow || typeof data !== 'object' || !('answer' in data)) return
      removeEventListener('message', hear)
      resolve(data.answer)
    }
    addEventListener('message', hear)
  })
  frame.src = src
  document.body.append(frame)
  return answer
}
window.ready = true`

/** A client in an iframe: tells its parent what it got. */
const client = `
import { connectTo } from '/pagemcp/client.js'
${text}
const query = new URLSearchParams(location.search)
const origin = query.get('host')
const timeout = Number(query.get('timeout') ?? 15_000)
let answer
try {
  answer = await text(await connectTo(parent, { origin, timeout }))
} catch (error) {
  answer = error.name
}
parent.postMessage({ answer }, '*')`

const worker = `${text}
onmessage = async ({ data }) => postMessage(await text(data))`

const pages = { '/host.html': host, '/client.html': client, '/worker.html': worker }

inBrowsers('window, iframe and Worker are served', async ({ open }) => {
  const { origin, otherOrigin, close } = await servePages(pages, {
    'access-control-allow-origin': '*',
  })
  try {
    const page = await open(`${origin}/host.html?origin=${otherOrigin}`)
    await page.waitForFunction('window.ready')
    assert.equal(await page.evaluate('same()'), '2 apples')
    assert.equal(await page.evaluate('inWorker()'), '2 apples')
    const frame = `${otherOrigin}/client.html?host=${origin}`
    assert.equal(await page.evaluate(`frame(${JSON.stringify(frame)})`), '2 apples')
    // The engine's thread posts read events to the window; the frame's answer does not wait for them.
    await page.waitForFunction('reads.length >= 3', { timeout: 10_000 })
    const reads = (await page.evaluate('reads')) as { uri: string; assistant: string }[]
    assert.deepEqual(
      reads.map(({ assistant }) => assistant),
      [origin, 'page', otherOrigin],
    )
  } finally {
    await close()
  }
})

inBrowsers('who is not on the list gets nothing, not even a refusal', async ({ open }) => {
  const { origin, otherOrigin, close } = await servePages(pages, {
    'access-control-allow-origin': '*',
  })
  try {
    const page = await open(`${origin}/host.html`)
    await page.waitForFunction('window.ready')
    // Another origin; a sandboxed frame, whose origin is opaque. At once: each waits for all of its timeout.
    const foreign = `${otherOrigin}/client.html?host=${origin}&timeout=2000`
    const own = `${origin}/client.html?host=${origin}&timeout=2000`
    assert.deepEqual(
      await page.evaluate(
        `Promise.all([frame(${JSON.stringify(foreign)}), frame(${JSON.stringify(own)}, 'allow-scripts')])`,
      ),
      ['TimeoutError', 'TimeoutError'],
    )
    // A frame without document of its own inherits our origin; a forged event claims to be from us;
    // a replayed nonce gets no second port.
    const ports = await page.evaluate(`new Promise((resolve) => {
      let ports = 0
      const hear = ({ data, ports: given }) => { if (data?.pagemcp === 'connected') ports += given.length }
      addEventListener('message', hear)
      const frame = document.body.appendChild(document.createElement('iframe'))
      frame.contentWindow.eval(\`
        addEventListener('message', ({ ports }) => { parent.stolen = (parent.stolen ?? 0) + ports.length })
        parent.postMessage({ pagemcp: 'connect', nonce: 'a-nonce-of-the-frame' }, '\${location.origin}')\`)
      dispatchEvent(new MessageEvent('message', {
        data: { pagemcp: 'connect', nonce: 'a-forged-nonce-here' }, origin: location.origin, source: window,
      }))
      for (let i = 0; i < 3; i++) postMessage({ pagemcp: 'connect', nonce: 'one-and-the-same-nonce' }, location.origin)
      for (const nonce of ['short', 7, undefined, 'x'.repeat(1000)]) {
        postMessage({ pagemcp: 'connect', nonce }, location.origin)
      }
      // The page answers in order: when the last one is answered, so are all.
      const last = 'the-last-nonce-of-all'
      addEventListener('message', ({ data }) => {
        if (data?.pagemcp === 'connected' && data.nonce === last) resolve([ports, window.stolen ?? 0])
      })
      postMessage({ pagemcp: 'connect', nonce: last }, location.origin)
    })`)
    assert.deepEqual(ports, [2, 0])
  } finally {
    await close()
  }
})
