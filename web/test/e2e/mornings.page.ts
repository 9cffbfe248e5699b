/**
 * A page that was paired once joins by itself on the next mornings, also after a restart of the browser, by what the browser
 * keeps; without that it says what to do, and joins when it is done elsewhere. server/door_test.go has the commands.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { browserUnderTest, close, launch } from '../harness/launch.ts'
import { freePort } from '../harness/ports.ts'
import { type Served, serve } from '../harness/serve.ts'
import { type Machine, onMachine } from './machine.ts'

/** An app of another server. It shows its connection in the attributes of the body. */
const html = (
  port: number,
) => `<!doctype html><title>host</title><link rel="icon" href="data:,"><body>
<script type="module">
  import { start } from '/pagemcp/index.js'
  const mcp = await start({ name: 'host' })
  mcp.resource('host://greeting', { name: 'greeting' }, () => 'hello from the page')
  mcp.on('state', ({ gateways }) => {
    const { is, error = '', name = '' } = gateways.at(-1) ?? {}
    Object.assign(document.body.dataset, { is, error, name })
  })
  mcp.connect('ws://127.0.0.1:${port}/page').joined.catch(({ reason }) => {
    document.body.dataset.reason = reason
  })
</script>`

let app: Served
let port: number
before(async () => {
  port = await freePort()
  const { directory } = await built()
  app = await serve({
    directories: { '/pagemcp/': `${directory}/pagemcp` },
    files: { '/': html(port) },
  })
})
after(() => app?.close())

const awaitState = (page: Page, is: string) => page.waitForSelector(`body[data-is="${is}"]`)
const awaitJoined = (page: Page) => awaitState(page, 'joined')

/** Pairs a new page at `serve`, and ends all. */
async function pair(machine: Machine, { open }: Pick<TestBrowser, 'open'>): Promise<Page> {
  const { pairing } = await machine.start('serve', `--allow-origin=${app.origin}`)
  const page = await open(`${app.origin}/${pairing}`)
  await awaitJoined(page)
  await machine.end('serve', 'SIGKILL')
  return page
}

/** Deletes the keys as users do who delete the data of a site, with its pages open. */
const clear = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase('pagemcp')
        request.onsuccess = () => resolve()
        request.onblocked = () => reject(new Error('the database is in use'))
        request.onerror = () => reject(request.error)
      }),
  )

/** Waits until the browser has written what the page has stored: a transaction with strict durability. */
const settled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('pagemcp')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const database = opening.result
          const writing = database.transaction('keys', 'readwrite', { durability: 'strict' })
          writing.objectStore('keys').put({ address: 'pending flush' })
          writing.objectStore('keys').delete('pending flush')
          writing.onerror = () => reject(writing.error)
          writing.oncomplete = () => {
            database.close()
            resolve()
          }
        }
      }),
  )

/** Its name at the gateway. */
const nameOf = (page: Page) => page.$eval('body', ({ dataset }) => dataset.name ?? '')

/** What the assistant that runs `stdio` reads of the page. */
const greeting = (machine: Machine, name = 'host') =>
  machine.ask('resources/read', { uri: `${name}+host://greeting` })

const name = browserUnderTest
for (const ended of ['closed', 'killed'] as const) {
  test(`a page joins after its browser was ${ended} and started again (${name})`, () =>
    onMachine(port, async (machine) => {
      const profile = await mkdtemp(join(tmpdir(), 'pagemcp-profile-'))
      let browser = await launch(name, { profile })
      try {
        const open = async (url: string) => {
          const page = await browser.newPage()
          await page.goto(url)
          return page
        }
        const page = await pair(machine, { open })
        if (ended === 'killed') {
          await settled(page)
          const gone = once(browser.process() ?? assert.fail('no process'), 'exit')
          browser.process()?.kill('SIGKILL')
          await gone
        } else await close(browser)
        browser = await launch(name, { profile })
        await machine.start('stdio')
        const next = await open(app.origin)
        await awaitJoined(next)
        assert.match(await greeting(machine, await nameOf(next)), /hello from the page/)
      } finally {
        await close(browser)
        await rm(profile, { recursive: true, force: true })
      }
    }))
}

inBrowsers(
  'a browser that clears the database: an open page joins, the next one says what to do',
  (browser) =>
    onMachine(port, async (machine) => {
      const page = await pair(machine, browser)
      await clear(page)
      await awaitState(page, 'away')
      const { pairing } = await machine.start('serve', `--allow-origin=${app.origin}`)
      await page.evaluate(() => dispatchEvent(new Event('online'))) // it need not wait for its next try
      await awaitJoined(page) // by the key in its memory
      await page.reload()
      await awaitJoined(page) // it has stored the key again
      await clear(page)
      await page.reload()
      await page.waitForSelector('body[data-is="refused"][data-reason="not-invited"]')
      const told = await page.$eval('body', ({ dataset }) => dataset.error)
      assert.match(told ?? '', new RegExp(`: run pagemcp pair ${app.origin}, and open the link`))
      await awaitJoined(await browser.open(`${app.origin}/${pairing}`))
      await page.evaluate(() => dispatchEvent(new Event('online')))
      await awaitJoined(page)
    }),
)

inBrowsers('two profiles of a browser join, each by its own key', (browser) =>
  onMachine(port, async (machine) => {
    const other = await browser.context.browser().createBrowserContext()
    try {
      const { pairing } = await machine.start('serve', `--allow-origin=${app.origin}`)
      const page = await browser.open(`${app.origin}/${pairing}`)
      await awaitJoined(page)
      const second = await other.newPage()
      await second.goto(`${app.origin}/`)
      await second.waitForSelector('body[data-is="refused"][data-reason="not-invited"]')
      await second.close()
      const invited = await other.newPage()
      await invited.goto(`${app.origin}/${await machine.link(app.origin)}`)
      await awaitJoined(invited)
      await machine.end('serve', 'SIGKILL')
      await machine.age(29)
      await machine.start('stdio')
      for (const one of [page, invited]) {
        await one.reload()
        await awaitJoined(one)
      }
      const names = await Promise.all([page, invited].map(nameOf))
      assert.deepEqual(names.sort(), ['host', 'host-2'])
      for (const name of names) assert.match(await greeting(machine, name), /hello from the page/)
    } finally {
      await other.close()
    }
  }),
)

inBrowsers(
  'a page that is reloaded before it has joined has its invitation; two tabs may use one link',
  (browser) =>
    onMachine(port, async (machine) => {
      const { pairing } = await machine.start('serve', `--allow-origin=${app.origin}`)
      machine.signal('serve', 'SIGSTOP') // it answers nothing
      const page = await browser.open(`${app.origin}/${pairing}`)
      await awaitState(page, 'connecting')
      await page.reload()
      const second = await browser.open(`${app.origin}/${pairing}`)
      await awaitState(second, 'connecting')
      machine.signal('serve', 'SIGCONT')
      await Promise.all([page, second].map(awaitJoined))
    }),
)
