/**
 * What breaks while an assistant listens: the page reloads, the gateway crashes and comes back. The assistant's session,
 * its subscription and every URI stay, and whatever may have changed is announced (P3, R-359, decision 6.23).
 */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { inBrowsers } from '../harness/browsers.ts'
import { hasLoaded } from '../harness/waits.ts'
import { type Gateway, ownPorts, startGateway } from './gateway.ts'
import { joined, openNotes } from './notes.ts'

const options = { timeout: 20_000 } // ms, for each call

let gateway: Gateway
let state: string
let ports: string[]
before(async () => {
  state = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  ports = await ownPorts()
  gateway = await startGateway({ state, args: ports })
})
after(async () => {
  await gateway?.close()
  await rm(state, { recursive: true, force: true })
})

/** An assistant of 2025-11-25 that hears of changes on its GET stream, which it opens again by itself. */
async function assistant(at: Gateway = gateway): Promise<{
  client: Client
  /** Rejects if no update of `uri` comes. */
  update(uri: string): Promise<void>
}> {
  const transport = new StreamableHTTPClientTransport(new URL(at.mcp), {
    requestInit: { headers: { Authorization: `Bearer ${at.token}` } },
  })
  const client = new Client({ name: 'listener', version: '1.0.0' })
  const seen = new EventTarget()
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    seen.dispatchEvent(new Event(params.uri))
  })
  await client.connect(transport, options)
  return {
    client,
    update: (uri) =>
      new Promise((resolve, reject) => {
        const late = AbortSignal.timeout(options.timeout)
        late.addEventListener('abort', () => reject(new Error(`no update of ${uri}`)))
        seen.addEventListener(uri, () => resolve(), { once: true })
      }),
  }
}

async function read(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri }, options)
  const [first] = contents
  assert.ok(first && 'text' in first && typeof first.text === 'string')
  return first.text
}

/**
 * Writes, and reads at each update until the new text is there: an update of the page's return may come
 * before that of the change.
 */
async function seesChange(
  { client, update }: Awaited<ReturnType<typeof assistant>>,
  uri: string,
  write: () => Promise<unknown>,
  text: RegExp,
): Promise<void> {
  let next = update(uri)
  await write()
  do {
    await next
    next = update(uri)
    next.catch(() => {}) // it is not awaited if this is the text
  } while (!text.test(await read(client, uri)))
}

inBrowsers('a reload keeps name, URIs and subscriptions', async (browser) => {
  const { page, subject } = await openNotes(gateway, browser)
  const { client, update } = await assistant()
  await client.subscribeResource({ uri: subject.uri }, options)
  const name = await joined(page)
  const announced = update(subject.uri)
  const reloading = page.reload()
  const answers = await Promise.all([1, 2, 3].map(() => read(client, subject.uri)))
  for (const answer of answers) assert.match(answer, /milk/)
  await reloading
  assert.equal(await joined(page), name)
  await announced
  await page.waitForFunction(() => document.querySelectorAll('#notes [data-id]').length > 0)
  await seesChange({ client, update }, subject.uri, () => subject.write('bread'), /bread/)
  await client.close()
})

inBrowsers('a second tab is another page, and closing it changes nothing', async (browser) => {
  const { page, subject } = await openNotes(gateway, browser)
  const { client } = await assistant()
  const { pages } = await gateway.fresh()
  const second = await browser.open(pages.notes ?? '')
  const name = await joined(second)
  assert.notEqual(name, await joined(page))
  assert.match(await read(client, subject.uri), /milk/)
  await second.close()
  assert.match(await read(client, subject.uri), /milk/)
  await client.close()
})

inBrowsers(
  'a gateway that was killed comes back as the same one',
  async (browser) => {
    const { page, subject } = await openNotes(gateway, browser)
    const { client, update } = await assistant()
    await client.subscribeResource({ uri: subject.uri }, options)
    const name = await joined(page)
    await hasLoaded(page)
    await gateway.kill()
    await page.waitForSelector('#state:not([data-is="joined"])')
    const announced = update(subject.uri)
    gateway = await startGateway({ state, args: ports })
    assert.equal(await joined(page), name)
    await announced // on the stream that the client opened again
    assert.match(await read(client, subject.uri), /milk/)
    await seesChange({ client, update }, subject.uri, () => subject.write('butter'), /butter/)
    await client.close()
  },
  { only: ['chromium'] }, // how soon a browser dials again is in faults/away.page.ts
)

inBrowsers('secrets and contents stay out of every log', async (browser) => {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const gateway = await startGateway({ state })
  try {
    const { page, subject } = await openNotes(gateway, browser)
    const { client } = await assistant(gateway)
    await subject.write('a canary that nobody logs')
    await page.waitForFunction(() => document.getElementById('saved')?.textContent === 'Saved')
    assert.match(await read(client, subject.uri), /canary/)
    await client.close()
    // The browser's own record of the navigation keeps the whole address; what it shows is void by now (pairing_test.go).
    const traces = await page.evaluate(() =>
      JSON.stringify([
        location.href,
        document.referrer,
        performance
          .getEntries()
          .filter(({ entryType }) => entryType !== 'navigation')
          .map(({ name }) => name),
        Object.entries(localStorage),
        Object.entries(sessionStorage),
      ]),
    )
    assert.ok(!/pagemcp=|secret/i.test(traces), traces)
    await gateway.close() // the audit log is written in the background
    const audit = await readFile(join(state, 'audit.jsonl'), 'utf8')
    assert.ok(audit.includes(subject.uri), 'the read is not in the audit log')
    for (const text of [audit, gateway.log()]) {
      assert.ok(!text.includes('canary') && !text.includes(gateway.token))
    }
  } finally {
    await gateway.close()
    await rm(state, { recursive: true, force: true })
  }
})
