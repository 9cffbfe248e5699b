/**
 * What users ask of their systems: colours of their own (forced colours), no motion, and text so large or a window so
 * small that 320 px remain. Chromium emulates them; Firefox has no protocol for the first two.
 */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers, type TestBrowser } from '../../harness/browsers.ts'
import { openPlayground, press, sharePlayground } from '../harness.ts'
import { lookedAt } from '../rooms.ts'

const playground = sharePlayground()

interface Features {
  readonly [name: string]: string
}

const listed = (features: Features) =>
  Object.entries(features).map(([name, value]) => ({ name, value }))

/** Opens the playground with preferences, which hold from before it loads. */
async function openWith({ open }: TestBrowser, features: Features, query?: string): Promise<Page> {
  return openPlayground(
    async (url) => {
      const page = await open('about:blank')
      const session = await page.createCDPSession()
      await session.send('Emulation.setEmulatedMedia', {
        features: listed(features),
      })
      await page.setViewport({ width: 1400, height: 1000 })
      await page.goto(url)
      return page
    },
    playground,
    query,
  )
}

/**
 * What cannot be told apart with forced colours within `part`: chosen parts that look like their neighbours, and
 * drawings or icons in the colour of what is behind them.
 */
const invisible = (page: Page, part: string) =>
  page.$$eval(part, (roots) => {
    const found: string[] = []
    const name = (one: Element) => one.outerHTML.slice(0, 120)
    const isShown = (one: Element) => one.checkVisibility({ visibilityProperty: true })
    const behind = (one: Element): string => {
      for (let at: Element | null = one; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at)
        if (!/, 0\)$|^transparent$/.test(backgroundColor)) return backgroundColor
      }
      return getComputedStyle(document.documentElement).backgroundColor
    }
    const marks = (one: Element) => {
      const { backgroundColor, outlineStyle } = getComputedStyle(one)
      return `${backgroundColor} ${outlineStyle}`
    }
    const states = ['aria-pressed', 'aria-selected', 'aria-current', 'aria-checked']
    for (const root of roots) {
      for (const state of states) {
        const chosen = [...root.querySelectorAll(`[${state}]:not([${state}=false])`)]
        for (const one of chosen.filter((one) => isShown(one) && !one.matches('svg *, input'))) {
          const others = [...root.querySelectorAll(`[${state}=false]`)]
          const alike = others.find(
            (other) => other.tagName === one.tagName && marks(other) === marks(one),
          )
          if (alike) found.push(`${state} looks as its neighbours: ${name(one)}`)
          const { backgroundColor, outlineStyle } = getComputedStyle(one)
          const plain = document.createElement('button')
          document.body.append(plain)
          if (
            one.matches('button') &&
            outlineStyle === 'none' &&
            backgroundColor === getComputedStyle(plain).backgroundColor
          )
            found.push(`${state} looks as any button: ${name(one)}`)
          plain.remove()
        }
      }
      for (const one of root.querySelectorAll('svg.icon, .sq-line, .sq-bar, .tl-spark polyline')) {
        if (isShown(one) && getComputedStyle(one).stroke === behind(one))
          found.push(`drawn in the colour behind it: ${name(one)}`)
      }
      for (const one of root.querySelectorAll('.tl-axis i')) {
        const { backgroundColor, backgroundImage } = getComputedStyle(one)
        const row = one.closest('.tl-row') as Element
        if (backgroundImage === 'none' && backgroundColor === behind(row))
          found.push(`a bar in the colour behind it: ${name(one)}`)
      }
    }
    return found
  })

/** Controls within `part` that show no outline when keys give them the focus. */
const withoutRing = (page: Page, part: string) =>
  page.$$eval(part, (roots) =>
    roots.flatMap((root) =>
      [...root.querySelectorAll<HTMLElement>('button, a[href], input, select, summary')]
        .filter((one) => one.checkVisibility() && !one.matches(':disabled'))
        .filter((one) => {
          one.focus({ preventScroll: true })
          if (document.activeElement !== one) return false // in a folded part
          if (!one.matches(':focus-visible')) return true
          const { outlineStyle, outlineWidth } = getComputedStyle(one)
          return outlineStyle === 'none' || outlineWidth === '0px'
        })
        .map((one) => `no focus ring: ${one.outerHTML.slice(0, 120)}`),
    ),
  )

