/** A Chromium with the unpacked extension, as a person would use it: by its popup. */

import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page, Target } from 'puppeteer-core'
import { close, launch } from '../harness/browsers.ts'

const built = join(import.meta.dirname, '../../../dist/extension')

/** Its id follows from the key in its manifest. */
export const origin = 'chrome-extension://jdaedidgmfanbcmndmollldhknabkook'

const timeout = 20_000 // ms, for each wait

/** A tab that is not in front draws nothing: what is waited for there is looked for at each change. */
export const inBackground = { polling: 'mutation' } as const

/** Where the extension, and a profile that outlives a browser, lie for a test. */
export interface Installed {
  extension: string
  profile: string
  remove(): Promise<void>
}

/**
 * A copy of the built extension. Nobody can answer the browser's question about a site in a test: the
 * sites that it would be asked for are granted by the manifest.
 */
export async function install(sites: readonly string[]): Promise<Installed> {
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-extension-'))
  const extension = join(directory, 'extension')
  await cp(built, extension, { recursive: true }).catch((error: unknown) => {
    throw new Error(`${built} is missing: run bin/pagemcp build`, { cause: error })
  })
  const file = join(extension, 'manifest.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(
    file,
    JSON.stringify({ ...manifest, host_permissions: sites.map((site) => `${site}/*`) }),
  )
  return {
    extension,
    profile: join(directory, 'profile'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A person at a browser with the extension. */
export interface Person {
  browser: Browser
  /** A tab with a web page. */
  open(url: string): Promise<Page>
  /** The popup, in a tab of its own: it stays open. */
  popup: Page
  /** Pastes a gateway's link, and waits until it is joined; returns the name there. */
  join(link: string): Promise<{ name: string; gateway: string }>
  /** The name at the gateway, once joined. */
  joined(): Promise<string>
  /** Waits until the popup shows a tab of that title; returns its id. */
  idOf(title: string): Promise<number>
  /** Clicks on a tab's checkbox, and waits until it is ticked, or no longer. */
  tick(id: number, on?: boolean): Promise<void>
  /** Waits until the popup shows a tab as ticked, or not. */
  shows(id: number, ticked: boolean): Promise<void>
  /** Origins that the popup says there is consent for. */
  sites(): Promise<string[]>
  /** Takes consent for a site back. */
  takeBack(site: string): Promise<void>
  /** Pastes something as a gateway's link. */
  paste(link: string): Promise<void>
  /** Says something as the popup does, without clicking. */
  tell(to: string, what: string, args: object): Promise<unknown>
  /** Ends the service worker, as the browser does after half a minute. */
  stopServiceWorker(): Promise<void>
  /** The value of an expression in the service worker. */
  inServiceWorker(expression: string): Promise<unknown>
  leave(): Promise<void>
}

/** Starts the browser. */
export async function arrive({ extension, profile }: Installed): Promise<Person> {
  const browser = await launch('chromium', { extension, profile })
  const isOurs = (target: Target) => target.url().startsWith(origin)
  const open = async (url: string) => {
    const page = await browser.newPage()
    page.setDefaultTimeout(timeout)
    await page.goto(url)
    return page
  }
  const popup = await open(`${origin}/popup.html`)
  const errors: string[] = []
  popup.on('pageerror', (error) => errors.push(String(error)))
  const shows = async (id: number, ticked: boolean) => {
    await popup.waitForSelector(`#tab-${id}${ticked ? ':checked' : ':not(:checked)'}`)
  }
  const joined = async () => {
    const found = await popup.waitForFunction(() => {
      const text = document.getElementById('gateway-text')?.textContent ?? ''
      const shown = document.getElementById('gateway')?.hidden === false
      return shown && /^Connected as (\S+)$/.exec(text)?.[1]
    }, inBackground)
    return String(await found.jsonValue())
  }
  const paste = async (link: string) => {
    await popup.bringToFront()
    await popup.evaluate(() => {
      const another = document.getElementById('another')
      if (!another?.hidden) another?.click()
    })
    await popup.waitForSelector('#link', { visible: true })
    await popup.type('#link', link)
    await popup.click('#connect')
  }
  const serviceWorker = async () => {
    const isWorker = (target: Target) => isOurs(target) && target.type() === 'service_worker'
    const worker = await (await browser.waitForTarget(isWorker, { timeout })).worker()
    assert.ok(worker)
    return worker
  }
  return {
    browser,
    open,
    popup,
    joined,
    paste,
    async join(link) {
      await paste(link)
      // It asks, for gateways of tests listen on another port than the usual one.
      const asks = '#confirm-gateway:not([hidden])'
      await popup.waitForSelector(asks)
      const gateway = await popup.$eval('#other-gateway', (one) => one.textContent ?? '')
      await popup.click('#refuse-gateway')
      await popup.waitForSelector(asks, { hidden: true })
      assert.equal(await popup.$eval('#link', (one) => (one as HTMLInputElement).value), '')
      await paste(link)
      await popup.waitForSelector(asks)
      await popup.click('#accept-gateway')
      return { name: await joined(), gateway }
    },
    async idOf(title) {
      const found = await popup.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('#tabs label')]
            .find((one) => one.querySelector('.title')?.textContent === wanted)
            ?.querySelector('input')?.id,
        inBackground,
        title,
      )
      return Number(String(await found.jsonValue()).replace('tab-', ''))
    },
    async tick(id, on = true) {
      await popup.bringToFront()
      await popup.waitForSelector(`#tab-${id}`)
      await popup.click(`#tab-${id}`)
      await shows(id, on)
    },
    shows,
    sites: () => popup.$$eval('#sites .title', (all) => all.map((one) => one.textContent ?? '')),
    async takeBack(site) {
      await popup.bringToFront()
      await popup.$eval('#sites-box', (one) => one.setAttribute('open', ''))
      await popup.click(`#sites [aria-label="Revoke: ${site}"]`)
    },
    tell: (to, what, args) =>
      popup.evaluate((message) => chrome.runtime.sendMessage(message), { to, what, args }),
    async stopServiceWorker() {
      const worker = await serviceWorker()
      const gone = new Promise<void>((resolve, reject) => {
        const late = () => reject(new Error('the service worker lives on'))
        AbortSignal.timeout(timeout).addEventListener('abort', late, { once: true })
        browser.on('targetdestroyed', (target) => {
          if (isOurs(target) && target.type() === 'service_worker') resolve()
        })
      })
      await worker.close()
      await gone
    },
    inServiceWorker: async (expression) => (await serviceWorker()).evaluate(expression),
    async leave() {
      await close(browser)
      assert.deepEqual(errors, [], 'uncaught errors in the popup')
    },
  }
}
