/** The task list: a Dexie app that an assistant reads, and that shows what was read. */

import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Page } from 'puppeteer-core'
import { useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { polling } from './reading.ts'

const gateway = useGateway()

async function untilListed(page: Page, ...wanted: string[]) {
  await page.waitForFunction(
    (text) =>
      Array.from(document.querySelectorAll('#tasks label'), (one) => one.textContent).join('|') ===
      text,
    { polling },
    wanted.join('|'),
  )
}

const first = [
  'Book the dentist',
  'Send Ana the photos from Lisbon',
  'Pay the electricity bill',
  'Return the library books',
  'Learn to bake sourdough',
]

inBrowsers('tasks are added, done, filtered and deleted, and kept', async ({ open }) => {
  const page = await open(`${gateway().web}demo/tasks/`)
  await untilListed(page, ...first)
  await page.waitForSelector('#state[data-is=unpaired]') // its advice moves what is below
  await page.type('#title', 'Call Ben')
  await page.keyboard.press('Enter')
  await untilListed(
    page,
    'Book the dentist',
    'Send Ana the photos from Lisbon',
    'Call Ben',
    ...first.slice(2),
  )
  await page.click('#done-1')
  await untilListed(page, 'Send Ana the photos from Lisbon', 'Call Ben', ...first.slice(2))
  await page.click('[data-show=done]')
  await untilListed(page, 'Book the dentist', 'Water the plants')
  await page.click('#task-3 .remove')
  await untilListed(page, 'Book the dentist')
  await page.click('#undo')
  await untilListed(page, 'Book the dentist', 'Water the plants')
  await page.click('#task-3 .remove')
  await untilListed(page, 'Book the dentist')
  await page.reload()
  await untilListed(page, 'Send Ana the photos from Lisbon', 'Call Ben', ...first.slice(2))
  assert.equal(await page.$eval('#left', (one) => one.textContent), '5 open')
})

inBrowsers(
  'an assistant reads the tasks, the page shows which, and what another tab writes is announced',
  async ({ open }) => {
    const page = await open((await gateway().fresh()).pages.tasks ?? '')
    const name = await joined(page)
    await untilListed(page, ...first)
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { Authorization: `Bearer ${gateway().token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway().mcp), { requestInit }))
    try {
      const timeout = 20_000 // ms
      const uri = `${name}+idb:///tasks-app/tasks/n.4`
      const told = new Promise<void>((resolve) => {
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
          if (params.uri === uri) resolve()
        })
      })
      const { contents } = await client.readResource({ uri }, { timeout })
      assert.equal(JSON.parse((contents[0] as { text: string }).text).title, first[2])
      await page.waitForSelector('#task-4 .seen:not([hidden])')
      assert.equal((await page.$$('.seen:not([hidden])')).length, 1)

      const all = await client.readResource(
        { uri: `${name}+idb:///tasks-app/tasks/index/state/s.open` },
        { timeout },
      )
      assert.equal(all.contents.length, 6) // what there is, and five tasks, each under its own URI
      assert.ok(all.contents.some((item) => item.uri === uri))
      await page.waitForFunction(
        () => document.querySelectorAll('.seen:not([hidden])').length === 5,
        { polling },
      )

      await client.subscribeResource({ uri }, { timeout })
      const other = await open(`${gateway().web}demo/tasks/`)
      await untilListed(other, ...first)
      await other.click('#done-4')
      await told
      const again = await client.readResource({ uri }, { timeout })
      assert.equal(JSON.parse((again.contents[0] as { text: string }).text).state, 'done')
    } finally {
      await client.close()
    }
  },
)

inBrowsers('the page fits a phone and a desk', async ({ open }) => {
  const page = await open(`${gateway().web}demo/tasks/`)
  await untilListed(page, ...first)
  await page.waitForSelector('#state[data-is=unpaired]')
  for (const width of [360, 1400]) {
    await page.setViewport({ width, height: 800 })
    const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    assert.equal(fits, true, `at ${width}`)
  }
})

inBrowsers('the user can be asked first, and sees who has access', async ({ open }) => {
  const page = await open(`${gateway().web}demo/tasks/`)
  const says = (text: string) =>
    page.waitForFunction(
      (wanted) =>
        document
          .querySelector('pagemcp-access')
          ?.shadowRoot?.querySelector('[part=status]')
          ?.textContent?.startsWith(wanted),
      { polling },
      text,
    )
  await says('This page is open to the assistants of its gateway')
  await page.waitForSelector('#state[data-is=unpaired]') // its advice moves what is below
  await Promise.all([page.waitForNavigation(), page.click('#ask')])
  await says('Assistants ask before they use this page')
  assert.equal(new URL(page.url()).searchParams.get('access'), 'ask')
  await page.locator('pagemcp-access >>> button[part=pause]').click()
  await says('Paused until')
  await page.reload()
  await says('Paused until')
})