/** Panes and dialogs that scroll to the side, or make the page do it (WCAG 1.4.10), and controls that are cut off. */
const tooWide = (page: Page) =>
  page.evaluate(() => {
    const width = document.documentElement.clientWidth
    // What has two dimensions, and strips of tabs.
    const scrolled = 'pre, table, .sq, .tl-frame, .clients, [role=tablist], .compose-tabs, .editor'
    const all = [...document.querySelectorAll('body *')].filter(
      (one) => !one.closest(scrolled) && one.checkVisibility({ visibilityProperty: true }),
    )
    return [
      ...(document.documentElement.scrollWidth > width ? ['the page'] : []),
      ...all
        .filter(
          (one) =>
            (/auto|scroll/.test(getComputedStyle(one).overflowX) &&
              one.scrollWidth > one.clientWidth + 1) ||
            (one.matches('button, a, input, select, textarea, summary, p') &&
              one.getBoundingClientRect().right > width + 1),
        )
        .map((one) => one.outerHTML.slice(0, 120)),
    ]
  })

inBrowsers(
  'nothing is wider than a window of 320 px, or of 1024 px, in each kind of room',
  async ({ open }) => {
    const found: { [room: string]: string[] } = {}
    const page = await openPlayground(open, playground, '?quiet&lang=de') // the longest words
    for (const [width, height] of [
      [320, 640],
      [1024, 768],
    ] as const) {
      await page.setViewport({ width, height })
      for (const { name, reach } of lookedAt) {
        if (width > 320 && !/^(the first|explore|timeline|the presentation)/.test(name)) continue // dialogs do not grow
        await reach(page)
        const bad = await tooWide(page)
        if (bad.length > 0) found[`${name}, ${width} px`] = bad
      }
    }
    assert.deepEqual(found, {})
  },
  { only: ['chromium'], timeout: 240_000 },
)

inBrowsers(
  'forced colours: chosen parts, drawings, icons and focus stay visible in each kind of room',
  async (browser) => {
    const forced = { 'forced-colors': 'active' }
    const page = await openWith(browser, forced)
    const session = await page.createCDPSession()
    const found: { [room: string]: string[] } = {}
    for (const { name, part, reach } of lookedAt) {
      await reach(page)
      const bad = new Set<string>()
      for (const scheme of ['light', 'dark']) {
        const features = { ...forced, 'prefers-color-scheme': scheme }
        await session.send('Emulation.setEmulatedMedia', { features: listed(features) })
        for (const one of await invisible(page, part)) bad.add(one)
      }
      await page.keyboard.press('Shift') // from now on, the focus is shown
      for (const one of await withoutRing(page, part)) bad.add(one)
      if (bad.size > 0) found[name] = [...bad]
    }
    assert.deepEqual(found, {})
  },
  { only: ['chromium'] },
)

inBrowsers(
  'reduced motion: nothing moves when a page changes, a message arrives, or a part is chosen',
  async (browser) => {
    const moved = async (reduce: boolean) => {
      const page = await openWith(
        browser,
        { 'prefers-reduced-motion': reduce ? 'reduce' : 'no-preference' },
        '?quiet&lang=en',
      )
      await page.evaluate(() => {
        const kinds = new Set<string>()
        Object.assign(globalThis, { kinds })
        const look = () => {
          for (const one of document.getAnimations())
            kinds.add((one as CSSAnimation).animationName ?? 'transition')
          requestAnimationFrame(look)
        }
        look()
      })
      await page.waitForSelector('#explore-resources')
      await press(page, '#explore-resources', '')
      await page.waitForSelector('.list-row [role=switch]')
      await press(page, '.list-row [role=switch]', '') // notes://today
      await page.waitForSelector('.list-row [role=switch][aria-checked=true]')
      await lookedAt[0]?.reach(page)
      await press(page, '.stage-tabs button', '') // the page changes
      await page.type('.stage-note textarea', ', tea')
      await page.waitForFunction(() => document.querySelector('.stage-state .chip[data-is=warn]'))
      await press(page, '.stage-client button', '')
      await page.waitForFunction(() => document.querySelector('.stage-state .chip[data-is=good]'))
      const found = await page.evaluate(() => ({
        kinds: [...(globalThis as unknown as { kinds: Set<string> }).kinds],
        smooth: [...document.querySelectorAll('*')]
          .filter((one) => getComputedStyle(one).scrollBehavior === 'smooth')
          .map((one) => one.tagName),
        endless: document
          .getAnimations()
          .filter((one) => one.effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY)
          .length,
      }))
      await page.close()
      return found
    }
    assert.deepEqual(await moved(true), { kinds: [], smooth: [], endless: 0 })
    const { kinds, endless } = await moved(false)
    assert.ok(
      kinds.some((one) => one.startsWith('stage-')),
      String(kinds),
    )
    assert.ok(kinds.includes('tl-arriving'), String(kinds))
    assert.equal(endless, 0)
  },
  { only: ['chromium'] },
)
