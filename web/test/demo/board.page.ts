/** The board: each open tab is a note, and any of them serves all. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { polling, readText, untilShown } from './reading.ts'

const gateway = useGateway()

const board = () => `${gateway().web}demo/board/`

/** Waits until the wall has these notes, in any order. */
const untilOnWall = (page: Page, ...wanted: string[]) => untilShown(page, '#wall .words', wanted)

/** Waits until this tab shows the note that it begins with. */
const untilWritten = (page: Page) =>
  page.waitForFunction(() => document.querySelector('#wall .words')?.textContent, { polling })

/** Writes this tab's note, over what is there. */
async function write(page: Page, text: string) {
  await page.$eval(
    '#note',
    (note, text) => {
      ;(note as HTMLTextAreaElement).value = text
      note.dispatchEvent(new InputEvent('input', { bubbles: true }))
    },
    text,
  )
}

inBrowsers('each tab shows the notes of all, as they are written', async ({ open }) => {
  const first = await open(board())
  await untilWritten(first)
  assert.match(await first.$eval('#note', (one) => (one as HTMLTextAreaElement).value), /charcoal/)
  await write(first, 'one\nand more')
  assert.equal(await first.title(), 'one')

  const second = await open(board())
  await untilOnWall(second, 'one\nand more', '')
  assert.equal(await second.$eval('#count', (one) => one.textContent), '2 tabs')
  await write(second, 'two')
  await untilOnWall(first, 'one\nand more', 'two')
  await write(second, 'two\nwith the same title')
  await untilOnWall(first, 'one\nand more', 'two\nwith the same title')

  await second.reload()
  await second.waitForSelector('#state[data-is=unpaired]') // its advice moves what is below
  await untilOnWall(second, 'one\nand more', 'two\nwith the same title')
  const opened = new Promise<Page | null>((resolve) => second.once('popup', resolve))
  await second.click('#more')
  const third = await opened
  assert.ok(third)
  await untilOnWall(third, 'one\nand more', 'two\nwith the same title', '') // a copy begins empty
  await untilOnWall(first, 'one\nand more', 'two\nwith the same title', '')
  await second.close()
  await untilOnWall(first, 'one\nand more', '')
})

inBrowsers('an assistant that reaches one tab reads the notes of all', async ({ open }) => {
  const { pages } = await gateway().fresh()
  const page = await open(pages.board ?? '')
  const name = await joined(page)
  await write(page, 'here')
  const other = await open(board())
  await write(other, 'there')
  await untilOnWall(page, 'here', 'there')
  const { tabs } = JSON.parse(await readText(gateway(), `${name}+tab:///`)) as {
    tabs: { id: string; title: string; this: boolean }[]
  }
  assert.deepEqual(tabs.map((tab) => [tab.title, tab.this]).sort(), [
    ['here', true],
    ['there', false],
  ])
  for (const { id, title } of tabs) {
    assert.equal(await readText(gateway(), `${name}+tab:///${id}/text`), title)
    await page.waitForFunction(
      (id) =>
        /^read \d/.test(
          document.querySelector(`#wall [data-id="${id}"] .event`)?.textContent ?? '',
        ),
      { polling },
      id,
    )
  }
  const log = await page.$$eval('#log .what', (all) =>
    all.map((one) => [one.textContent, (one as HTMLElement).title]),
  )
  const [first] = tabs
  assert.deepEqual(
    log.find(([, uri]) => uri === `tab:///${first?.id}/text`),
    [first?.title, `tab:///${first?.id}/text`],
  )
  assert.equal(
    await page.$eval('#known', (one) => one.textContent),
    `Assistants know it as tab:///${tabs.find((tab) => tab.this)?.id}`,
  )
})
