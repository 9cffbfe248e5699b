/** Rooms of the playground, one of each kind: panes, a menu, a dialog, and what covers the page, each reached from any other. */

import type { Page } from 'puppeteer-core'
import { untilStill } from '../harness/waits.ts'
import { writeMessage } from './harness.ts'

export interface Room {
  name: string
  /** What is looked at, a CSS selector. */
  part: string
  reach(page: Page): Promise<unknown>
}

const click = (page: Page, selector: string) =>
  page.waitForSelector(selector).then(() =>
    // By script: what covers it does not matter here.
    page.$eval(selector, (one) => (one as HTMLElement).click()),
  )

const panes = ['explore', 'compose', 'inspect', 'timeline'] as const

/** Shows a pane, where one is shown at a time. */
async function show(page: Page, pane: (typeof panes)[number]): Promise<void> {
  const button = `.switcher button:nth-child(${panes.indexOf(pane) + 1})`
  await page.$eval(button, (one) => {
    if (one.checkVisibility()) (one as HTMLElement).click()
  })
  await page.waitForSelector(`#pane-${pane}`, { visible: true })
}

/** Leaves presentations, lessons, dialogs and menus. */
export async function leave(page: Page): Promise<void> {
  if (await page.$('.present')) {
    await page.keyboard.press('Escape')
    await page.waitForSelector('.bar')
  }
  await page.evaluate(() => {
    document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
    for (const one of document.querySelectorAll<HTMLElement>('[popover]:popover-open'))
      one.hidePopover()
  })
  await page.waitForFunction(() => document.querySelector('dialog, :popover-open') === null)
}

/** Runs a command of the palette. */
export async function command(page: Page, id: string): Promise<void> {
  await leave(page)
  await click(page, '.bar [data-command=palette]')
  await page.waitForSelector('dialog [role=option]')
  await click(page, `dialog [data-command="${id}"]`)
}

/** Sends a message, as a user who pastes it into the composer. */
async function send(page: Page, method: string, params: object): Promise<void> {
  await leave(page)
  await show(page, 'compose')
  const text = '[data-pane=compose] [data-show=json]'
  if (await page.$(text)) await click(page, text)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  await writeMessage(page, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  await click(page, '[data-command=send]')
}

async function reachExplore(page: Page, tab: string): Promise<void> {
  await leave(page)
  await show(page, 'explore')
  if (await page.$('.lessons')) await click(page, '.bar [data-command=lessons]')
  await click(page, `#explore-${tab}`)
  await page.waitForSelector('#explore-view > *:not(.loading):not(h2)')
  await page.$$eval('#explore-view details', (all) => {
    for (const one of all) one.open = true
  })
  // What axe measures and what is asked about it afterwards must be of one layout.
  await untilStill(page, '#explore-view')
}

export const lookedAt: readonly Room[] = [
  {
    name: 'the first view: stage, an answer, the list',
    part: 'html',
    async reach(page) {
      await reachExplore(page, 'stage')
      await click(page, '.stage-client button')
      await page.waitForSelector('.stage-state .chip')
      await page.waitForSelector('[data-pane=inspect] [data-view]')
    },
  },
  {
    name: 'explore',
    part: '#pane-explore',
    reach: (page) => reachExplore(page, 'resources'),
  },
  {
    name: 'inspect',
    part: '#pane-inspect',
    async reach(page) {
      await show(page, 'inspect')
      await click(page, '[data-pane=inspect] [data-show=json]')
    },
  },
  {
    name: 'timeline',
    part: '#pane-timeline',
    async reach(page) {
      await show(page, 'timeline')
      await click(page, '[data-pane=timeline] [data-show=sequence]')
    },
  },
  {
    name: 'compose',
    part: '#pane-compose',
    async reach(page) {
      await show(page, 'compose')
      await click(page, '[data-pane=compose] [data-show=form]')
    },
  },
  {
    name: 'a menu',
    part: ':popover-open',
    async reach(page) {
      await leave(page)
      await click(page, '[popovertarget=looks]')
      await page.waitForSelector(':popover-open select')
    },
  },
  {
    name: 'a dialog',
    part: 'dialog',
    async reach(page) {
      await command(page, 'compose.revisions')
      await page.waitForSelector('dialog[open] section')
    },
  },
  {
    name: 'watch traffic',
    part: '#pane-compose',
    async reach(page) {
      await leave(page)
      await click(page, '.bar [data-command=gateway][aria-pressed=false]')
      await page.waitForSelector('.front > *')
    },
  },
  {
    name: 'an MCP app',
    part: '.app-panel',
    async reach(page) {
      await leave(page)
      if (await page.$('.front')) await click(page, '.bar [data-command=gateway]')
      await send(page, 'resources/read', { uri: 'ui://notes/note.html' })
      await show(page, 'inspect')
      await click(page, '[data-pane=inspect] [data-command=app]')
      await click(page, '.app-question .primary')
      await page.waitForSelector('.app-panel iframe')
    },
  },
  {
    name: 'lessons',
    part: '#pane-explore',
    async reach(page) {
      await leave(page)
      await click(page, '.app-panel header button')
      await show(page, 'explore')
      await click(page, '.bar [data-command=lessons][aria-pressed=false]')
      await page.waitForSelector('[data-lesson]')
    },
  },
  {
    name: 'a lesson',
    part: '#pane-compose',
    async reach(page) {
      await click(page, '[data-lesson=hello]')
      await page.waitForSelector('.coach')
    },
  },
  {
    name: 'the scripted assistant',
    part: '#pane-explore',
    async reach(page) {
      await show(page, 'explore')
      await click(page, '[data-lesson=assistant]')
      await page.waitForFunction(() => {
        // Autoplay is off with reduced motion.
        document.querySelector<HTMLElement>('.chat > footer .primary:not(:disabled)')?.click()
        return document.querySelector('.chat-call')
      })
    },
  },
  {
    name: 'the presentation of a lesson',
    part: 'html',
    async reach(page) {
      await leave(page)
      if (await page.$('.chat')) await click(page, '.chat > footer button:last-child')
      else if (!(await page.$('.lessons'))) await click(page, '.bar [data-command=lessons]')
      await click(page, '[data-present=subscribe]')
      await page.waitForSelector('.present')
      while (!(await page.$('.present-payload pre'))) {
        await page.waitForSelector('.present .primary:not([disabled])')
        await page.keyboard.press('ArrowRight')
        await page.waitForFunction(() => !document.querySelector('.present .primary[disabled]'))
      }
    },
  },
]
