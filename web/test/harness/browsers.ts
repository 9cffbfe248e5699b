import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { explainTimeouts } from './waits.ts'

export type BrowserName = 'chromium' | 'firefox'

export const browserNames: readonly BrowserName[] = ['chromium', 'firefox']

/** How long anything that a test asks of a browser may take. */
const protocolTimeout = 30_000 // ms

/** How long one browser test may take, unless it says otherwise. */
const testTimeout = 120_000 // ms

/** How long a browser may take to close. */
const closeTimeout = 10_000 // ms

const installed: {
  readonly [name in BrowserName]: { path: string; env: string; install: string }
} = {
  chromium: {
    path: '/usr/bin/chromium',
    env: 'PAGEMCP_CHROMIUM',
    install: 'apt-get install -y chromium',
  },
  firefox: {
    path: '/usr/bin/firefox-esr',
    env: 'PAGEMCP_FIREFOX',
    install: 'apt-get install -y firefox-esr',
  },
}

const chromiumFlags = [
  '--no-sandbox', // as root there is none
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Nothing that a stock Firefox would fetch or time less precisely; no page depends on these. */
const firefoxPreferences = {
  'app.update.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
}

/**
 * Where Firefox's first start is kept: half of the time that it takes goes into a profile, so each
 * further one gets a copy, of a profile that no page has been in.
 */
const firstStarts = join(import.meta.dirname, '../../node_modules/.cache/pagemcp')

export interface LaunchOptions {
  /** Further flags for Chromium. */
  flags?: readonly string[]
  /** Further preferences for Firefox. */
  preferences?: { readonly [name: string]: boolean | number | string }
  /** The directory of an unpacked extension for Chromium. */
  extension?: string
  /** A directory for the profile, which stays; default: one that goes away with the browser. */
  profile?: string
}

/**
 * Starts a stock browser, headless, in a fresh profile that {@link close} takes away: Chromium by CDP,
 * Firefox by WebDriver BiDi.
 *
 * @throws an Error with the line that installs the browser, if it is missing
 */
export async function launch(name: BrowserName, options: LaunchOptions = {}): Promise<Browser> {
  const { path, env, install } = installed[name]
  const executablePath = process.env[env] ?? path
  if (!existsSync(executablePath)) {
    throw new Error(`${name} is missing at ${executablePath}: ${install} (or set ${env})`)
  }
  if (name === 'chromium' || options.profile !== undefined) {
    return start(name, executablePath, options)
  }
  const profile = mkdtempSync(join(tmpdir(), 'pagemcp-firefox-'))
  cpSync(await firstStart(executablePath), profile, { recursive: true })
  const browser = await start(name, executablePath, { ...options, profile })
  copies.set(browser, profile)
  return browser
}

/** Profiles that go away with their browsers. */
const copies = new WeakMap<Browser, string>()

/** The profile of a Firefox that was started once, and ended. Processes that make it at a time make the same. */
async function firstStart(executablePath: string): Promise<string> {
  const { mtimeMs, size } = statSync(executablePath)
  const made = join(firstStarts, `firefox-${mtimeMs}-${size}`)
  if (existsSync(made)) return made
  mkdirSync(firstStarts, { recursive: true })
  const profile = mkdtempSync(join(firstStarts, 'making-'))
  await close(await start('firefox', executablePath, { profile }))
  try {
    renameSync(profile, made)
  } catch (error) {
    if (!existsSync(made)) throw error
    rmSync(profile, { recursive: true })
  }
  return made
}

function start(
  name: BrowserName,
  executablePath: string,
  options: LaunchOptions,
): Promise<Browser> {
  return puppeteer.launch({
    browser: name === 'chromium' ? 'chrome' : 'firefox',
    executablePath,
    headless: true,
    defaultViewport: { width: 1280, height: 800 },
    args: name === 'chromium' ? [...chromiumFlags, ...(options.flags ?? [])] : [],
    extraPrefsFirefox: { ...firefoxPreferences, ...options.preferences },
    ...(options.extension && { enableExtensions: [options.extension], pipe: true }),
    userDataDir: options.profile,
    timeout: protocolTimeout,
    protocolTimeout,
  })
}

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

const running = new Map<BrowserName, Promise<Browser>>()
let closing = false

interface InBrowsersOptions {
  timeout?: number
  only?: readonly BrowserName[]
}

/**
 * Makes one test per browser. The tests of a file share a browser, each in a context of its own;
 * both end with the file.
 *
 * @param timeout - ms for one test; default 120,000
 * @param only - the browsers that can do it; default: all
 */
export function inBrowsers(
  behaviour: string,
  run: (browser: TestBrowser) => Promise<void>,
  { timeout = testTimeout, only = browserNames }: InBrowsersOptions = {},
): void {
  if (!closing) after(closeAll) // registered here, at the level of the file, and not within a test
  closing = true
  for (const name of only) {
    test(`${behaviour} (${name})`, { timeout }, async () =>
      inContext(await shared(name), name, run),
    )
  }
}

/** Runs a test in a context of its own, and fails if a page throws an error that no handler catches. */
export async function inContext(
  browser: Browser,
  name: BrowserName,
  run: (browser: TestBrowser) => Promise<void>,
): Promise<void> {
  const context = await browser.createBrowserContext()
  const uncaught: string[] = []
  const open = async (url: string) => {
    const page = await context.newPage()
    page.setDefaultTimeout(protocolTimeout)
    explainTimeouts(page)
    page.on('pageerror', (error) => {
      if (!notThePage.test(String(error))) uncaught.push(String(error))
    })
    await page.goto(url)
    return page
  }
  try {
    await run({ name, context, open })
  } finally {
    await context.close()
  }
  assert.deepEqual(uncaught, [], 'uncaught errors in the page')
}

function shared(name: BrowserName): Promise<Browser> {
  const known = running.get(name)
  if (known !== undefined) return known
  const starting = launch(name)
  running.set(name, starting)
  return starting
}

async function closeAll(): Promise<void> {
  const browsers = await Promise.allSettled(running.values())
  await Promise.all(browsers.map((one) => one.status === 'fulfilled' && close(one.value)))
}

/** Closes a browser, or kills its process if it does not answer. */
export async function close(browser: Browser): Promise<void> {
  const timer = setTimeout(() => browser.process()?.kill('SIGKILL'), closeTimeout)
  await browser.close().finally(() => clearTimeout(timer))
  const profile = copies.get(browser)
  if (profile) await rm(profile, { recursive: true, force: true, maxRetries: 10 })
}
