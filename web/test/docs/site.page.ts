/**
 * The documentation as a web site: below another path, under a strict policy, in both themes and on a phone. Links and
 * anchors are tests of server/docs.
 */

import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { axe, ofColours, violations } from '../harness/axe.ts'
import { inBrowsers, shareTab } from '../harness/browsers.ts'
import { built, policy } from '../harness/build.ts'
import { kept, type Served, serve } from '../harness/serve.ts'

/** Where the site is in these tests: below a path, as on hosts of projects, with the playground beside it. */
const prefix = '/some/project/docs/'
const playground = '/some/project/playground/'

/** What `pagemcp dev` sends with the documentation. */
const ownPolicy = policy('127.0.0.1:8808')

let directory = ''
let served: Served
let remove: () => Promise<void>
before(async () => {
  const all = await built()
  directory = join(all.directory, 'docs')
  remove = all.remove
  served = await serve({
    directories: { [prefix]: directory, [playground]: join(all.directory, 'playground') },
    headers: { ...kept, 'content-security-policy': ownPolicy },
  })
})
after(async () => {
  await served?.close()
  await remove?.()
})

shareTab(() => served.origin)

const address = (path: string) => `${served.origin}${prefix}${path}`

/** Pages that look different from each other. */
const kinds = [
  'index.html',
  'de/index.html',
  'ja/index.html',
  'zh-Hans/index.html',
  'gateway.html',
  'guide.html',
  'troubleshooting.html',
  'reference-index.html',
  'examples.html',
  'examples/both-eras.html',
  'examples/malformed-json.html',
]

/** Of these: where every part of a page is that others have more of. */
const plain: ReadonlySet<string> = new Set([
  'index.html',
  'gateway.html',
  'examples/both-eras.html',
])

/** Start pages with the layout and the colours of `index.html`. */
const translated = /^(de|ja|zh-Hans)\//

/** What the page says that is wrong, from now on: errors of the console, which violations of the policy are too. */
function errorsOf(page: Page): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content.Security.Policy/i.test(message.text()))
      errors.push(message.text())
  })
  return errors
}

inBrowsers(
  'no page is wider than a phone of 360 px, or needs what the policy forbids',
  async ({ open }) => {
    const pages = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => relative('.', name))
    // Three of four are examples, which one template makes.
    const size = (name: string) => statSync(join(directory, name)).size
    const examples = pages.filter((name) => name.startsWith('examples/'))
    const largest = examples.sort((a, b) => size(b) - size(a)).slice(0, 5)
    const looked = [...pages.filter((name) => !name.startsWith('examples/')), ...largest]
    const page = await open('about:blank')
    const errors = errorsOf(page)
    await page.setViewport({ width: 360, height: 740 })
    const wide: string[] = []
    for (const name of looked) {
      await page.goto(address(name), { waitUntil: 'domcontentloaded' })
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) wide.push(`${name}: ${over} px`)
    }
    assert.deepEqual(wide, [])
    assert.deepEqual(errors, [])
  },
  { only: ['chromium'] },
)

inBrowsers(
  'axe finds nothing, in both themes, on a phone and on a wide screen',
  async ({ open }) => {
    const page = await open('about:blank')
    const found: string[] = []
    for (const name of kinds.filter((name) => !translated.test(name))) {
      for (const width of plain.has(name) ? [360, 1400] : [1400]) {
        await page.setViewport({ width, height: 900 })
        await page.goto(address(name))
        await page.evaluate(axe)
        for (const scheme of ['light', 'dark']) {
          await page.emulateMediaFeatures([
            { name: 'prefers-color-scheme', value: scheme },
            { name: 'prefers-reduced-motion', value: 'reduce' },
          ])
          // In the dark only colours differ, and not by the width.
          if (scheme === 'dark' && (width === 360 || !plain.has(name))) continue
          const rules = scheme === 'dark' ? ofColours : undefined
          const wrong = await violations(page, 'html', rules)
          found.push(...wrong.map((one) => `${name}, ${width} px, ${scheme}: ${one}`))
        }
      }
    }
    assert.deepEqual(found, [])
  },
  { only: ['chromium'], timeout: 240_000 },
)

inBrowsers(
  'an example opens in the playground with its messages',
  async ({ open }) => {
    const both = await serve({ directories: { '/': join(directory, '..') } }) // the playground has a policy of its own
    try {
      const page = await open(`${both.origin}/docs/examples/both-eras.html`)
      const link = await page.$eval(
        'article a[href*="#t1."]',
        (one) => (one as HTMLAnchorElement).href,
      )
      await page.goto(link)
      await page.waitForFunction(() => /"name": "transcript"/.test(document.body.innerText), {
        polling: 100,
      })
    } finally {
      await both.close()
    }
  },
  { only: ['chromium'] },
) // permissions belong to the context
