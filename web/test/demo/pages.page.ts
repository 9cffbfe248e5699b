/**
 * The start page and every demo, in German and Japanese: the language of the document and of its texts, no error in the
 * console, nothing wider than a narrow phone, and nothing that axe finds in either theme.
 */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { axe, ofColours, violations } from '../harness/axe.ts'
import { inBrowsers, shareTab } from '../harness/browsers.ts'
import { serveDemos } from '../harness/build.ts'
import { kept, type Served } from '../harness/serve.ts'
import { untilStill } from '../harness/waits.ts'

const root = join(import.meta.dirname, '../../demo')
const demos = readdirSync(root, { withFileTypes: true })
  .filter((one) => one.isDirectory() && readdirSync(join(root, one.name)).includes('index.html'))
  .map(({ name }) => name)

const config = {
  mcp: 'http://127.0.0.1:18808/mcp',
  gateway: 'ws://127.0.0.1:18808/page',
  tokenFile: '/home/me/.local/state/pagemcp/token',
  demos,
}

let served: Served
before(async () => {
  served = await serveDemos({
    gateway: '127.0.0.1:18808',
    files: { '/pagemcp/config.json': JSON.stringify(config) },
    headers: kept,
  })
})
after(() => served?.close())
shareTab(() => served.origin)

const paths = ['', ...demos.map((name) => `demo/${name}/`)]

/** What a language alone has, in the texts of every page. */
const marks = {
  en: /\b(?:the|and|of|gateway)\b/,
  de: /\b(?:und|die|das|nicht)\b/,
  ja: /[ぁ-ん]/,
  'zh-Hans': /[这请还没助]/,
}

async function untilShown(page: Page) {
  await page.waitForSelector('#state[data-is=unpaired]')
  await untilStill(page, 'main')
}

/** Fails if axe finds something on the page, with all that it can show, in either theme. */
async function isAccessible(page: Page, path: string) {
  if (path === 'demo/drop/') {
    await page.waitForSelector('#empty:not([hidden]), #list li')
    if (await page.$('#empty:not([hidden])')) await page.click('#samples')
    await page.waitForSelector('#list li:nth-child(3)')
  }
  if (path === 'demo/world/') await page.click('summary')
  await page.evaluate(axe)
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ])
    const rules = scheme === 'dark' ? ofColours : undefined
    assert.deepEqual(await violations(page, 'html', rules), [], scheme)
  }
}

for (const path of paths) {
  inBrowsers(
    `/${path} speaks its languages, on a narrow phone, where axe finds nothing`,
    async ({ open }) => {
      const page = await open('about:blank')
      const errors: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      await page.setViewport({ width: 320, height: 700 })
      for (const language of ['de', 'ja'] as const) {
        await page.goto(`${served.origin}/${path}?lang=${language}`)
        await untilShown(page)
        const { lang, text, wide } = await page.evaluate(() => ({
          lang: document.documentElement.lang,
          text: document.body.innerText,
          wide: [...document.querySelectorAll('body *')]
            .filter(
              (one) =>
                document.documentElement.scrollWidth > innerWidth &&
                one.getBoundingClientRect().right > innerWidth,
            )
            .map((one) => one.outerHTML.slice(0, 80)),
        }))
        assert.equal(lang, language)
        assert.match(text, marks[language])
        if (language !== 'ja') assert.doesNotMatch(text, /[ぁ-ん](?!本語)/)
        assert.deepEqual(wide, [], `${language}: wider than 320 px`)
        assert.deepEqual(errors, [])
        if (language === 'de') await isAccessible(page, path)
      }
    },
  )

  inBrowsers(
    `/${path} with forced colours: buttons have borders, and chosen ones differ; with reduced motion nothing moves`,
    async ({ open }) => {
      const page = await open(`${served.origin}/${path}?lang=en`)
      await untilShown(page)
      const session = await page.createCDPSession()
      const emulate = (name: string, value: string) =>
        session.send('Emulation.setEmulatedMedia', { features: [{ name, value }] })
      await emulate('forced-colors', 'active')
      const bad = await page.evaluate(() => {
        const shown = [...document.querySelectorAll<HTMLElement>('button, a.primary')].filter(
          (one) => one.checkVisibility(),
        )
        const look = (one: Element) => getComputedStyle(one)
        const chosen = shown.filter((one) => one.ariaPressed === 'true')
        const others = shown.filter((one) => one.ariaPressed === 'false')
        return [
          ...shown.filter((one) => look(one).borderTopStyle === 'none'),
          ...chosen.filter((one) =>
            others.some((other) => look(other).backgroundColor === look(one).backgroundColor),
          ),
        ].map((one) => one.outerHTML.slice(0, 120))
      })
      assert.deepEqual(bad, [])
      await emulate('prefers-reduced-motion', 'reduce')
      assert.deepEqual(
        await page.evaluate(() => document.getAnimations().map((one) => String(one))),
        [],
      )
      await emulate('prefers-reduced-motion', 'no-preference')
      // What moves for more than five seconds needs a way to pause it (WCAG 2.2.2); dots show that a page waits.
      const long = await page.evaluate(() =>
        document
          .getAnimations()
          .filter(({ effect }) => Number(effect?.getComputedTiming().endTime) > 5000)
          .map((one) => (one as CSSAnimation).animationName)
          .filter((name) => name !== 'breathe'),
      )
      assert.deepEqual(long, [])
    },
    { only: ['chromium'] },
  )
}

inBrowsers(
  'an engine that does not start is explained by a link to the documentation',
  async ({ open }) => {
    const page = await open('about:blank')
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      if (request.url().endsWith('/engine.wasm')) void request.respond({ status: 404 })
      else void request.continue()
    })
    await page.goto(`${served.origin}/demo/notes/`)
    await page.waitForSelector('#advice-text a')
    const link = await page.$eval('#advice-text a', (one) => (one as HTMLAnchorElement).href)
    assert.equal(new URL(link).pathname, '/docs/troubleshooting.html')
    assert.match(await page.$eval('#advice-text', (one) => one.textContent ?? ''), /engine\.wasm/)
  },
  { only: ['chromium'] },
)
