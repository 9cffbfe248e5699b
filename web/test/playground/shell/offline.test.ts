/** The copy of the playground for offline use: without a server, and with another version on it. */

import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { built } from '../../harness/build.ts'
import { type Served, serve } from '../../harness/serve.ts'
import { press, saw } from '../harness.ts'

/** A playground whose files a test may replace. */
async function withFiles(
  story: (served: Served, directory: string) => Promise<void>,
  redirects: { readonly [path: string]: string } = {},
) {
  const { directory: made, remove } = await built()
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  await cp(join(made, 'playground'), join(directory, 'playground'), { recursive: true })
  const served = await serve({ directories: { '/': directory }, redirects })
  try {
    await story(served, directory)
  } finally {
    await served.close()
    await rm(directory, { recursive: true, force: true })
    await remove()
  }
}

/** Gives the chunk of the dialog to connect another name, as a new version of it has. */
async function deployNext(directory: string, version: number) {
  const playground = join(directory, 'playground')
  const files = await readdir(playground, { recursive: true })
  const old = files.find((name) => /chunks\/connect-parts-[^/]*\.js$/.test(name)) ?? ''
  const next = `chunks/connect-parts-VERSION${version}.js`
  await rename(join(playground, old), join(playground, next))
  const mention = (name: string) =>
    name.startsWith('chunks/') ? name.slice('chunks/'.length) : name
  for (const name of files.filter((name) => name !== old && /\.js(on)?$/.test(name))) {
    const text = await readFile(join(playground, name), 'utf8')
    const changed = text.replaceAll(mention(old), mention(next))
    if (changed !== text) await writeFile(join(playground, name), changed)
  }
}

/** Waits until there are complete copies with these lists of files. */
async function hasCopy(page: Page, list: string) {
  await page.waitForFunction(
    async (list) => {
      for (const name of await caches.keys()) {
        const found = await (await caches.open(name)).match('files.json')
        if (found !== undefined && (await found.text()) === list) return true
      }
      return false
    },
    { polling: 100 },
    list,
  )
}

inBrowsers(
  'an open tab has all its parts after new versions are deployed',
  ({ open }) =>
    withFiles(async ({ origin }, directory) => {
      const listOf = () => readFile(join(directory, 'playground/files.json'), 'utf8')
      const openNext = async () => {
        const page = await open(`${origin}/playground/index.html?lang=en`)
        await page.waitForSelector('html[data-ready]')
        await hasCopy(page, await listOf())
        return page
      }
      const first = await openNext()
      for (const version of [2, 3]) {
        await deployNext(directory, version)
        await openNext()
      }
      await first.bringToFront()
      await press(first, '.bar [data-command=connect]', '')
      await saw(first, 'dialog', 'Connect to a server')
    }),
  { alike: true },
)

inBrowsers('without a server, the newest version is complete', ({ open }) =>
  withFiles(async (served, directory) => {
    const url = `${served.origin}/playground/index.html?lang=en`
    const page = await open(url)
    await page.waitForSelector('html[data-ready]')
    await hasCopy(page, await readFile(join(directory, 'playground/files.json'), 'utf8'))
    await deployNext(directory, 2)
    await page.reload()
    await hasCopy(page, await readFile(join(directory, 'playground/files.json'), 'utf8'))
    await rm(join(directory, 'playground'), { recursive: true })
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await press(page, '.bar [data-command=connect]', '')
    await saw(page, 'dialog', 'Connect to a server')
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    )
    assert.ok(loaded.some((name) => name.endsWith('connect-parts-VERSION2.js')))
  }),
)

inBrowsers(
  'without a server it opens, also if its host redirects index.html to the directory',
  ({ open }) =>
    withFiles(
      async (served, directory) => {
        const page = await open(`${served.origin}/playground/?lang=en`)
        await page.waitForSelector('html[data-ready]')
        await hasCopy(page, await readFile(join(directory, 'playground/files.json'), 'utf8'))
        await served.kill()
        await page.reload()
        await page.waitForSelector('html[data-ready]')
      },
      { '/playground/index.html': '/playground/' },
    ),
  { alike: true },
)
