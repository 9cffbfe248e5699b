/**
 * The whole path: what real Chromium and Firefox keep in IndexedDB reaches independent assistants through the gateway,
 * and they hear of every change that is made in the page.
 */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import * as stories from '../clients/stories.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { goOverHttp } from './gosdk.ts'

let gateway: Gateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway?.close())

/** Opens the demo, and writes one note as a person would. */
async function openNotes({ open }: TestBrowser): Promise<{ page: Page; subject: stories.Subject }> {
  const { pages } = await gateway.fresh()
  assert.ok(pages.notes)
  const page = await open(pages.notes)
  await page.waitForSelector('#state[data-is="joined"]')
  const name = await page.$eval('#state-text', (element) => element.textContent)
  assert.match(name ?? '', /^Joined as notes/)
  assert.equal(new URL(page.url()).hash, '', 'the secret is still in the address')
  await page.click('#new')
  await page.type('#title', 'Shopping')
  await page.type('#text', 'milk')
  await page.waitForFunction(() => document.getElementById('saved')?.textContent === 'Saved')
  const own = await page.$eval('#uri-text', (element) => element.textContent)
  const prefix = (name ?? '').replace('Joined as ', '')
  const subject = {
    uri: `${prefix}+${own}`,
    missing: `${prefix}+idb:///notes-app/notes/n.4711`,
    text: 'milk',
    async write(text: string) {
      await page.$eval(
        '#text',
        (element, value) => {
          ;(element as HTMLTextAreaElement).value = value
          element.dispatchEvent(new InputEvent('input', { bubbles: true }))
        },
        text,
      )
    },
  }
  return { page, subject }
}

inBrowsers('the TypeScript SDK v1 reads IndexedDB and hears of changes', async (browser) => {
  const { subject } = await openNotes(browser)
  await stories.classicOverHttp(gateway, subject)
})

inBrowsers('the TypeScript SDK v2 reads IndexedDB and hears of changes', async (browser) => {
  const { subject } = await openNotes(browser)
  await stories.modernOverHttp(gateway, subject)
})

inBrowsers('go-sdk reads IndexedDB and hears of changes', async (browser) => {
  const { subject } = await openNotes(browser)
  await goOverHttp({ mcp: gateway.mcp, token: gateway.token }, subject)
})

inBrowsers('both TypeScript clients do so through pagemcp stdio', async (browser) => {
  const { subject } = await openNotes(browser)
  await stories.classicOverStdio(gateway.stdio, subject)
  await stories.modernOverStdio(gateway.stdio, subject)
})
