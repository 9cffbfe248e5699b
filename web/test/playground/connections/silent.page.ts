/** Servers that do not answer: what the user learns of it, long before a connection is given up. */

import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, before } from 'node:test'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, saw, servePlayground } from '../harness.ts'
import { connect } from './dialog.ts'

/** A program that accepts connections and says nothing. */
const sockets = new Set<Socket>()
const mute = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
})

let playground: Playground
let gateway = ''
before(async () => {
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const address = mute.address()
  assert.ok(typeof address === 'object' && address !== null)
  gateway = `ws://127.0.0.1:${address.port}/page`
  playground = await servePlayground({
    '/pagemcp/config.json': JSON.stringify({ gateway }),
    '/silent.html': '<!doctype html><title>silent</title>',
  })
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  mute.close()
  await playground?.close()
})

/** A link of the gateway at `url`. */
const invitation = (url: string) =>
  Buffer.from(JSON.stringify({ url, id: 'AAAAAAAAAAA', secret: 'A'.repeat(43) })).toString(
    'base64url',
  )

inBrowsers('a gateway that does not answer is reported at its page', async ({ open }) => {
  const page = await openPlayground(
    open,
    playground,
    `?quiet&lang=en#pagemcp=${invitation(gateway)}`,
  )
  await saw(page, '.front [role=alert]', 'did not accept the connection')
})

inBrowsers(
  'a page that does not answer is reported in Explore while it is waited for',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await connect(page, 'frame', `${playground.otherOrigin}/silent.html`)
    await saw(page, '[data-pane=explore] [role=alert]', 'must list')
    assert.doesNotMatch(await page.$eval('#explore-view', (view) => view.textContent), /Waiting/)
    await page.waitForSelector('.clients .connection-state[data-is=connecting]')
  },
)
