/**
 * Waits that explain themselves: when one of a page times out, its error names what was waited for, and shows the
 * page's address, its console, and what it displays. Clicks wait until their element stands still. Long texts are pasted.
 */

import type { BrowserContext, ElementHandle, Frame, Page } from 'puppeteer-core'

/** How much of a page's console and text an error shows. */
const lines = 30
const characters = 1500

/** How long the page may take to describe itself after a timeout, ms. */
const describing = 3_000

/**
 * How often `waitForFunction` looks where there are several pages, ms. Otherwise it looks at each animation frame, and a
 * page that another one hides has none.
 */
const polling = 50

const pages = new WeakMap<BrowserContext, number>()

/** Makes `waitForFunction`, `waitForSelector` and `waitForNetworkIdle` of a page explain their timeouts. */
export function explainTimeouts(page: Page): void {
  const log: string[] = []
  const note = (line: string) => {
    log.push(line.slice(0, 500))
    if (log.length > lines) log.shift()
  }
  page.on('console', (message) => note(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => note(`uncaught: ${String(error)}`))
  page.on('error', (error) => note(`crashed: ${String(error)}`))

  const explained =
    <A extends unknown[], R>(what: (...args: A) => string, wait: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const began = new Error('waited')
      try {
        return await wait(...args)
      } catch (error) {
        if ((error as Error).name !== 'TimeoutError') throw error
        const text = `timeout while waiting for ${what(...args)}\n${await described(page, log)}`
        const cause = Object.assign(new Error(text), { name: 'TimeoutError' })
        cause.stack = `${text}\n${(began.stack ?? '').split('\n').slice(2).join('\n')}`
        throw cause
      }
    }
  const text = (value: unknown) => (typeof value === 'string' ? value : String(value))
  const context = page.browserContext()
  const count = () => pages.get(context) ?? 0
  pages.set(context, count() + 1)
  const waitForFunction = page.waitForFunction.bind(page) as (
    ...args: unknown[]
  ) => Promise<unknown>
  page.waitForFunction = explained(
    (fits: unknown, _: unknown, ...args: unknown[]) =>
      `${text(fits)}${args.length > 0 ? ` with ${JSON.stringify(args)}` : ''}`,
    (fits: unknown, options: unknown, ...args: unknown[]) =>
      waitForFunction(fits, { ...(count() > 1 && { polling }), ...(options as object) }, ...args),
  ) as never
  page.waitForSelector = explained(
    (selector: unknown) => `the selector ${text(selector)}`,
    page.waitForSelector.bind(page) as never,
  ) as never
}

async function described(page: Page, log: readonly string[]): Promise<string> {
  const state = page
    .evaluate(
      (most) =>
        [
          `at ${location.href}, ${document.visibilityState}, ${document.readyState}`,
          `state: ${document.getElementById('state')?.dataset.is ?? '-'} ${JSON.stringify(
            (window as { mcp?: { state?: unknown } }).mcp?.state ?? null,
          )}`,
          `text: ${(document.body?.textContent ?? '').replace(/\s+/g, ' ').slice(0, most)}`,
        ].join('\n'),
      characters,
    )
    .catch((error) => `the page does not answer: ${String(error)}`)
  const late = new Promise<string>((resolve) => {
    setTimeout(resolve, describing, 'the page does not answer').unref()
  })
  const console = log.length === 0 ? 'nothing' : log.join('\n  ')
  return `${await Promise.race([state, late])}\nconsole: ${console}`
}

/**
 * Clicks the first element that fits, once it stands still and nothing covers it. A click goes to a place: while a
 * page loads further parts, what was there a moment ago may have moved.
 *
 * @param text - what it says, or has in `attribute`
 */
export async function clickWhenStill(
  page: Page | Frame,
  selector: string,
  text: string,
  attribute?: string,
): Promise<void> {
  const replaced = /detached from document/ // by a part that was loaded between the last look and the click
  for (let tries = 0; ; tries++) {
    try {
      return await clickOnce(page, selector, text, attribute)
    } catch (error) {
      if (tries === 2 || !replaced.test(String(error))) throw error
    }
  }
}

async function clickOnce(
  page: Page | Frame,
  selector: string,
  text: string,
  attribute?: string,
): Promise<void> {
  const found = await page.waitForFunction(
    async (selector, text, attribute) => {
      const place = () => {
        const element = [...document.querySelectorAll(selector)].find((one) =>
          (attribute ? one.getAttribute(attribute) : one.textContent)?.includes(text),
        )
        element?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
        return { element, box: element?.getBoundingClientRect() }
      }
      const before = place()
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
      const { element, box } = place()
      if (element === undefined || element !== before.element || box === undefined) return undefined
      for (const side of ['x', 'y', 'width', 'height'] as const) {
        if (box[side] !== before.box?.[side]) return undefined
      }
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
      return top !== null && (element.contains(top) || top.contains(element)) ? element : undefined
    },
    {},
    selector,
    text,
    attribute,
  )
  await (found.asElement() as ElementHandle<Element>).click()
}

/** Puts a text into a field as if it were pasted: typed, a link takes a second, and each letter an update of the page. */
export async function pasteInto(page: Page, selector: string, text: string): Promise<void> {
  await page.focus(selector)
  await page.evaluate((text) => void document.execCommand('insertText', false, text), text)
}

/** Waits until nothing below the element moves any more: the boxes of all that it holds are the same for four frames. */
export async function untilStill(page: Page, selector: string): Promise<void> {
  await page.waitForFunction(
    async (selector) => {
      const boxes = () =>
        [...document.querySelectorAll(`${selector} *`)]
          .map((one) => Object.values(one.getBoundingClientRect().toJSON()).join())
          .join(';')
      const before = boxes()
      for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame)
      return boxes() === before
    },
    {},
    selector,
  )
}

/**
 * Waits after a step back until the document is there: one of the back/forward cache hears of its return, `pageshow`,
 * after the step has ended.
 *
 * @param heard - whether it has
 */
export async function isBack(page: Page, heard: () => boolean): Promise<void> {
  const type = "performance.getEntriesByType('navigation')[0]?.type"
  await page.waitForFunction(`${type} === 'back_forward' || (${heard})()`, { polling: 100 })
}

/**
 * Waits until a demo has the last file that it loads; call it before its server goes away: a file that is missing then
 * is an error of the page. It polls, since hidden tabs have no animation frames.
 */
export async function hasLoaded(demo: Page): Promise<void> {
  await demo.waitForFunction(
    async () => {
      const loaded = performance.getEntriesByType('resource')
      const last = loaded.find(({ name }) => name.endsWith('/skills.js'))
      return last !== undefined && (await import(last.name)) !== undefined
    },
    { polling: 100 },
  )
}

/** Begins a navigation as a script of the page does, after this has resolved: it may end the document at once. */
export async function leave(page: Page, url: string): Promise<void> {
  await page.evaluate((to) => void setTimeout(() => location.assign(to)), url)
}
