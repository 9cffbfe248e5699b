/**
 * What breaks while an assistant listens: the page reloads, the gateway crashes and comes back. The assistant's session,
 * its subscription and every URI stay, and whatever may have changed is announced (P3, R-359, decision 6.23).
 */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { type Assistant, classic } from '../faults/kit.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { hasLoaded } from '../harness/waits.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { joined, openNotes } from './notes.ts'

let gateway: Gateway
before(async () => {
  gateway = await startGateway({ restarts: true })
})
after(() => gateway?.close())

/**
 * Writes, and reads at each update until the new text is there: an update of the page's return may come
 * before that of the change.
 */
async function seesChange(
  client: Assistant,
  uri: string,
  write: () => Promise<unknown>,
  text: RegExp,
): Promise<void> {
  let next = client.update(uri)
  await write()
  do {
    await next
    next = client.update(uri)
    next.catch(() => {}) // it is not awaited if this is the text
  } while (!text.test(await client.read(uri)))
}

inBrowsers('a reload keeps name, URIs and subscriptions', async (browser) => {
  const { page, subject } = await openNotes(gateway, browser)
  const client = await classic(gateway)
  await client.subscribe(subject.uri)
  const name = await joined(page)
  const announced = client.update(subject.uri)
  const reloading = page.reload()
  const answers = await Promise.all([1, 2, 3].map(() => client.read(subject.uri)))
  for (const answer of answers) assert.match(answer, /milk/)
  await reloading
  assert.equal(await joined(page), name)
  await announced
  await page.waitForFunction(() => document.querySelectorAll('#notes [data-id]').length > 0)
  await seesChange(client, subject.uri, () => subject.write('bread'), /bread/)
  await client.close()
})

inBrowsers(
  'a gateway that was killed comes back as the same one',
  async (browser) => {
    const { page, subject } = await openNotes(gateway, browser)
    const client = await classic(gateway)
    await client.subscribe(subject.uri)
    const name = await joined(page)
    await hasLoaded(page)
    await gateway.kill()
    await page.waitForSelector('#state:not([data-is="joined"])')
    const announced = client.update(subject.uri)
    gateway = await gateway.again()
    assert.equal(await joined(page), name)
    await announced // on the stream that the client opened again
    assert.match(await client.read(subject.uri), /milk/)
    await seesChange(client, subject.uri, () => subject.write('butter'), /butter/)
    await client.close()
  },
  { only: ['chromium'] }, // how soon a browser dials again is in faults/away.page.ts
)

inBrowsers('secrets and contents stay out of every log', async (browser) => {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const gateway = await startGateway({ state })
  try {
    const { page, subject } = await openNotes(gateway, browser)
    const client = await classic(gateway)
    await subject.write('a canary that nobody logs')
    await page.waitForFunction(() => document.getElementById('saved')?.textContent === 'Saved')
    assert.match(await client.read(subject.uri), /canary/)
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
