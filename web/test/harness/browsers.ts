/** Tests that run in a browser. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { addressVariable, type Borrowed, borrow } from './keeper.ts'
import {
  type BrowserName,
  browserNames,
  browserUnderTest,
  close,
  launch,
  waitTimeout,
} from './launch.ts'
import { type SharedTab, sharedTab } from './shared-tab.ts'
import { explainTimeouts } from './waits.ts'

/** How long one browser test may take, unless it says otherwise. */
const testTimeout = 120_000 // ms

/** A browser for one test: what it stores is seen by no other test. */
export interface TestBrowser {
  name: BrowserName
  context: BrowserContext
  /** A new tab; the test fails if the page throws where nobody catches. */
  open(url: string): Promise<Page>
}

/**
 * Errors of the browser itself that it reports as uncaught ones of the page: Firefox a socket that did not open and a
 * Worker whose script is missing, Chromium a promise of its own when `indexedDB.databases()` throws.
 */
const notThePage =
  /Firefox can’t establish a connection|Loading Worker from|was interrupted while the page was loading|^undefined$/

const running = new Map<BrowserName, Promise<Borrowed>>()
let closing = false
let allPassed = true

interface InBrowsersOptions {
  timeout?: number
  only?: readonly BrowserName[]
  fresh?: boolean
  moving?: boolean
}

/** The origin of the site that the tests of this file look at in one tab. */
let site: (() => string) | undefined
const tabs = new Map<BrowserName, SharedTab>()

/**
 * Makes the tests of this file use one tab by turns, reset for each; see shared-tab.ts. Tests of a first visit, of a
 * browser's settings, or of frames of other origins that store something have `fresh: true`.
 *
 * @param origin - of the site that they look at; called when the first test begins
 */
export function shareTab(origin: () => string): void {
  site = origin
}

/**
 * Makes a test in the browser that the name of the file says. The tests of a file share a browser, each in a context of its own. The browser is one of
 * the runner's, which the next file uses then, or ends with the file; see keeper.ts.
 *
 * @param timeout - ms for one test; default 120,000
 * @param only - the browsers that can do it, or one if it shows nothing that differs between browsers; default: all
 * @param fresh - whether it needs a context of its own in a file that shares a tab
 * @param moving - whether Chromium shows it animations, which are off otherwise; see launch.ts
 */
export function inBrowsers(
  behaviour: string,
  run: (browser: TestBrowser) => Promise<void>,
  {
    timeout = testTimeout,
    moving = false,
    only = browserNames,
    fresh = false,
  }: InBrowsersOptions = {},
): void {
  const name = browserUnderTest
  if (!only.includes(name)) return
  if (!closing) after(closeAll) // registered here, at the level of the file, and not within a test
  closing = true
  test(`${behaviour} (${name})`, { timeout }, async () => {
    const { browser } = await shared(name)
    const running =
      site && !fresh
        ? inSharedTab(browser, name, site(), run, moving)
        : inContext(browser, name, run, moving)
    return running.catch((error: unknown) => {
      allPassed = false
      throw error
    })
  })
}

/** Of the tests that run. */
const contexts = new Set<BrowserContext>()

/**
 * Closes the tabs of the tests that run, as users do before they end a server: a tab may still load parts of its page,
 * and one that is missing is an error of the page.
 */
export async function closeTabs(): Promise<void> {
  const pages = await Promise.all([...contexts].map((context) => context.pages()))
  // One that ends by itself at this moment is closed, too.
  await Promise.all(pages.flat().map((page) => page.close().catch(() => {})))
}

/** Runs a test in a context of its own, and fails if a page throws an error that no handler catches. */
export async function inContext(
  browser: Browser,
  name: BrowserName,
  run: (browser: TestBrowser) => Promise<void>,
  moving = false,
): Promise<void> {
  const context = await browser.createBrowserContext()
  contexts.add(context)
  const uncaught: string[] = []
  const open = async (url: string) => {
    const page = await context.newPage()
    prepare(page, uncaught)
    if (moving) await move(page, name)
    await page.goto(url)
    return page
  }
  try {
    await run({ name, context, open })
  } finally {
    contexts.delete(context)
    await context.close()
  }
  assert.deepEqual(uncaught, [], 'uncaught errors in the page')
}

/** Of the test that runs in the shared tab. */
const uncaughtInTab: string[] = []

/** Runs a test in the tab that the tests of the file share. The next test gets another one if it fails. */
async function inSharedTab(
  browser: Browser,
  name: BrowserName,
  origin: string,
  run: (browser: TestBrowser) => Promise<void>,
  moving: boolean,
): Promise<void> {
  const shared =
    tabs.get(name) ?? (await sharedTab(browser, (page) => prepare(page, uncaughtInTab)))
  const { context } = shared
  tabs.set(name, shared)
  contexts.add(context)
  let isGood = false
  try {
    let tab: Page | undefined = await shared.reset(origin)
    uncaughtInTab.length = 0
    const open = async (url: string) => {
      const page = tab ?? (await context.newPage())
      if (tab === undefined) prepare(page, uncaughtInTab)
      tab = undefined // a test that opens another page has two
      if (moving) await move(page, name)
      await page.goto(url)
      return page
    }
    await run({ name, context, open })
    assert.deepEqual(uncaughtInTab, [], 'uncaught errors in the page')
    isGood = true
  } finally {
    contexts.delete(context)
    if (!isGood) {
      tabs.delete(name)
      await context.close()
    }
  }
}

/** Allows animations, in Chromium. */
async function move(page: Page, browser: BrowserName): Promise<void> {
  if (browser === 'firefox') return // BiDi cannot yet
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'no-preference' }])
}

/** Makes a page fail its test by errors that it does not catch, and explain timeouts. */
function prepare(page: Page, uncaught: string[]): void {
  page.setDefaultTimeout(waitTimeout)
  explainTimeouts(page)
  page.on('pageerror', (error) => {
    if (!notThePage.test(String(error))) uncaught.push(String(error))
  })
}

function shared(name: BrowserName): Promise<Borrowed> {
  const known = running.get(name)
  if (known !== undefined) return known
  const starting = oneBrowser(name)
  running.set(name, starting)
  return starting
}

/** One of the runner's browsers, or a new one if there is no runner that keeps any. */
export async function oneBrowser(name: BrowserName): Promise<Borrowed> {
  const address = process.env[addressVariable]
  if (address !== undefined) return borrow(name, address)
  const browser = await launch(name)
  return { browser, giveBack: () => close(browser) }
}

async function closeAll(): Promise<void> {
  await Promise.all([...tabs.values()].map(({ context }) => context.close()))
  const browsers = await Promise.allSettled(running.values())
  await Promise.all(
    browsers.map((one) => one.status === 'fulfilled' && one.value.giveBack(allPassed)),
  )
}
