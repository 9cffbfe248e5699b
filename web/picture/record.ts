/**
 * `make picture`: records the moving picture of the README and of the documentation's first page, and its still frame
 * for readers who want no motion. A person uses the notes demo in Chromium; an MCP client, the official SDK, reads the
 * notes through the gateway and is notified of a change. Only the words of the assistant are from this script.
 *
 *     node picture/record.ts [DIRECTORY]     where the two files go; default: web/docs
 */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../test/e2e/gateway.ts'
import { joined } from '../test/e2e/notes.ts'
import { close, launch } from '../test/harness/launch.ts'
import { animatedWebp } from './animation.ts'
import { type Recorder, recorderOf } from './recorder.ts'
import { scale, size, still, windows } from './stage.ts'

/** How long a message or a step of the page may take. */
const timeout = 20_000 // ms

const directory = process.argv[2] ?? join(import.meta.dirname, '../docs')
const question = 'What is on my shopping list?'
const added = '\n- Dark chocolate'

/** Connects as an assistant of the gateway does. */
async function connect({ mcp, token }: Gateway): Promise<Client> {
  const client = new Client(
    { name: 'assistant', title: 'Assistant', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit }), {
    timeout,
  })
  return client
}

async function readText(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri }, { timeout })
  const [first] = contents
  if (first === undefined || !('text' in first)) throw new Error(`${uri} has no text`)
  return (JSON.parse(first.text) as { text: string }).text
}

const items = (text: string) => text.split('\n').map((line) => line.replace(/^- /, ''))

/** Reads and is notified, while the person writes. */
async function record(gateway: Gateway, app: Page, recorder: Recorder): Promise<void> {
  const client = await connect(gateway)
  try {
    await recorder.show(700)
    for (let typed = 2; typed < question.length; typed += 2) {
      await recorder.type(question.slice(0, typed))
      await recorder.show(50)
    }
    await recorder.type('')
    await recorder.say('user', question)
    await recorder.show(500)

    const { resources } = await client.listResources(undefined, { timeout })
    await recorder.message('out', 'resources/list', `${resources.length} resources`)
    await recorder.show(450)
    const shopping = resources.find(({ name, title }) => /Shopping/.test(title ?? name))
    if (shopping === undefined) throw new Error('the list has no shopping')
    const before = await readText(client, shopping.uri)
    await app.waitForFunction(() => document.querySelector('#notes .when.read') !== null, {
      timeout,
    })
    await recorder.message('out', 'resources/read', 'Shopping')
    await recorder.show(700)
    await recorder.say(
      'assistant',
      `${items(before).length} things:\n• ${items(before).join('\n• ')}`,
    )
    const changed = Promise.withResolvers<void>()
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      if (params.uri === shopping.uri) changed.resolve()
    })
    await client.listen({ resourceSubscriptions: [shopping.uri] }, { timeout })
    await recorder.message('out', 'subscriptions/listen', 'Shopping')
    await recorder.show(1600)

    await app.evaluate(() => {
      const notes = [...document.querySelectorAll<HTMLElement>('#notes [role="option"]')]
      notes.find(({ textContent }) => textContent?.startsWith('Shopping'))?.click()
    })
    await app.waitForSelector('#text', { visible: true, timeout })
    await app.$eval('#text', (field) => {
      const area = field as HTMLTextAreaElement
      area.focus()
      area.setSelectionRange(area.value.length, area.value.length)
    })
    await recorder.show(700)
    for (let typed = 0; typed < added.length; typed += 2) {
      await app.keyboard.sendCharacter(added.slice(typed, typed + 2))
      await recorder.show(80)
    }
    const late = setTimeout(
      () => changed.reject(new Error('no notification of the change')),
      timeout,
    )
    await changed.promise.finally(() => clearTimeout(late))
    await recorder.message('in', 'notifications/resources/updated', 'Shopping')
    await recorder.show(900)
    const after = await readText(client, shopping.uri)
    await recorder.message('out', 'resources/read', 'Shopping')
    await recorder.show(500)
    const fresh = items(after).filter((item) => !items(before).includes(item))
    await recorder.say('assistant', `New on your list: ${fresh.join(', ')}.`)
    await recorder.show(3400)
  } finally {
    await client.close()
  }
}

const gateway = await startGateway()
const browser = await launch('chromium')
try {
  const open = async ({ width, height } = { width: 800, height: 600 }) => {
    const page = await browser.newPage({ type: 'window' }) // a tab in the background is not drawn
    await page.setViewport({ width, height, deviceScaleFactor: scale })
    await page.emulateMediaFeatures([
      { name: 'prefers-reduced-motion', value: 'reduce' }, // each frame is the end of a transition
      { name: 'prefers-color-scheme', value: 'light' },
    ])
    return page
  }
  const { pages } = await gateway.fresh()
  const app = await open(windows.app)
  await app.goto(pages.notes ?? '')
  await joined(app)
  const assistant = await open(windows.assistant)
  const html = await readFile(join(import.meta.dirname, 'assistant.html'), 'utf8')
  const tokens = await readFile(join(import.meta.dirname, '../design/tokens.css'), 'utf8')
  await assistant.setContent(html.replace('/* tokens */', () => tokens))
  const stage = await open()
  const recorder = recorderOf(app, assistant, stage)
  await record(gateway, app, recorder)
  const { frames } = recorder
  const moving = animatedWebp(size.width, size.height, frames)
  const last = await still(stage)
  await writeFile(join(directory, 'picture.webp'), moving)
  await writeFile(join(directory, 'picture-still.webp'), last)
  const seconds = frames.reduce((sum, { duration }) => sum + duration, 0) / 1000
  console.log(
    `${frames.length} frames, ${seconds} s, ${moving.length} bytes; still ${last.length} bytes`,
  )
} finally {
  await close(browser)
  await gateway.close()
}
