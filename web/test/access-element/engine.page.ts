// The panel over the engine and the package as users get them: three assistants, whom the user has answered in the dialog.

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import type { PageMcp } from '../../src/start.ts'
import { app } from '../access/app.ts'
import { choose, isShown, opened } from '../access/person.ts'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'

declare const mcp: PageMcp
declare const answers: Map<string, Answer>
declare function send(id: string, who: string, method: string, params?: object): void

interface Answer {
  contents?: { text: string }[]
  error?: { message: string; data?: { reason?: string } }
  at: number
}

const read = (tab: Page, id: string, who: string, uri = 'notes://1') =>
  tab.evaluate((id, who, uri) => send(id, who, 'resources/read', { uri }), id, who, uri)
async function answered(tab: Page, id: string): Promise<Answer> {
  await tab.waitForFunction((id) => answers.has(id), { polling: 20 }, id)
  return tab.evaluate((id) => answers.get(id) as Answer, id)
}
const button = (name: string) => `pagemcp-access >>> ::-p-aria([name="${name}"][role="button"])`

/** Waits until the row of an assistant says something. */
const says = (tab: Page, who: string, text: string) =>
  tab.waitForFunction(
    (who, text) => {
      const rows = document
        .querySelector('pagemcp-access')
        ?.shadowRoot?.querySelectorAll('tbody tr')
      const row = [...(rows ?? [])].find((one) => one.querySelector('.name')?.textContent === who)
      return (row as HTMLElement)?.innerText.replace(/\s+/g, ' ').includes(text)
    },
    { polling: 20 },
    who,
    text,
  )

inBrowsers(
  'the panel shows what users have answered, and ends it while a read waits',
  async (browser) => {
    const site = await servePages({ '/app.html': app })
    try {
      const tab = await opened(browser.open(`${site.origin}/app.html?access=ask`))
      for (const [who, answer] of [
        ['claude-code', 'Allow this time'],
        ['cursor', 'Allow always'],
        ['token', 'Don’t allow'],
      ] as const) {
        await read(tab, who, who)
        await isShown(tab)
        await choose(tab, answer)
        assert.equal(
          (await answered(tab, who)).error?.data?.reason,
          who === 'token' ? 'declined' : undefined,
        )
      }
      await tab.evaluate(async () => {
        const path = '/pagemcp/access.js'
        const { defineAccess } = await import(path)
        defineAccess(mcp)
        document.body.append(document.createElement('pagemcp-access'))
      })
      await says(tab, 'claude-code', 'Read this time: until')
      await says(tab, 'claude-code', 'Act asks first')
      await says(tab, 'claude-code', 'Reads: 1 ·')
      await says(tab, 'cursor', `Read until `)
      await says(tab, 'Unnamed assistant', 'Read not allowed')

      await read(tab, 'more', 'cursor')
      await says(tab, 'cursor', 'Reads: 2 ·')

      await read(tab, 'slow', 'claude-code', 'notes://slow')
      const stop = await tab.waitForSelector(button('Stop: claude-code'))
      await stop?.click()
      const { error } = await answered(tab, 'slow')
      assert.equal(error?.data?.reason, 'revoked')
      await says(tab, 'claude-code', 'Read not allowed Act not allowed')

      await (await tab.waitForSelector(button('Pause for an hour')))?.click()
      await tab.waitForSelector(button('Resume'))
      await read(tab, 'paused', 'cursor')
      assert.equal((await answered(tab, 'paused')).error?.data?.reason, 'paused')

      await tab.waitForSelector('pagemcp-access >>> button[part=resume]:not([aria-disabled])')
      await (await tab.waitForSelector(button('Resume')))?.click()
      await tab.waitForSelector(button('Pause for an hour'))
      await read(tab, 'resumed', 'cursor')
      assert.ok((await answered(tab, 'resumed')).contents)
    } finally {
      await site.close()
    }
  },
)
