/**
 * A tab that the tests of a file use one after the other. A page that is loaded again in its tab needs half of the time
 * of one in a new context: its process runs, and its scripts are in the cache. Between two tests, {@link reset} makes
 * the tab one that has never been at the site.
 */

import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { viewport } from './launch.ts'

/** A page without scripts that each server of `serve` has: storage is cleared there while no other script runs. */
export const blankPath = '/blank.html'

/** What a tab keeps for good. A test that calls one of these ends the tab with it. */
const lasting = [
  'createCDPSession',
  'emulateMediaType',
  'evaluateOnNewDocument',
  'exposeFunction',
  'setBypassCSP',
  'setOfflineMode',
  'setRequestInterception',
  'setUserAgent',
] as const

export interface SharedTab {
  readonly context: BrowserContext
  /**
   * The page, as if no test had used it: at `about:blank`, or at a page without scripts. Clears what `origin` has stored;
   * a test that stores more, such as in frames of other origins, needs a context of its own.
   */
  reset(origin: string): Promise<Page>
}

/** @param prepare - called with each page that is made, before a test has it */
export async function sharedTab(
  browser: Browser,
  prepare: (page: Page) => void,
): Promise<SharedTab> {
  const context = await browser.createBrowserContext()
  let tab: Tab | undefined
  return {
    context,
    async reset(origin) {
      const pages = await context.pages()
      const isFirst = tab === undefined && pages.length === 0
      for (const page of pages) {
        if (page !== tab?.page || tab.isChanged) await page.close()
      }
      if (tab?.isChanged || tab?.page.isClosed()) tab = undefined
      tab ??= await makeTab(context, prepare)
      const { page, undo } = tab
      for (const one of undo.values()) await one()
      undo.clear()
      if (isFirst) return page
      await page.goto(origin + blankPath)
      await page.evaluate(clearStorage)
      const cookies = await context.cookies()
      if (cookies.length > 0) await context.deleteCookie(...cookies)
      return page
    },
  }
}

interface Tab {
  page: Page
  /** Whether a test called one of {@link lasting}. */
  isChanged: boolean
  /** Takes back what a test changed, by kind. */
  undo: Map<string, () => unknown>
}

async function makeTab(context: BrowserContext, prepare: (page: Page) => void): Promise<Tab> {
  const page = await context.newPage()
  prepare(page)
  const tab: Tab = { page, isChanged: false, undo: new Map() }
  const before = (name: keyof Page, act: (...args: unknown[]) => void) => {
    const method = (page[name] as (...args: unknown[]) => unknown).bind(page)
    const noted = (...args: unknown[]) => {
      act(...args)
      return method(...args)
    }
    Object.assign(page, { [name]: noted })
  }
  for (const name of lasting) {
    before(name, () => {
      tab.isChanged = true
    })
  }
  const setViewport = page.setViewport.bind(page)
  before('setViewport', () => tab.undo.set('viewport', () => setViewport(viewport)))
  const emulate = page.emulateMediaFeatures.bind(page)
  before('emulateMediaFeatures', () => tab.undo.set('media', () => emulate([])))
  const off = page.off.bind(page) as (...args: unknown[]) => unknown
  for (const name of ['on', 'once'] as const) {
    before(name, (...args) => tab.undo.set(`listener ${tab.undo.size}`, () => off(...args)))
  }
  return tab
}

/** Removes all that the origin of this page has stored. Runs in the page. */
async function clearStorage(): Promise<void> {
  localStorage.clear()
  sessionStorage.clear()
  const databases = (await indexedDB.databases()).map(
    ({ name = '' }) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name)
        request.onsuccess = () => resolve()
        request.onerror = () => reject(request.error)
      }),
  )
  const workers = await navigator.serviceWorker.getRegistrations()
  const root = await navigator.storage.getDirectory()
  const files: Promise<void>[] = []
  for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) {
    files.push(root.removeEntry(name, { recursive: true }))
  }
  await Promise.all([
    ...databases,
    ...workers.map((one) => one.unregister()),
    ...(await caches.keys()).map((name) => caches.delete(name)),
    ...files,
  ])
}
