/** Drives the notes demo like a person, in a page that has joined. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import type * as stories from '../clients/stories.ts'
import type { TestBrowser } from '../harness/browsers.ts'
import type { Gateway } from './gateway.ts'

/** Opens the demo by a fresh link, and writes one note. */
export async function openNotes(
  gateway: Gateway,
  { open }: TestBrowser,
): Promise<{ page: Page; subject: stories.Subject }> {
  const { pages } = await gateway.fresh()
  assert.ok(pages.notes)
  const page = await open(pages.notes)
  const name = await joined(page)
  assert.equal(new URL(page.url()).hash, '', 'the secret is still in the address')
  await page.click('#new')
  await page.type('#title', 'Shopping')
  await page.type('#text', 'milk')
  await page.waitForFunction(() => document.getElementById('saved')?.textContent === 'Saved')
  const own = await page.$eval('#uri-text', (element) => element.textContent)
  const subject = {
    uri: `${name}+${own}`,
    missing: `${name}+idb:///notes-app/notes/n.4711`,
    text: 'milk',
    write: (text: string) => retype(page, text),
  }
  return { page, subject }
}

/** Waits until the page has joined, and returns its name at the gateway. */
export async function joined(page: Page): Promise<string> {
  await page.waitForSelector('#state[data-is="joined"]')
  const name = await page.$eval('#state', (element) => (element as HTMLElement).dataset.name)
  assert.match(name ?? '', /^[a-z][a-z0-9-]*$/)
  return name ?? ''
}

/** Gives the open note another text. */
async function retype(page: Page, text: string): Promise<void> {
  await page.$eval(
    '#text',
    (element, value) => {
      ;(element as HTMLTextAreaElement).value = value
      element.dispatchEvent(new InputEvent('input', { bubbles: true }))
    },
    text,
  )
}
