/** The composer in browsers: writing with completion, sending, form, revision, and what stays after a reload. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { clickWhenStill } from '../../harness/waits.ts'
import { editorThere, openBusy, openPlayground, rest, saw, sharePlayground } from '../harness.ts'
import { chord } from '../keys.ts'

const playground = sharePlayground()

/** What stands in the editor. */
const text = (page: Page) =>
  page.evaluate(() => {
    const content = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')
    return [...(content?.querySelectorAll('.cm-line') ?? [])]
      .map(({ textContent }) => textContent)
      .join('\n')
  })

const focusEditor = (page: Page) =>
  page.evaluate(() => {
    const content = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')
    ;(content as HTMLElement).focus()
  })

/** Waits until the timeline shows a text. */
const timelineHas = (page: Page, wanted: string) =>
  page.waitForFunction(
    (wanted) => document.querySelector('#pane-timeline')?.textContent?.includes(wanted),
    {},
    wanted,
  )

/** Waits until the server has answered a request for a list, since the page was loaded. */
const listed = (page: Page, method: string) =>
  saw(page, '.tl-row.tl-is-result:not(.tl-earlier)', method)

/** Clicks a button of the composer by its text, or an icon by its label. */
const press = (page: Page, name: string) => clickWhenStill(page, '.compose button', name)
const pressIcon = (page: Page, name: string) =>
  clickWhenStill(page, '.compose button', name, 'aria-label')

/**
 * Picks a proposal, until it is written: while answers come, lists are drawn anew, and those that are
 * about to be take no click.
 */
const pick = (page: Page, label: string, written: string) =>
  page.waitForFunction(
    (label, written) => {
      const root = document.querySelector('.editor')?.shadowRoot
      if (root?.querySelector('.cm-content')?.textContent?.includes(written)) return true
      const found = [...(root?.querySelectorAll('.cm-tooltip-autocomplete li') ?? [])].find(
        (one) => one.querySelector('.cm-completionLabel')?.textContent === label,
      )
      found?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }))
      return false
    },
    {},
    label,
    written,
  )

inBrowsers('a frame is written with the help of the server, sent, and kept', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await editorThere(page)
  await page.waitForSelector('.compose-method select')
  await page.select('.compose-method select', 'resources/read')
  await page.waitForFunction(
    () =>
      document.querySelector('.compose-tabs [aria-current=true]')?.textContent === 'resources/read',
  )
  await listed(page, 'resources/list') // completion knows the list
  await focusEditor(page) // the caret is in the empty URI
  await page.keyboard.type('toda')
  await pick(page, 'notes://today', '"uri": "notes://today"')
  await chord(page, 'Control', 'Enter')
  await timelineHas(page, 'notes://today')
  const sent = await text(page)
  assert.doesNotMatch(sent, /"id": 1,/) // a fresh one

  await page.reload()
  await page.waitForSelector('html[data-ready]')
  await editorThere(page)
  assert.equal(await text(page), sent)
  await pressIcon(page, 'Recent requests')
  await page.waitForFunction(() =>
    document.querySelector('.compose-tools .menu')?.textContent?.includes('resources/read'),
  )
  await press(page, 'Replay')
  await timelineHas(page, 'notes://today')

  // what only the server knows: it is asked while somebody types
  await page.waitForSelector('.compose-method select')
  await page.select('.compose-method select', 'resources/read')
  await listed(page, 'resources/templates/list')
  await focusEditor(page)
  await page.keyboard.type('data://big/10')
  await pick(page, '1000', '"uri": "data://big/1000"')
  await timelineHas(page, 'completion/complete')

  // older texts come back, and before the newest is what was being written
  await page.select('.compose-method select', 'prompts/list')
  await focusEditor(page)
  await chord(page, 'Alt', 'ArrowUp')
  await page.waitForFunction(
    () =>
      document.querySelector('.compose-tabs [aria-current=true]')?.textContent === 'resources/read',
  )
  await chord(page, 'Alt', 'ArrowDown')
  await page.waitForFunction(
    () =>
      document.querySelector('.compose-tabs [aria-current=true]')?.textContent === 'prompts/list',
  )
})

inBrowsers('what was sent right before a reload is in the history', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await editorThere(page)
  await page.waitForSelector('.compose-method select')
  await page.select('.compose-method select', 'prompts/list')
  await page.waitForFunction(
    () =>
      document.querySelector('.compose-tabs [aria-current=true]')?.textContent === 'prompts/list',
  )
  await focusEditor(page)
  const again = page.waitForNavigation()
  await page.evaluate(() => {
    const content = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')
    const enter = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, composed: true }
    content?.dispatchEvent(new KeyboardEvent('keydown', enter))
    location.reload() // in the same task: the database is not even open
  })
  await again
  await page.waitForSelector('html[data-ready]')
  await pressIcon(page, 'Recent requests')
  await page.waitForFunction(() =>
    document.querySelector('.compose-tools .menu')?.textContent?.includes('prompts/list'),
  )
})

inBrowsers(
  'the history has what another window sent, and nothing of other programs',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await editorThere(page)
    await page.evaluate(() => {
      const storeElsewhere = (key: string, newValue: string) => {
        localStorage.setItem(key, newValue)
        dispatchEvent(new StorageEvent('storage', { key, newValue }))
      }
      const text = '{"jsonrpc":"2.0","id":1,"method":"sent/elsewhere"}'
      const sent = { id: 1, text, time: 1, to: 'demo', revision: '2026-07-28' }
      storeElsewhere('pagemcp.playground.history', JSON.stringify([sent]))
      storeElsewhere('editor.history', '{}')
    })
    await pressIcon(page, 'Recent requests')
    await page.waitForFunction(() =>
      document.querySelector('.compose-tools .menu')?.textContent?.includes('sent/elsewhere'),
    )
  },
)

inBrowsers('the editor takes over the focus together with the text', async ({ open }) => {
  const page = await openBusy(open, playground)
  await page.focus('.draft')
  // Nothing is drawn from now on.
  await page.evaluate(() => Object.assign(globalThis, { requestAnimationFrame: () => 0 }))
  await rest(page)
  await page.waitForFunction(
    () =>
      document.querySelector('.editor')?.shadowRoot?.activeElement?.matches('.cm-content') ===
        true && document.querySelector('.draft')?.hasAttribute('hidden'),
    { polling: 50 },
  )
})

inBrowsers('broken frames are sent as broken as they are', async ({ open }) => {
  // Send works before the server is there: what is sent waits for it
  const page = await open(`${playground.url}?quiet&lang=en`)
  await page.waitForSelector('.compose-send .primary:not(:disabled)')
  await page.click('.compose-send .primary')
  await timelineHas(page, 'resources/list')
  await page.waitForSelector('html[data-ready]')
  await editorThere(page)
  await focusEditor(page)
  await chord(page, 'Control', 'a')
  await page.keyboard.type('{"jsonrpc":')
  await chord(page, 'Control', 'Enter')
  await timelineHas(page, '-32700')
})
