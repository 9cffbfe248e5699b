// Development mode in an app of Vite 8: an error wakes an assistant, and is mended. `make bundlers` has other servers.

import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createServer } from 'vite'
import pagemcp from '../../src/vite.ts'
import { packageDirectory } from '../bundlers/drive.ts'
import { type Command, runTool, type Server, startServer } from '../bundlers/tools.ts'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { freePort } from '../harness/ports.ts'
import { driveDev, read, watch } from './drive.ts'

const vite: Command = ['node', join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')]

/** The example, in a directory of its own. */
const app = mkdtempSync(join(tmpdir(), 'pagemcp-shop-'))
cpSync(join(import.meta.dirname, '../bundlers/shop'), app, { recursive: true })
mkdirSync(join(app, 'node_modules'))
cpSync(packageDirectory, join(app, 'node_modules/pagemcp'), { recursive: true })
const states = join(app, '.state') // XDG_STATE_HOME: what the plugin and the program take by default

let gateway: Gateway
let server: Server
before(async () => {
  gateway = await startGateway({ command: 'serve', state: join(states, 'pagemcp') })
  server = await startServer(
    app,
    (port) => [...vite, '--port', port, '--strictPort'],
    () => ({ XDG_STATE_HOME: states }),
  )
})
after(async () => {
  await server?.close()
  await gateway?.close()
  rmSync(app, { recursive: true })
})

inBrowsers(
  'an error wakes an assistant, and is closed when its source is mended',
  async ({ context }) => {
    const { error } = await driveDev({
      gateway,
      name: 'shop-dev',
      async open() {
        const page = await context.newPage()
        await page.goto(server.url)
        return page
      },
      source: join(app, 'src/total.ts'),
      place: { file: /^src\/total\.ts$/, line: 13 },
    })
    assert.equal(error.open, true)
    assert.equal(error.times, 1)
  },
)

inBrowsers(
  'a page joins the gateway that starts after it; strangers are not invited',
  async ({ context }) => {
    const state = join(app, '.later')
    const source = join(app, 'src/total.ts')
    const text = readFileSync(source, 'utf8')
    const vite = await createServer({
      root: app,
      base: '/shop/',
      configFile: false,
      cacheDir: join(app, '.cache'),
      logLevel: 'silent',
      plugins: [pagemcp({ state, name: 'later' })],
      server: { host: 'localhost', port: await freePort(), hmr: { port: await freePort() } },
    })
    await vite.listen()
    try {
      const url = vite.resolvedUrls?.local[0] ?? ''
      const page = await context.newPage()
      const told = new Promise((resolve) => {
        page.on(
          'console',
          (message) => /no gateway is running/.test(message.text()) && resolve(true),
        )
      })
      await page.goto(url)
      await told
      const gateway = await startGateway({ command: 'serve', state })
      const watching = watch(gateway, 'event:///error')
      try {
        writeFileSync(source, `${text}\nconst x = ;\n`)
        await watching.next(/later\+event:\/\/\/error happened/)
        const [error] = await read(gateway, 'later+dev:///errors')
        assert.deepEqual([error?.kind, error?.file, error?.open], ['build', 'src/total.ts', true])
        const updates = await read(gateway, 'later+dev:///hmr')
        assert.equal(updates.at(-1)?.kind, 'failed')

        const { origin } = new URL(url)
        const ask = async (headers: Record<string, string>) => {
          const response = await fetch(`${url}@pagemcp/invitation`, { method: 'POST', headers })
          return [response.status, (await response.text()).startsWith('#pagemcp=')]
        }
        assert.deepEqual(await ask({ origin }), [200, true])
        assert.deepEqual(await ask({}), [403, false])
        assert.deepEqual(await ask({ origin: 'http://localhost:1' }), [403, false])
        assert.deepEqual(await ask({ origin, 'x-forwarded-for': '203.0.113.9' }), [403, false])
      } finally {
        await watching.close()
        await gateway.close()
      }
    } finally {
      writeFileSync(source, text)
      await vite.close()
    }
  },
)

test('a production build has nothing of it', async () => {
  await runTool(app, [...vite, 'build'])
  const built = join(app, 'dist')
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  assert.ok(files.length > 1)
  for (const { parentPath, name } of files) {
    assert.doesNotMatch(readFileSync(join(parentPath, name), 'utf8'), /pagemcp|dev:\/\/\//, name)
  }
})
