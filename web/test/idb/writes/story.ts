/**
 * P2: a change is followed by at least one `updated` after the last change, whoever wrote: the page,
 * or another tab. A client that reads a resource after each `updated` and at no other time
 * ends with the newest value. Chromium's own protocol says which stores were written.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { servePages } from '../../core/browser/built.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import type { Served } from '../../harness/serve.ts'
import type {} from './host.ts' // declares globalThis.hosted

const seed = Number(process.env.PAGEMCP_SEED ?? Date.now() % 2 ** 31)

// @types/node of Node 20 does not know it; tests run in Node 24.
const { stripTypeScriptTypes } = nodeModule as unknown as {
  stripTypeScriptTypes(code: string): string
}
const source = (name: string) =>
  stripTypeScriptTypes(readFileSync(`${import.meta.dirname}/../${name}.ts`, 'utf8')).replaceAll(
    /from '\.\/(\w+)\.ts'/g,
    "from '/$1.js'",
  )

/**
 * Makes the tests of a file of it.
 *
 * @param writes - how many
 * @param timeout - ms
 */
export function unnoticed(writes: number, timeout: number): void {
  let site: Served
  before(async () => {
    site = await servePages({
      '/random': source('random'),
      '/writer': source('writes/writer'),
      '/host': source('writes/host'),
      '/tab': `
      import { idb, start } from '/pagemcp/index.js'
      const mcp = await start({ name: 'tab' })
      mcp.mount(idb({ databases: { writes: ['letters', 'numbers', 'things', 'ends'] } }))
      document.title = 'ready'`,
    })
  })
  after(() => site?.close())

  inBrowsers(
    `of ${writes} random writes of page and tab, nothing stays unnoticed`,
    async ({ name, open }) => {
      console.log(`PAGEMCP_SEED=${seed} (${name})`)
      const host = await open(`${site.origin}/host`)
      await host.waitForFunction('globalThis.hosted !== undefined')
      const tab = await open(`${site.origin}/tab`)
      await tab.waitForFunction("document.title === 'ready'")
      const oracle = name === 'chromium' ? await follow(host) : undefined

      const share = Math.ceil(writes / 2)
      const begin = (of: Page, writer: string, n: number) =>
        of.evaluate(`
        globalThis.ended = Promise.all([import('/random.js'), import('/writer.js')])
          .then(([{ random }, { write }]) => write('${writer}', ${share}, random(${seed + n})))
          .then(() => { document.title = 'written' }, (error) => { document.title = String(error) }); 0`)
      await begin(tab, 'tab', 1)
      await begin(host, 'page', 0)
      await until(tab, "document.title === 'written'")
      await until(host, "document.title === 'written'")
      await host.evaluate(`hosted.quiet().then(() => { document.title = 'quiet' }); 0`)
      await until(host, "document.title === 'quiet'")

      const { stale, updates, spoken } = await host.evaluate(() => hosted.compare())
      assert.deepEqual(stale, [], 'copies that nobody was told are stale')
      assert.deepEqual(
        await host.evaluate(() => hosted.truth()),
        [],
        'copies that are not the records',
      )
      assert.deepEqual(spoken, ['letters', 'numbers', 'things'])
      console.log(`${name}: ${updates} updates`)
      if (oracle === undefined) return
      const seen = await oracle()
      assert.deepEqual(
        [...seen].sort(),
        ['ends', 'hidden', ...spoken].sort(),
        'stores that Chromium saw written',
      )
    },
    { timeout },
  )
}

/** Waits longer than one question to a browser may take. */
async function until(page: Page, expression: string) {
  for (;;) {
    const waited = page.waitForFunction(expression, { timeout: 20_000, polling: 200 }) // ms
    const done = await waited.catch((error: Error) => {
      if (error.name !== 'TimeoutError') throw error
    })
    if (done) return
  }
}

/** Which stores of the database Chromium sees written, until asked. */
async function follow(page: Page): Promise<() => Promise<Set<string>>> {
  const session = await page.createCDPSession()
  const seen = new Set<string>()
  session.on('Storage.indexedDBContentUpdated', ({ databaseName, objectStoreName }) => {
    if (databaseName === 'writes') seen.add(objectStoreName)
  })
  const { origin } = new URL(page.url())
  await session.send('Storage.trackIndexedDBForOrigin', { origin })
  return async () => {
    await session.send('Storage.untrackIndexedDBForOrigin', { origin })
    await session.detach()
    return seen
  }
}
