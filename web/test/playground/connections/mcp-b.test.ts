// The envelope of @mcp-b/transports, against their own TabServerTransport, in a window that is none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TabServerTransport } from '@mcp-b/transports'
import { channels, dialMcpB } from '../../../playground/connections/mcp-b.ts'
import type { TransportEvents } from '../../../playground/connections/transport.ts'

const origin = 'http://a.example'

/** As much of a window as both sides use: what is posted comes back, from itself. */
function fakeWindow() {
  const target = new EventTarget()
  const posted: unknown[] = []
  const window = {
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
    postMessage(data: unknown) {
      posted.push(data)
      const event = Object.assign(new Event('message'), { data, origin, source: window })
      queueMicrotask(() => target.dispatchEvent(event))
    },
  }
  return { window: window as unknown as Window, posted }
}

/** Ears that keep what they hear, in order. */
function listening() {
  const received: string[] = []
  let wake = () => {}
  const events: TransportEvents = {
    received: (text) => push(text),
    observed: () => {},
    failed: (_, reason) => push(`failed ${reason}`),
    note: (line) => push(`note ${line}`),
    waiting: (reason) => push(`waiting ${reason}`),
    closed: () => push('closed'),
  }
  const push = (text: string) => {
    received.push(text)
    wake()
  }
  const next = async () => {
    while (received.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    return received.shift()
  }
  return { events, next }
}

test('messages go to a TabServerTransport and back, texts and all', {
  timeout: 20_000,
}, async () => {
  const { window, posted } = fakeWindow()
  Object.assign(globalThis, { window, addEventListener: window.addEventListener })
  const server = new TabServerTransport({ allowedOrigins: [origin] })
  server.onmessage = (message) => {
    const { id } = message as { id?: number }
    if (id !== undefined) void server.send({ jsonrpc: '2.0', id, result: { ok: true } })
  }
  const { events, next } = listening()
  const dialled = dialMcpB({ window, origin, channel: channels.window }, events)
  await server.start() // after the client has asked for the first time
  const transport = await dialled
  transport.send('{"jsonrpc":"2.0","id":7,"method":"ping"}')
  assert.equal(await next(), '{"jsonrpc":"2.0","id":7,"result":{"ok":true}}')
  transport.send('{broken')
  assert.equal((posted.at(-1) as { payload: unknown }).payload, '{broken')
  await server.close()
  assert.equal(await next(), 'closed')
})

test('who is silent is given up, and others on the window are not heard', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { window } = fakeWindow()
  Object.assign(globalThis, { window, addEventListener: window.addEventListener })
  const { events } = listening()
  const dialled = dialMcpB({ window, origin, channel: channels.window }, events)
  window.postMessage(
    { channel: 'other', type: 'mcp', direction: 'server-to-client', payload: 'mcp-server-ready' },
    origin,
  )
  window.postMessage('hello', origin)
  window.postMessage(null, origin)
  await Promise.resolve()
  context.mock.timers.tick(20_000)
  await assert.rejects(dialled, Error)
})
