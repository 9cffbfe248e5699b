/** A note that is checked off reaches an assistant that waits, also between two calls. */

import assert from 'node:assert/strict'
import { post, useGateway } from '../e2e/gateway.ts'
import { openNotes } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'

const gateway = useGateway()

/** Calls the gateway's tool; a timeout is an answer without a change. */
async function wait(event: string, since?: string, timeoutSeconds = 20) {
  const named = { uris: [event], timeoutSeconds, ...(since !== undefined && { since }) }
  const answer = await post(gateway(), 'tools/call', { name: 'wait_for_change', arguments: named })
  const { result } = JSON.parse(/^data: (\{.*"result".*)$/m.exec(answer)?.[1] ?? answer)
  assert.ok(result?.structuredContent, answer)
  return result.structuredContent as { events?: { data: unknown }[]; cursor: string }
}

inBrowsers('an assistant hears of a note that is checked off, and misses none', async (browser) => {
  const { page, subject } = await openNotes(gateway(), browser)
  const event = `${subject.uri.split('+')[0]}+event:///checked`
  const uri = await page.$eval('#uri-text', (element) => element.textContent)
  const { cursor } = await wait(event, undefined, 0.1) // from now on
  const checkOff = async () => {
    await page.click('#done')
    await page.waitForSelector('#done[aria-pressed=true]')
  }
  await checkOff()
  const first = await wait(event, cursor)
  assert.deepEqual(
    first.events?.map(({ data }) => data),
    [{ uri }],
  )
  await page.click('#done')
  await page.waitForSelector('#done[aria-pressed=false]')
  await checkOff() // between two calls
  await page.waitForSelector('.done')
  const second = await wait(event, first.cursor)
  assert.deepEqual(
    second.events?.map(({ data }) => data),
    [{ uri }],
  )
})
