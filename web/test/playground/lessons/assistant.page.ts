/** The scripted assistant: a chat whose calls are real messages to the demo. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { callsToAct, openPlayground, press, saw, sharePlayground } from '../harness.ts'

const playground = sharePlayground()

/** The text of each turn. */
const turns = (page: Page) =>
  page.$$eval('.chat ol > li', (all) => all.map((one) => one.querySelector('p')?.textContent ?? ''))

inBrowsers(
  'each turn shows its messages, which lead to the timeline and the diagram',
  async ({ open }) => {
    const page = await openPlayground(open, playground, '?quiet&lang=en&lesson=assistant')
    await saw(page, '.chat p', 'The list is different now: milk, bread, lemons.')
    assert.deepEqual((await turns(page)).slice(2, 4), [
      'Your note says: milk, apples.',
      'I subscribe to the note. If it changes, the page tells me.',
    ])
    const calls = await page.$$eval('.chat-call code', (all) =>
      all.map((one) => one.textContent?.trim()),
    )
    assert.deepEqual(calls, [
      'resources/list',
      'resources/read notes://today',
      'subscriptions/listen',
      'notifications/subscriptions/acknowledged',
      'write notes://today "milk, bread, lemons"',
      'notifications/resources/updated notes://today',
      'resources/read notes://today',
    ])
    const active = await page.$$eval('.clients [aria-pressed=true] .letter', (all) =>
      all.map((one) => one.textContent),
    )
    assert.deepEqual(active, ['A'], 'the composer keeps its client')

    const row = await page.$eval(
      '.chat li:nth-child(3) .chat-call',
      (it) => (it as HTMLElement).dataset.calls,
    )
    await press(page, '.chat li:nth-child(3) .chat-call', '')
    await page.waitForSelector(`[data-pane=timeline] [data-row="${row}"][aria-selected=true]`)
    await press(page, '[data-pane=timeline] button', 'Sequence')
    await page.waitForSelector(`.sq-message[data-row="${row}"][aria-pressed=true]`)

    assert.deepEqual(await callsToAct(page), ['Next lesson'])
    await press(page, '.chat footer button', 'Leave')
    await page.waitForSelector('[data-lesson=assistant] .chip')
    assert.deepEqual(await callsToAct(page), ['Send'])
  },
  { moving: true },
)
