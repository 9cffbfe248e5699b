// Ends and aborts: each promise settles, each client learns that it was closed, and nothing is left running.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'
import { fakeGateway } from './gateway.ts'

const host = `
import { start } from '/pagemcp/index.js'
import { connectTo } from '/pagemcp/client.js'
window.lib = { start, connectTo }
window.gateway = new URLSearchParams(location.search).get('gateway') ?? undefined
window.workers = []
const RealWorker = Worker
window.Worker = class extends RealWorker {
  constructor(...args) { super(...args); this.ended = false; workers.push(this) }
  terminate() { this.ended = true; super.terminate() }
}
window.begin = () => start({ name: 'host' })
window.nameOf = (promise) => Promise.race([
  promise.then((value) => 'resolved ' + value, (error) => error.name + ': ' + error.message),
  new Promise((resolve) => setTimeout(resolve, 15_000, 'not settled after 15 s')),
])
window.lastMessage = (port) => new Promise((resolve) => {
  setTimeout(resolve, 15_000, 'no last message after 15 s')
  port.onmessage = ({ data }) => { if (data?.pagemcp === 'close') resolve(data.reason) }
})
window.ready = true`

const left = 'AbortError: the page left the gateway'

inBrowsers('connect settles after close, and when it is left', async ({ open }) => {
  const gateway = await fakeGateway()
  const site = await servePages({ '/host.html': host })
  try {
    const tab = await open(`${site.origin}/host.html?gateway=${gateway.url}${gateway.fragment}`)
    await tab.waitForFunction('window.ready')

    // Left while the page finds its id: it never dials.
    assert.equal(
      await tab.evaluate(`(async () => {
          window.mcp = await begin()
          const connection = mcp.connect(gateway)
          const outcome = nameOf(connection.joined)
          connection.leave()
          return outcome
        })()`),
      left,
    )

    // Left when the gateway was dialled and has not proved itself: the page leaves, and does not join.
    await tab.evaluate(`{
        window.connection = mcp.connect(gateway)
        window.outcome = nameOf(connection.joined)
        undefined
      }`)
    const peer = await gateway.dialled()
    await peer.next()
    await tab.evaluate('connection.leave()')
    assert.equal(await tab.evaluate('outcome'), left)
    assert.equal(await tab.evaluate('connection.state.is'), 'closed')
    assert.equal(await peer.closed, 1000)
    assert.deepEqual(
      await tab.evaluate('mcp.state.gateways.map(({ is }) => is)'),
      ['closed'],
      'the attempt that never dialled has no state',
    )

    // Connections that were left do not pile up.
    await tab.evaluate(`(async () => {
        for (let i = 0; i < 20; i++) {
          const connection = mcp.connect(gateway)
          const leaving = nameOf(connection.joined)
          await new Promise((resolve) => {
            const off = mcp.on('state', () => { off(); resolve() })
          })
          connection.leave()
          await leaving
        }
      })()`)
    assert.equal(await tab.evaluate('mcp.state.gateways.length'), 1)

    // Closed while it connects; and asked after close.
    await tab.evaluate('{ window.pending = nameOf(mcp.connect(gateway).joined); undefined }')
    await gateway.dialled()
    await tab.evaluate('mcp.close()')
    const closed = 'InvalidStateError: the engine was closed'
    assert.equal(await tab.evaluate('pending'), closed)
    assert.equal(await tab.evaluate('nameOf(mcp.connect(gateway).joined)'), closed)
    assert.equal(await tab.evaluate('lastMessage(mcp.port())'), 'the page stopped serving')
  } finally {
    await site.close()
    gateway.close()
  }
})

inBrowsers('clients of listen get a last message', async ({ open }) => {
  const site = await servePages({ '/host.html': host })
  try {
    const tab = await open(`${site.origin}/host.html`)
    await tab.waitForFunction('window.ready')
    const reasons = await tab.evaluate(`(async () => {
        const mcp = await begin()
        const stop = new AbortController()
        mcp.listen({ origins: [location.origin], signal: stop.signal })
        const connect = () => lib.connectTo(window, { origin: location.origin, timeout: 15_000 })
        const ports = []
        for (let i = 0; i < 17; i++) {
          ports.push(await connect())
          if (i === 0) window.first = lastMessage(ports[0])
        }
        const reasons = [await first]
        const second = lastMessage(ports[1])
        stop.abort()
        reasons.push(await second)
        mcp.listen({ origins: [location.origin] })
        const closed = lastMessage(await connect())
        mcp.close()
        return [...reasons, await closed]
      })()`)
    assert.deepEqual(reasons, [
      `more than 16 clients of ${site.origin}: the oldest is closed`,
      'the page stopped listening',
      'the page stopped serving',
    ])
  } finally {
    await site.close()
  }
})
