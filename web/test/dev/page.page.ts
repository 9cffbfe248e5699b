// What a page under development serves, without a bundler: beside the app's own engine, and without secrets.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { packageDirectory } from '../bundlers/drive.ts'
import { type Gateway, pageUrl, startGateway } from '../e2e/gateway.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { type Served, serve } from '../harness/serve.ts'
import { driveDev, pairingLink, read, watch } from './drive.ts'

const app = mkdtempSync(join(tmpdir(), 'pagemcp-plain-'))
cpSync(join(import.meta.dirname, '../bundlers/nextshop/app/total.js'), join(app, 'total.js'))

let gateway: Gateway
let site: Served
before(async () => {
  gateway = await startGateway({ command: 'serve' })
  const address = pageUrl(gateway)
  writeFileSync(
    join(app, 'index.html'),
    `<!doctype html><title>shop</title><link rel="icon" href="data:,">
<button type="button">Show the total</button><output></output>
<script type="module">
  import { dev } from '/pagemcp/dev.js'
  dev({ name: 'shop-dev', gateway: '${address}' })
</script>
<script type="module">
  import { start } from '/pagemcp/index.js'
  import { total } from './total.js'
  const mcp = start({ name: 'shop' })
  mcp.resource('shop://cart', ['2 apples'])
  globalThis.joined = mcp.connect('${address}').joined
  document.querySelector('button').onclick = () => {
    document.querySelector('output').textContent = total([{ price: 2 }, { price: 3 }])
  }
</script>`,
  )
  const html = readFileSync(join(app, 'index.html'), 'utf8')
  site = await serve({
    directories: { '/': app, '/pagemcp/': packageDirectory },
    files: { '/': html },
  })
})
after(async () => {
  await site?.close()
  await gateway?.close()
  rmSync(app, { recursive: true })
})

/** Opens the page, in which errors are expected, paired. */
async function openPage({ context }: Pick<TestBrowser, 'context'>): Promise<Page> {
  const page = await context.newPage()
  await page.goto(pairingLink(gateway, `${site.origin}/`))
  return page
}

/** Runs a function in a script of the page: browsers tell a page nothing of errors in what a debugger evaluates. */
async function inScript(page: Page, act: () => Promise<void>): Promise<void> {
  await page.addScriptTag({ content: `globalThis.acted = (${act})()` })
  await page.evaluate('globalThis.acted')
}

inBrowsers('a page without a bundler tells its errors', async (browser) => {
  await driveDev({
    gateway,
    name: 'shop-dev',
    open: () => openPage(browser),
    source: join(app, 'total.js'),
    place: { file: /^total\.js$/, line: 7 },
    reloads: true,
  })
})

inBrowsers(
  'logs, requests, errors and stores are served beside the app, without secrets',
  async (browser) => {
    const watching = watch(gateway, 'event:///error')
    try {
      const page = await openPage(browser)
      const { name } = (await page.evaluate('globalThis.joined.then((name) => ({ name }))')) as {
        name: string
      }
      assert.match(
        await post(gateway, 'resources/read', { uri: `${name}+shop://cart` }),
        /2 apples/,
      )

      await inScript(page, async () => {
        console.log('token', 'hunter1')
        console.warn({ user: 'ann', password: 'hunter2' }, 'https://ann:hunter3@a.example/?code=7')
        const same = new TypeError('only once, password=hunter4')
        console.error('caught:', same)
        reportError(same)
        void Promise.reject(new Error('not awaited'))
        await fetch('/missing?access_token=hunter5&page=2')
        await new Promise((resolve) => {
          const request = new XMLHttpRequest()
          request.onloadend = resolve
          request.open('put', '/missing')
          request.send('{"password":"hunter6"}')
        })
        await fetch('http://localhost:1/', { headers: { authorization: 'Bearer hunter7' } }).catch(
          () => {},
        )
        await fetch('/', { signal: AbortSignal.abort() }).catch(() => {})
      })
      const happened = /(shop-dev[\w-]*)\+event:\/\/\/error happened/
      const [, own] = happened.exec((await watching.next(happened)).text) ?? []
      const logs = await read(gateway, `${own}+dev:///console`)
      const texts = logs.map(({ level, text }) => `${level}: ${text}`).join('\n')
      assert.match(texts, /log: token redacted/)
      assert.match(texts, /warn: \{"user":"ann","password":"redacted"\} https:\/\/a\.example/)
      const requests = await read(gateway, `${own}+dev:///requests`)
      assert.deepEqual(
        requests.map(({ method, url, status }) => [method, url, status]),
        [
          ['GET', '/missing?access_token=redacted&page=2', 404],
          ['PUT', '/missing', 404],
          ['GET', 'http://localhost:1/', 0],
        ],
      )
      const errors = await read(gateway, `${own}+dev:///errors`)
      assert.deepEqual(
        errors.map(({ kind, message, times }) => [kind, message, times]),
        [
          ['logged', 'TypeError: only once, password=redacted', 1],
          ['rejection', 'Error: not awaited', 1],
        ],
      )

      await page.evaluate(() => {
        const tools = globalThis as Record<string, unknown> as {
          __REDUX_DEVTOOLS_EXTENSION_COMPOSE__: (
            options: object,
          ) => (...all: unknown[]) => (create: unknown) => () => unknown
          __REDUX_DEVTOOLS_EXTENSION__: {
            connect(options: object): {
              init(state: unknown): void
              send(action: string, state: unknown): void
            }
          }
          __TANSTACK_QUERY_CLIENT__?: unknown
        }
        const create = () => ({
          getState: () => ({ user: 'ann', token: 'hunter8' }),
          subscribe: () => {},
        })
        const same = (next: unknown) => next
        tools.__REDUX_DEVTOOLS_EXTENSION_COMPOSE__({ name: 'redux' })(same)(create)()
        const zustand = tools.__REDUX_DEVTOOLS_EXTENSION__.connect({ name: 'zustand' })
        zustand.init({ count: 0 })
        zustand.send('increment', { count: 1 })
        const state = { status: 'success', data: { password: 'hunter9', items: [1] } }
        const cache = { getAll: () => [{ queryKey: ['todos'], state }], subscribe: () => {} }
        tools.__TANSTACK_QUERY_CLIENT__ = { getQueryCache: () => cache }
        const pinia = { state: { value: { cart: { items: 2 } } }, _s: new Map() }
        const root = document.body.appendChild(document.createElement('main'))
        root.setAttribute('data-v-app', '')
        Object.assign(root, { __vue_app__: { config: { globalProperties: { $pinia: pinia } } } })
      })
      const [stores = {}] = await read(gateway, `${own}+dev:///state`)
      assert.deepEqual(stores.redux, { user: 'ann', token: 'redacted' })
      assert.deepEqual(stores.zustand, { count: 1 })
      assert.deepEqual(stores.pinia, { cart: { items: 2 } })
      const [query] = stores['tanstack-query'] as { queryKey: unknown; data: unknown }[]
      assert.deepEqual(
        [query?.queryKey, query?.data],
        [['todos'], { password: 'redacted', items: [1] }],
      )

      for (const path of ['console', 'errors', 'requests', 'state', 'hmr']) {
        const answer = await post(gateway, 'resources/read', { uri: `${own}+dev:///${path}` })
        assert.doesNotMatch(answer, /hunter\d/, path)
      }
    } finally {
      await watching.close()
    }
  },
)
