/** The gateway's pages: looking on while an assistant reads one, asking it, and who may do that. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../../e2e/gateway.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { press, saw } from '../harness.ts'
import { connection, openGateway } from './dialog.ts'

let gateway: Gateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway?.close())

/** Opens the playground that the gateway's web server serves. */
async function openServed(open: (url: string) => Promise<Page>): Promise<Page> {
  const page = await open(`${gateway.web}playground/index.html?quiet&lang=en`)
  await page.waitForSelector('html[data-ready]')
  return page
}

/** Reads as an assistant does that calls itself `tester`. */
async function read(uri: string): Promise<unknown> {
  const client = new Client({ name: 'tester', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(gateway.mcp), {
    requestInit: { headers: { authorization: `Bearer ${gateway.token}` } },
  })
  await client.connect(transport, { timeout: 20_000 })
  try {
    return await client.readResource({ uri }, { timeout: 20_000 })
  } finally {
    await client.close()
  }
}

inBrowsers(
  'looking on shows what an assistant reads of a page, and asking is one click',
  async ({ open }) => {
    const { start } = await gateway.fresh()
    await (await open(start)).waitForSelector('#state[data-is=paired]')
    const notes = await open(`${gateway.web}demo/notes/`)
    await notes.waitForSelector('#state[data-is=joined]')
    const name = /^Joined as (.+)$/.exec(
      (await notes.$eval('#state-text', (one) => one.textContent)) ?? '',
    )?.[1]

    const tab = await openServed(open)
    await openGateway(tab)
    await press(tab, '.connections-pages [data-tap]', name ?? '?', 'data-tap')
    await connection(tab, `${name}, monitor`)
    const uri = `${name}+idb:///notes-app/notes/n.2`
    assert.match(JSON.stringify(await read(uri)), /Chickpeas/)
    await saw(tab, '[data-pane=timeline]', 'assistant tester')
    await saw(tab, '[data-pane=timeline]', uri)

    await openGateway(tab)
    await saw(tab, '.connections-pages li', '1 read')
    await press(tab, '.connections-uses summary', '1')
    await saw(tab, '.connections-uses li', uri)
    await press(tab, '.connections-add summary', 'Try your page')
    await saw(tab, '.connections-add pre', 'mcp.connect()')
    assert.doesNotMatch(
      await tab.evaluate(() => document.body.textContent ?? ''),
      new RegExp(gateway.token),
    )
    await press(tab, '.connections-pages [data-ask]', name ?? '?', 'data-ask')
    await tab.waitForFunction(
      () => document.querySelectorAll('.clients .connection-state[data-is=open]').length === 3,
    )
    await saw(tab, '[data-pane=explore]', 'idb:///notes-app')
  },
)

inBrowsers('a link of the gateway that leads to the playground pairs it', async ({ open }) => {
  const { playground } = (await gateway.fresh()) as unknown as { playground: string }
  const tab = await open(playground.replace('#', '?quiet&lang=en#'))
  await tab.waitForSelector('html[data-ready]')
  await tab.waitForFunction(() => location.hash === '')
  await openGateway(tab)
  await saw(tab, '.connections-gateway', 'Permissions')
})

test('with --watch=false nobody looks on, paired or not', { timeout: 120_000 }, async () => {
  const quiet = await startGateway({ args: ['--watch=false'] })
  try {
    const status = async ({ mcp, web }: Gateway) => {
      const asked = request(mcp.replace('/mcp', '/watch'), {
        headers: {
          origin: web.replace(/\/$/, ''),
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          'sec-websocket-protocol': 'pagemcp.watch.v1',
        },
        timeout: 10_000, // ms
      }).end()
      const [answer, socket] = await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])
      socket?.destroy()
      answer.resume?.()
      return answer.statusCode
    }
    assert.equal(await status(quiet), 403)
    assert.equal(await status(gateway), 101)
  } finally {
    await quiet.close()
  }
})
