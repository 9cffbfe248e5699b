/** Forms for requests of servers, in both eras, with the demo and with a server that tests write. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Frame, Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import {
  openPlayground,
  type Playground,
  press,
  saw,
  sharePlayground,
  writeMessage,
} from '../harness.ts'
import { openHosted, serveHosted } from '../timeline/host.ts'

const playground = sharePlayground()
let hosted: Playground
before(async () => {
  hosted = await serveHosted()
})
after(() => hosted?.close())

inBrowsers(
  'a missing capability is declared by one click, and the form answers',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await writeMessage(page, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'remove_note',
        arguments: { id: 'trip' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    })
    await press(page, '[data-command=send]', '')
    await saw(page, '.tl-row .tl-status', '-32021')
    await press(page, '[data-command=declare]', 'Declare elicitation')
    await saw(page, '.answer-message', 'Remove the note trip?')
    await saw(page, '.tl-row.tl-status-input', 'tools/call')
    await press(page, '.answer button', 'Accept')
    await saw(page, '#pane-inspect', 'Removed notes://trip')
    assert.equal(await page.$('.answer'), null)
  },
)

/** A request of the server, in the older era: the host sends it as it is. */
const ask = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

const click = async (frame: Frame, selector: string, text: string) => {
  await saw(frame, selector, text)
  await frame.$$eval(
    selector,
    (all, text) =>
      (all.find((one) => one.textContent?.includes(text)) as HTMLElement | undefined)?.click(),
    text,
  )
}

/** Keeps what the playground sends to the page around it. */
const listen = (page: Page) =>
  page.evaluate(() => {
    const sent: string[] = []
    Object.assign(globalThis, { sent })
    server.heard = (text) => {
      sent.push(text)
    }
  })

inBrowsers('requests of a server are answered by forms', async ({ open }) => {
  const { page, frame } = await openHosted(open, hosted)
  await listen(page)
  const say = (text: string) => page.evaluate((text) => server.say(text), text)
  const answer = async (id: number) => {
    const found = await page.waitForFunction(
      (id) =>
        (globalThis as unknown as { sent: string[] }).sent
          .map((text) => JSON.parse(text))
          .find((one) => one.id === id && !one.method),
      {},
      id,
    )
    const { result, error } = (await found.jsonValue()) as { result?: unknown; error?: unknown }
    return result ?? error
  }

  const requestedSchema = {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', description: 'Where to', minLength: 2 },
      seats: { type: 'integer', minimum: 1, maximum: 4, default: 2 },
      meal: { type: 'string', enum: ['a', 'b'], enumNames: ['Soup', 'Rice'] },
      tags: { type: 'array', items: { type: 'string', enum: ['x', 'y', 'z'] }, minItems: 2 },
      window: { type: 'boolean', default: true },
    },
    required: ['city'],
  }
  await say(ask(101, 'elicitation/create', { message: 'Book <b>now</b>?', requestedSchema }))
  await saw(frame, '.answer-message', 'Book <b>now</b>?')
  await saw(frame, '.answer', 'Where to')
  await click(frame, '.answer button', 'Accept') // the city is missing
  assert.equal(await frame.$eval('.answer input', (one) => one.matches(':invalid')), true)
  await frame.type('.answer input', 'Lyon')
  await click(frame, '.answer button', 'Accept') // two tags are required
  assert.equal(
    await frame.$eval('.answer input[value=\'"x"\']', (one) => one.matches(':invalid')),
    true,
  )
  await frame.click('.answer input[value=\'"x"\']')
  await frame.click('.answer input[value=\'"z"\']')
  await frame.select('.answer select[name=meal]', '"b"')
  await click(frame, '.answer button', 'Accept')
  assert.deepEqual(await answer(101), {
    action: 'accept',
    content: { city: 'Lyon', seats: 2, meal: 'b', tags: ['x', 'z'], window: true },
  })

  await say(ask(102, 'elicitation/create', { message: 'Again?', requestedSchema }))
  await click(frame, '.answer button', 'Decline')
  assert.deepEqual(await answer(102), { action: 'decline' })

  const url = 'https://user.example.com/path?a=%22'
  await say(
    ask(103, 'elicitation/create', { mode: 'url', message: 'Pay', url, elicitationId: '1' }),
  )
  await saw(frame, '.answer a', 'Open user.example.com')
  assert.deepEqual(
    await frame.$eval('.answer a', (one) => {
      const { href, rel, target } = one as HTMLAnchorElement
      return { href, rel, target }
    }),
    { href: url, rel: 'noopener noreferrer', target: '_blank' },
  )
  await click(frame, '.answer button', 'Cancel')
  assert.deepEqual(await answer(103), { action: 'cancel' })

  for (const [i, hostile] of [
    'javascript:alert(1)',
    'https://bank.example@evil.example/',
    'data:text/html,x',
  ].entries()) {
    await say(ask(110 + i, 'elicitation/create', { mode: 'url', message: 'Pay', url: hostile }))
    await saw(frame, '.answer [role=alert]', hostile)
    assert.equal(await frame.$('.answer a'), null, hostile)
    await click(frame, '.answer button', 'Decline')
    assert.deepEqual(await answer(110 + i), { action: 'decline' })
  }

  const messages = [{ role: 'user', content: { type: 'text', text: 'What is 2+2?' } }]
  await say(
    ask(120, 'sampling/createMessage', { messages, systemPrompt: 'Be brief', maxTokens: 9 }),
  )
  await saw(frame, '.answer-messages', 'What is 2+2?')
  await saw(frame, '.answer', 'Be brief')
  await frame.type('.answer textarea', '4')
  await frame.select('.answer select', 'stopSequence')
  await click(frame, '.answer button[type=submit]', 'Send')
  assert.deepEqual(await answer(120), {
    role: 'assistant',
    content: { type: 'text', text: '4' },
    model: 'pagemcp-playground',
    stopReason: 'stopSequence',
  })
  await say(ask(121, 'sampling/createMessage', { messages, maxTokens: 9 }))
  await click(frame, '.answer button', 'Reject')
  assert.deepEqual(await answer(121), { code: -1, message: 'User rejected sampling request' })

  await say(ask(130, 'roots/list', {}))
  await click(frame, '.answer button', 'Add root')
  await frame.waitForFunction(() => document.querySelectorAll('.answer input').length === 4)
  await frame.type('.answer p:nth-of-type(2) input:nth-of-type(1)', 'work')
  await frame.type('.answer p:nth-of-type(2) input:nth-of-type(2)', 'Work')
  await click(frame, '.answer button[type=submit]', 'Send')
  assert.deepEqual(await answer(130), {
    roots: [{ uri: 'file:///' }, { uri: 'file:///work', name: 'Work' }],
  })
  assert.equal(await frame.$('.answer'), null)
})
