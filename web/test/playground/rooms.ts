/** All rooms of the playground: panes, menus, dialogs, and what covers the page, each reached from any other. */

import type { Page } from 'puppeteer-core'
import { pack } from '../../playground/share/link.ts'
import { pasteInto, untilStill } from '../harness/waits.ts'

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
  await page.waitForFunction(() =>
    document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content'),
  )
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  await page.evaluate(
    (text) => {
      const root = document.querySelector('.editor')?.shadowRoot
      const content = root?.querySelector('.cm-content') as HTMLElement
      content.focus()
      document.execCommand('selectAll')
      document.execCommand('insertText', false, text)
    },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  )
  await click(page, '[data-command=send]')
}

const explore = (tab: string): Room => ({
  name: `explore: ${tab}`,
  part: '#pane-explore',
  async reach(page) {
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
  },
})

/** A popover: its button, and what it has when it is open. */
const menu = (
  name: string,
  button: string,
  content: string,
  pane?: (typeof panes)[number],
): Room => ({
  name: `menu: ${name}`,
  part: ':popover-open',
  async reach(page) {
    await leave(page)
    if (pane) await show(page, pane)
    await click(page, button)
    await page.waitForSelector(`:popover-open ${content}`)
  },
})

const dialog = (id: string, content: string): Room => ({
  name: `dialog: ${id}`,
  part: 'dialog',
  async reach(page) {
    await command(page, id)
    await page.waitForSelector(`dialog[open] ${content}`)
  },
})

const present = (name: string, part: string, reach: (page: Page) => Promise<unknown>): Room => ({
  name: `present: ${name}`,
  part,
  async reach(page) {
    await leave(page)
    await reach(page)
  },
})

