/**
 * The playground may connect anywhere, for that is its purpose: so a link or an import alone never connects, frames or
 * sends, and a host that is not this machine gets no byte before the visitor has agreed to it, once.
 */

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import { isThisMachine } from '../../playground/connections/consent.ts'
import { built } from '../harness/build.ts'
import { browserUnderTest, close, launch } from '../harness/launch.ts'
import { serve } from '../harness/serve.ts'
import { fill, openDialog } from '../playground/connections/dialog.ts'
import { press, saw } from '../playground/harness.ts'

/** What counts all that reaches it, under a name that is not this machine’s. */
async function farServer() {
  const reached: string[] = []
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
      .end('far')
  })
  server.on('upgrade', (request, socket) => {
    reached.push(`socket ${request.url}`)
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const end = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { host: `far.example:${port}`, reached, end }
}

const name = browserUnderTest
test(`a far host gets nothing before the visitor has agreed, and then without a question (${name})`, async () => {
  const { directory, remove } = await built()
  const site = await serve({ directories: { '/': directory } })
  const far = await farServer()
  const browser: Browser = await launch(name, {
    flags: ['--host-resolver-rules=MAP far.example 127.0.0.1'],
    preferences: { 'network.dns.localDomains': 'far.example' },
  })
  try {
    const open = async (): Promise<Page> => {
      const page = await browser.newPage()
      page.setDefaultTimeout(30_000)
      await page.goto(`${site.origin}/playground/index.html?quiet&lang=en`)
      await page.waitForSelector('html[data-ready]')
      return page
    }
    const page = await open()
    for (const [kind, url] of [
      ['http', `http://${far.host}/mcp`],
      ['ws', `ws://${far.host}/ws`],
      ['frame', `http://${far.host}/page`],
    ] as const) {
      await openDialog(page, kind)
      await fill(page, url)
      await press(page, 'dialog button', 'Connect')
      await saw(page, '.connections-consent', far.host)
      await press(page, 'dialog button', 'Do not connect')
      await page.waitForFunction(() => !document.querySelector('.connections-consent'))
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => !document.querySelector('dialog'))
    }
    await openDialog(page, 'http')
    await fill(page, `http://${far.host}/mcp`)
    await press(page, 'dialog button', 'Diagnose')
    await saw(page, '.connections-consent', far.host)
    assert.deepEqual([...far.reached], [], 'before the visitor has agreed')
    await press(page, 'dialog button', far.host, 'data-agree')
    await saw(page, 'dialog', 'Findings')
    assert.ok(far.reached.length > 0, 'the twin: with consent it is reached')

    const again = await open()
    await openDialog(again, 'ws')
    await fill(again, `ws://${far.host}/agreed`)
    await press(again, 'dialog button', 'Connect')
    await again.waitForFunction(() => !document.querySelector('dialog'))
    await saw(again, '.clients', far.host)
    await again.waitForSelector('.clients .connection-state[data-is=closed]') // the server has ended the socket
    assert.ok(far.reached.includes('socket /agreed'), far.reached.join())
  } finally {
    await close(browser)
    await far.end()
    await site.close()
    await remove()
  }
})

test('which host names are this machine', () => {
  for (const name of ['localhost', 'app.localhost', '127.0.0.1', '127.8.9.10', '[::1]']) {
    assert.equal(isThisMachine(name), true, name)
  }
  for (const name of [
    'far.example',
    'localhost.example',
    '127.0.0.1.example',
    '10.0.0.1',
    '0.0.0.0',
    '[::2]',
    '',
  ]) {
    assert.equal(isThisMachine(name), false, name)
  }
})
