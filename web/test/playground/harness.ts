/** The playground as `pagemcp build` makes it, served without a gateway, and what tests of it share. */

import { after, before } from 'node:test'
import type { Frame, Page } from 'puppeteer-core'
import { shareTab } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { kept, type Served, serve } from '../harness/serve.ts'
import { clickWhenStill } from '../harness/waits.ts'

export interface Playground extends Served {
  /** The playground's page. */
  readonly url: string
  /** Where its files are, as `pagemcp build --out` lays them out. */
  readonly directory: string
}

/**
 * Builds the playground and serves it as any web host would: the page brings its own
 * Content-Security-Policy.
 *
 * @param files - further files by path, such as other pages that are to be talked to
 * @param headers - see `serve`
 */
export async function servePlayground(
  files: { readonly [path: string]: string } = {},
  headers: { readonly [name: string]: string } = {},
): Promise<Playground> {
  const { directory, remove } = await built()
  const served = await serve({ directories: { '/': directory }, files, headers })
  return {
    ...served,
    directory,
    url: `${served.origin}/playground/index.html`,
    async close() {
      await served.close()
      await remove()
    },
  }
}

/**
 * Serves the playground to the tests of a file, which look at it in one tab by turns: see `shareTab`. The browser keeps
 * its files, so that each load but the first takes a third of the time.
 *
 * @param files - see {@link servePlayground}
 * @returns what is there once the first test begins
 */
export function sharePlayground(files: { readonly [path: string]: string } = {}): Playground {
  let served: Playground | undefined
  before(async () => {
    served = await servePlayground(files, kept)
  })
  after(() => served?.close())
  const playground = () => {
    if (served === undefined) throw new Error('the playground is served when the first test begins')
    return served
  }
  shareTab(() => playground().origin)
  return {
    get url() {
      return playground().url
    },
    get directory() {
      return playground().directory
    },
    get origin() {
      return playground().origin
    },
    get otherOrigin() {
      return playground().otherOrigin
    },
    kill: () => playground().kill(),
    close: () => playground().close(),
  }
}

/**
 * Opens the playground and waits until the server in the page has answered for the first time.
 *
 * @param open - of `inBrowsers`
 * @param query - such as `?quiet&lang=en`, what it has by default: English, and a world that stands still
 */
export async function openPlayground(
  open: (url: string) => Promise<Page>,
  { url }: Playground,
  query = '?quiet&lang=en',
): Promise<Page> {
  const page = await open(url + query)
  await page.waitForSelector('html[data-ready]')
  return page
}

/** Opens the playground in a browser that is never idle, until {@link rest}. */
export async function openBusy(
  open: (url: string) => Promise<Page>,
  playground: Playground,
): Promise<Page> {
  const page = await open('about:blank')
  await page.evaluateOnNewDocument(() => {
    const held: IdleRequestCallback[] = []
    Object.assign(globalThis, {
      requestIdleCallback: (run: IdleRequestCallback) => held.push(run),
      rest() {
        for (const run of held.splice(0)) run({ didTimeout: false, timeRemaining: () => 50 })
      },
    })
  })
  return openPlayground(async (url) => {
    await page.goto(url)
    return page
  }, playground)
}

/** Lets the browser of {@link openBusy} be idle. */
export const rest = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as { rest(): void }).rest())

/** What the rows of the timeline say that are drawn right now, the oldest first: their elements stand in any order. */
export async function rows(page: Page): Promise<string[]> {
  return page.$$eval('[data-pane=timeline] [role=row][aria-rowindex]', (all) =>
    all
      .sort((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
      .map((row) => row.textContent.replace(/\s+/g, ' ')),
  )
}

/** Waits until something that fits `selector` says `text`. */
export async function saw(page: Page | Frame, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (where, what) =>
      [...document.querySelectorAll(where)].some((one) => one.textContent?.includes(what)),
    {},
    selector,
    text,
  )
}

/** What the panes call the user to do now: primary buttons that look like it, and lines that say what to do next. */
export const callsToAct = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.background = 'var(--accent)'
    const accent = getComputedStyle(probe).backgroundColor
    probe.remove()
    return [...document.querySelectorAll<HTMLElement>('.panes :is(button.primary, .hint)')]
      .filter(
        (one) =>
          one.checkVisibility() &&
          (one.matches('.hint') || getComputedStyle(one).backgroundColor === accent),
      )
      .map((one) => (one.matches('.hint') ? 'hint' : (one.textContent?.trim() ?? '')))
  })

/** Presses *Next* of the chat as soon as it can be pressed, where the time that a user has to read is not the subject. */
export const readQuickly = (page: Page): Promise<void> =>
  page.evaluate(() => {
    setInterval(() => {
      const auto = document.querySelector('.chat > footer [aria-pressed]') // there is none at the end
      auto?.parentElement?.querySelector<HTMLElement>('.primary:not(:disabled)')?.click()
    }, 50)
  })

/** Waits for the first of `selector` that says `text`, or has it in `attribute`, and clicks it. */
export async function press(
  page: Page | Frame,
  selector: string,
  text: string,
  attribute?: string,
): Promise<void> {
  await clickWhenStill(page, selector, text, attribute)
}

/** Waits until the editor has taken the place of the text area. */
export const editorThere = (page: Page) =>
  page.waitForFunction(() =>
    document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content'),
  )

/** Writes a message into the composer, as a user who pastes it. */
export async function writeMessage(page: Page, message: unknown): Promise<void> {
  await editorThere(page)
  await page.evaluate((text) => {
    const root = document.querySelector('.editor')?.shadowRoot
    const content = root?.querySelector('.cm-content') as HTMLElement
    content.focus()
    document.execCommand('selectAll')
    document.execCommand('insertText', false, text)
  }, JSON.stringify(message))
}
