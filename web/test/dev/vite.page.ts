// Development mode in an app of Vite 8: an error wakes an assistant, and is mended. `make bundlers` has other servers.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { packageDirectory } from '../bundlers/drive.ts'
import { type Command, runTool, type Server, startServer } from '../bundlers/tools.ts'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { driveDev } from './drive.ts'

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
