/** A browser with the extension, as a person would use it: by its popup. */

import assert from 'node:assert/strict'
import type { Browser, Page } from 'puppeteer-core'
import { takesClicks } from '../access/person.ts'
import { close } from '../harness/launch.ts'
import { pasteInto } from '../harness/waits.ts'

export const timeout = 20_000 // ms, for each wait

/** A tab that is not in front draws nothing: what is waited for there is looked for at each change. */
export const inBackground = { polling: 'mutation' } as const

/** Where the extension, and a profile that outlives a browser, lie for a test. */
export interface Installed {
  extension: string
  profile: string
  remove(): Promise<void>
}

/** What differs between browsers. */
export interface Kit {
  /** The origin of the extension. */
  origin: string
  /**
   * A copy of the built extension.
   *
   * @param sites - sites that the person will allow
   * @param built - the unpacked extension, or its archive for Firefox; default: that of `pagemcp build`
   */
  install(sites: readonly string[], built?: string): Promise<Installed>
  /** Starts the browser. */
  arrive(installed: Installed): Promise<Person>
}

/** A question of the extension. */
export interface Question {
  text(): Promise<string>
  /** Clicks the button of that text, and waits until the window is closed. */
  answer(button: string): Promise<void>
  /** Closes the window. */
  close(): Promise<void>
  closed(): Promise<void>
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
  /**
   * Clicks on a tab's checkbox, and waits until it is ticked, or no longer. If the browser asks for a site, the
   * person allows it.
   */
  tick(id: number, on?: boolean): Promise<void>
  /** Clicks on the checkbox of a tab of a site that the browser then asks for, and does not allow it. */
  refuse(id: number, site: string): Promise<void>
  /** Waits until the popup shows a tab as ticked, or not. */
  shows(id: number, ticked: boolean): Promise<void>
  /** Origins that the popup says there is consent for. */
  sites(): Promise<string[]>
  /** Takes consent for a site back. */
  takeBack(site: string): Promise<void>
  /** Pastes something as a gateway's link. */
  paste(link: string): Promise<void>
  /** The window in which the extension asks about a tool, once it is open. */
  question(): Promise<Question>
  /** Says something as the popup does, without clicking. */
  tell(to: string, what: string, args: object): Promise<unknown>
  leave(): Promise<void>
}

/** What a person does for whom the browser asks for a site. */
export interface Prompts {
  /** Called after the click on a checkbox; `asks`: the popup has said that the browser will ask. */
  allow(asks: boolean): Promise<void>
  refuse(id: number, site: string): Promise<void>
}

/**
 * A person at the popup of a browser that runs.
 *
 * @param origin - of the extension
 * @param show - loads the popup into a tab
 */
export async function personAt(
  browser: Browser,
  origin: string,
  show: (tab: Page) => Promise<unknown>,
  prompts: (popup: Page) => Prompts,
): Promise<Person> {
  const open = async (url: string) => {
    const page = await browser.newPage()
    page.setDefaultTimeout(timeout)
    await page.goto(url)
    return page
  }
  const errors: string[] = []
  const popup = await browser.newPage()
  popup.setDefaultTimeout(timeout)
  popup.on('pageerror', (error) => errors.push(String(error)))
  await show(popup).catch(async (error: unknown) => {
    await close(browser)
    throw error
  })
  const { allow, refuse } = prompts(popup)
  const shows = async (id: number, ticked: boolean) => {
    // The popup may be behind a tab, and a tick changes no attribute.
    await popup.waitForFunction(
      (id, on) => (document.getElementById(id) as HTMLInputElement | null)?.checked === on,
      { polling: 100 },
      `tab-${id}`,
      ticked,
    )
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
    await pasteInto(popup, '#link', link)
    await popup.click('#connect')
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
      const asks = await popup.$eval(
        `#tab-${id}`,
        (box) => box.closest('label')?.querySelector<HTMLElement>('.asks')?.hidden === false,
      )
      await popup.click(`#tab-${id}`)
      if (on) await allow(asks)
      await shows(id, on)
    },
    refuse,
    shows,
    sites: () =>
      popup.$$eval('#sites > li > .row > .title', (all) => all.map((one) => one.textContent ?? '')),
    async takeBack(site) {
      await popup.bringToFront()
      await popup.$eval('#sites-box', (one) => one.setAttribute('open', ''))
      await popup.click(`#sites [aria-label="Revoke: ${site}"]`)
    },
    question: () => questionIn(browser, popup, `${origin}/ask.html`),
    tell: (to, what, args) =>
      popup.evaluate((message) => chrome.runtime.sendMessage(message), { to, what, args }),
    async leave() {
      await close(browser)
      assert.deepEqual(errors, [], 'uncaught errors in the popup')
    },
  }
}

/** The closed shadow root of the question, which an extension may look into: Chromium by a function, Firefox by a member. */
const root = `(chrome.dom?.openOrClosedShadowRoot(document.querySelector('pagemcp-question')) ??
  document.querySelector('pagemcp-question').openOrClosedShadowRoot)`

async function questionIn(browser: Browser, popup: Page, url: string): Promise<Question> {
  const window = await pageAt(browser, url)
  window.setDefaultTimeout(timeout)
  const closed = async () => {
    await popup.waitForFunction(
      async (url) => (await chrome.tabs.query({})).every((tab) => tab.url !== url),
      { polling: 100 },
      url,
    )
  }
  await window.waitForFunction(
    () => document.querySelector('pagemcp-question') !== null,
    inBackground,
  )
  return {
    closed,
    text: () => window.evaluate(`${root}.textContent`) as Promise<string>,
    async answer(text) {
      await window.bringToFront()
      const [x, y] = (await window.evaluate(`{
        const buttons = [...${root}.querySelectorAll('button')]
        const { left, top, width, height } = buttons.find((one) => one.textContent === ${JSON.stringify(text)}).getBoundingClientRect();
        [left + width / 2, top + height / 2]
      }`)) as [number, number]
      await takesClicks(window)
      window.mouse.click(x, y).catch(() => {}) // Firefox never answers: the window has closed
      await closed()
    },
    async close() {
      await popup.evaluate(async (url) => {
        const asks = (await chrome.tabs.query({})).find((tab) => tab.url === url)
        if (asks) await chrome.windows.remove(asks.windowId)
      }, url)
      await closed()
    },
  }
}

/** Puppeteer does not know the address of an extension's page in Firefox. */
async function pageAt(browser: Browser, url: string): Promise<Page> {
  const deadline = AbortSignal.timeout(timeout)
  for (;;) {
    for (const page of await browser.pages()) {
      const address = await page.evaluate(() => location.href).catch(() => '') // it is closing
      if (address === url) return page
    }
    deadline.throwIfAborted()
  }
}
