// The archive of this machine's platform, the extension and the playground, unpacked and used.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGateway } from '../e2e/gateway.ts'
import { assistant } from '../extension/assistant.ts'
import { chromium } from '../extension/chromium.ts'
import { firefox } from '../extension/firefox.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { serve } from '../harness/serve.ts'
import { firstRead } from './first-read.ts'
import { artifact, emptyDirectory, ownPlatform, unpack, version } from './release.ts'

const own = ownPlatform()
const program = join(unpack(own.archive), own.folder, own.program)

/** Neither PATH nor HOME: no Go, no Node, no clone. */
const alone = { command: program, args: [], cwd: emptyDirectory(), env: {} }

test('the program prints its version and its licences', () => {
  const run = (...args: string[]) =>
    execFileSync(program, args, { cwd: alone.cwd, env: {}, encoding: 'utf8', timeout: 20_000 })
  assert.equal(run('--version'), `${version}\n`)
  assert.match(run('licenses'), /\ngithub.com\/spf13\/cobra v/)
})

inBrowsers(
  'the program of the archive runs dev in an empty environment, and a note is read',
  (browser) => firstRead(own.archive, alone, browser, console.log),
  { only: ['chromium'] },
)

for (const [name, kit, built] of [
  ['extension', chromium, unpack],
  ['extension-firefox', firefox, artifact], // installed as it is
] as const) {
  test(`the archive ${name} serves a tab until it is unticked`, { timeout: 120_000 }, async () => {
    const page = '<!doctype html><title>Bread</title><link rel="icon" href="data:,"><p>Flour.</p>'
    const served = await serve({ files: { '/bread': page } })
    const gateway = await startGateway({ args: ['--allow-origin', kit.origin], by: alone })
    const extension = built(`pagemcp-${name}-${version}.zip`)
    const installed = await kit.install([served.origin], extension)
    const person = await kit.arrive(installed)
    try {
      await person.open(`${served.origin}/bread`)
      const { name: joined } = await person.join((await gateway.fresh()).start)
      const reader = await assistant(gateway)
      await reader.listen(`${joined}+tab:///`)
      const id = await person.idOf('Bread')
      await reader.hears(() => person.tick(id), `${joined}+tab:///`)
      assert.equal(await reader.text(`${joined}+tab:///${id}/text`), 'Flour.')
      await reader.hears(() => person.tick(id, false), `${joined}+tab:///`)
      await reader.missing(`${joined}+tab:///${id}/text`)
      await reader.close()
    } finally {
      await person.leave()
      await Promise.all([gateway.close(), served.close(), installed.remove()])
    }
  })
}

const playground = unpack(`pagemcp-playground-${version}.zip`)

inBrowsers(
  'the playground of the archive runs on a web server',
  async ({ open }) => {
    const site = await serve({ directories: { '/': playground } })
    try {
      const page = await open(site.origin)
      await page.waitForSelector('html[data-ready]', { timeout: 60_000 })
    } finally {
      await site.close()
    }
  },
  { only: ['chromium'] },
)