export const rooms: readonly Room[] = [
  {
    name: 'the first view: stage, an answer, the list',
    part: 'html',
    async reach(page) {
      await explore('stage').reach(page)
      await click(page, '.stage-client button')
      await page.waitForSelector('.stage-state .chip')
      await page.waitForSelector('[data-pane=inspect] [data-view]')
    },
  },
  ...['resources', 'templates', 'prompts', 'tools', 'subscriptions', 'demo'].map(explore),
  ...['json', 'raw', 'diff', 'preview'].map((view) => ({
    name: `inspect: ${view}`,
    part: '#pane-inspect',
    async reach(page: Page) {
      await show(page, 'inspect')
      await click(page, `[data-pane=inspect] [data-show=${view}]`)
    },
  })),
  ...['sequence', 'list'].map((view) => ({
    name: `timeline: ${view}`,
    part: '#pane-timeline',
    async reach(page: Page) {
      await show(page, 'timeline')
      await click(page, `[data-pane=timeline] [data-show=${view}]`)
    },
  })),
  {
    name: 'compose: form',
    part: '#pane-compose',
    async reach(page) {
      await show(page, 'compose')
      await click(page, '[data-pane=compose] [data-show=form]')
    },
  },
  {
    name: 'compose: the form of an elicitation',
    part: 'html',
    async reach(page) {
      await send(page, 'tools/call', { name: 'remove_note', arguments: { id: 'trip' } })
      await page.waitForSelector('.answer')
      await show(page, 'compose')
    },
  },
  menu('settings', '[popovertarget=looks]', 'select'),
  menu('examples of the filter', '[popovertarget=tl-help]', 'dt', 'timeline'),
  menu('more of the timeline', '.tl-bar > .icon-button:last-of-type', 'li', 'timeline'),
  menu('history', '.compose-tools .icon-button', 'li', 'compose'),
  menu('capabilities', '.compose-tools .ghost[popovertarget]', 'input', 'compose'),
  menu('other ways to send', '.compose-send [popovertarget]', 'li', 'compose'),
  menu('copy as', '#in-copy-as', 'button', 'inspect'),
  {
    name: 'menu: filter of Explore',
    part: ':popover-open',
    async reach(page) {
      await explore('resources').reach(page)
      await click(page, '.explore-tools [popovertarget]')
      await page.waitForSelector(':popover-open label')
    },
  },
  dialog('compose.revisions', 'section'),
  {
    name: 'dialog: the command palette',
    part: 'dialog',
    async reach(page) {
      await leave(page)
      await click(page, '.bar [data-command=palette]')
      await page.waitForSelector('dialog[open] [role=option]')
    },
  },
  dialog('shell.keys', 'kbd'),
  dialog('share.open', 'section'),
  {
    name: 'dialog: share the conversation',
    part: 'dialog',
    async reach(page) {
      await command(page, 'share.open')
      await click(page, '#share-conversation')
      await page.waitForSelector('dialog[open] [data-command=export]')
    },
  },
  ...['http', 'gateway', 'frame'].map(
    (kind): Room => ({
      name: `dialog: connect by ${kind}`,
      part: 'dialog',
      async reach(page) {
        await command(page, 'connections.connect')
        await page.waitForSelector('dialog[open] input[name=connections-kind]')
        await click(page, `input[name=connections-kind][value=${kind}]`)
      },
    }),
  ),
  {
    name: 'dialog: diagnosis of a server',
    part: 'dialog',
    async reach(page) {
      await command(page, 'connections.connect')
      await page.waitForSelector('dialog[open] input[name=connections-kind]')
      await click(page, 'input[name=connections-kind][value=http]')
      await page.waitForSelector('dialog input[name=url]')
      await pasteInto(page, 'dialog input[name=url]', `${new URL(page.url()).origin}/none`)
      await click(page, 'dialog form .connections-buttons button[type=button]')
      await page.waitForSelector('.connections-doctor[data-done]')
    },
  },
  dialog('yourPage.open', 'option'),
  {
    name: 'dialog: access and audit',
    part: 'dialog',
    async reach(page) {
      await command(page, 'audit.open')
      await page.waitForSelector('dialog[open] .audit-box form, dialog[open] .audit-table')
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
  present('a lesson', 'html', async (page) => {
    if (await page.$('.chat')) await click(page, '.chat > footer button:last-child')
    else if (!(await page.$('.lessons'))) await click(page, '.bar [data-command=lessons]')
    await click(page, '[data-present=subscribe]')
    await page.waitForSelector('.present')
    while (!(await page.$('.present-payload pre'))) {
      await page.waitForSelector('.present .primary:not([disabled])')
      await page.keyboard.press('ArrowRight')
      await page.waitForFunction(() => !document.querySelector('.present .primary[disabled]'))
    }
  }),
  present('a shared conversation', 'html', async (page) => {
    const lines = [
      {
        mcplog: 1,
        created: '2026-07-28T10:00:00Z',
        peers: [{ c: 1, letter: 'A', title: 'Notes' }],
      },
      { t: 0, c: 1, d: 'out', k: 'port', raw: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
      {
        t: 9,
        c: 1,
        d: 'in',
        k: 'port',
        raw: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
      },
    ]
    const link = `#t1.${await pack(lines.map((one) => JSON.stringify(one)).join('\n'))}`
    await page.evaluate((hash) => {
      location.hash = hash
    }, link)
    await page.waitForSelector('.present .sq-message')
  }),
  present('the choice', 'html', async (page) => {
    await page.keyboard.press('p')
    await page.waitForSelector('.present-choice li:nth-child(5)')
  }),
  present('live', 'html', async (page) => {
    await page.keyboard.press('p')
    await click(page, '.present-choice [data-present=""]')
    await page.waitForSelector('.present .sq-message')
  }),
]

/** One room of each kind, by what its name begins with. */
export const lookedAt: readonly Room[] = rooms.filter(
  ({ name }, index) => rooms.findIndex((room) => kindOf(room.name) === kindOf(name)) === index,
)

function kindOf(name: string): string {
  return name.split(':', 1)[0] as string
}
