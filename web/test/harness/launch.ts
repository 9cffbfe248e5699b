/** Starts and ends stock browsers. */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'

export type BrowserName = 'chromium' | 'firefox'

export const browserNames: readonly BrowserName[] = ['chromium', 'firefox']

/** The browser of the test file that runs: `*.firefox.ts` runs in Firefox, `*.smoke.ts` and `*.page.ts` in Chromium. */
export const browserUnderTest: BrowserName = process.argv[1]?.endsWith('.firefox.ts')
  ? 'firefox'
  : 'chromium'

/** How long a test waits for something in a browser, unless it says otherwise. */
export const waitTimeout = 30_000 // ms

/** Timeout of one protocol call. A wait is one call; its own timeout expires first, and names what it waited for. */
export const protocolTimeout = 180_000 // ms

/** Of a tab, unless its test sets another one. */
export const viewport = { width: 1280, height: 800 }

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
  // A playground that waits draws its lanes all the time: two thirds of what it costs a processor. Tests of
  // motion ask for it themselves.
  '--force-prefers-reduced-motion',
]

/** Nothing that a stock Firefox would fetch or time less precisely; no page depends on these. */
const firefoxPreferences: { readonly [name: string]: boolean | number | string } = {
  'app.update.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
  'ui.prefersReducedMotion': 1,
}

/**
 * Where Firefox's first start is kept: half of the time that it takes goes into a profile, so each
 * further one gets a copy, of a profile that no page has been in.
 */
const firstStarts = join(import.meta.dirname, '../../node_modules/.cache/pagemcp')

export interface LaunchOptions {
  /** Further flags. */
  flags?: readonly string[]
  /** Further preferences for Firefox. */
  preferences?: { readonly [name: string]: boolean | number | string }
  /** Whether Firefox accepts certificates of anyone; Chromium has flags for it. */
  acceptInsecureCerts?: boolean
  /** The directory of an unpacked extension for Chromium. */
  extension?: string
  /** A directory for the profile, which stays; default: one that goes away with the browser. */
  profile?: string
  /** Whether Chromium slows hidden tabs down, as it does for users; Puppeteer switches that off. */
  slowHidden?: boolean
}

const notSlowHidden = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

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
  if (options.profile !== undefined) return start(name, executablePath, options)
  const profile = mkdtempSync(join(tmpdir(), `pagemcp-${name}-`))
  if (name === 'firefox') cpSync(await firstStart(executablePath), profile, { recursive: true })
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
    defaultViewport: viewport,
    args: [...(name === 'chromium' ? chromiumFlags : []), ...(options.flags ?? [])],
    ...(options.slowHidden && name === 'chromium' && { ignoreDefaultArgs: notSlowHidden }),
    extraPrefsFirefox: { ...firefoxPreferences, ...options.preferences },
    acceptInsecureCerts: options.acceptInsecureCerts ?? false,
    ...(options.extension && { enableExtensions: [options.extension], pipe: true }),
    userDataDir: options.profile,
    timeout: waitTimeout,
    protocolTimeout,
  })
}

/** Closes a browser, or kills its process if it does not answer. */
export async function close(browser: Browser): Promise<void> {
  const timer = setTimeout(() => browser.process()?.kill('SIGKILL'), closeTimeout)
  await browser.close().finally(() => clearTimeout(timer))
  await removeCopy(browser)
}

/** Ends a browser that {@link launch} started and that has no connection any more. */
export async function quit(browser: Browser, child: ChildProcess | null): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), closeTimeout)
    await gone
    clearTimeout(timer)
  }
  await removeCopy(browser)
}

async function removeCopy(browser: Browser): Promise<void> {
  const profile = copies.get(browser)
  if (profile) await rm(profile, { recursive: true, force: true, maxRetries: 10 })
}
