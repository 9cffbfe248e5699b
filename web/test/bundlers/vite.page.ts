// The package in an app of Vite 8: its development server and its build. `make bundlers` has the other tools.

import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { readMarkdown } from '../docs/markdown.ts'
import { pageUrl, startGateway } from '../e2e/gateway.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { freePort } from '../harness/ports.ts'
import { serve } from '../harness/serve.ts'
import { appSource, driveApp, type Expected, packageDirectory } from './drive.ts'
import { type Command, runTool, startServer } from './tools.ts'

const vite: Command = ['node', join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')]

// Outside the repository: Vite prepares what is in node_modules, and not what is linked there.
const app = newApp()
cpSync(packageDirectory, join(app, 'node_modules/pagemcp'), { recursive: true })

/** An app in a directory of its own, without the package. */
function newApp(): string {
  const app = mkdtempSync(join(tmpdir(), 'pagemcp-vite-'))
  after(() => rmSync(app, { recursive: true }))
  for (const part of ['plain', 'vite']) {
    cpSync(join(import.meta.dirname, part), app, { recursive: true })
  }
  writeFileSync(join(app, 'src/mcp.js'), appSource())
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(app, 'node_modules'))
  return app
}

async function driveDevelopment(
  browser: Pick<TestBrowser, 'open'>,
  app: string,
  expected?: Expected,
): Promise<void> {
  rmSync(join(app, 'node_modules/.vite'), { recursive: true, force: true })
  const server = await startServer(app, (port) => [...vite, '--port', port, '--strictPort'])
  try {
    await driveApp(browser, server.url, expected)
  } finally {
    await server.close()
  }
}

inBrowsers('an app runs in the development server of Vite', (browser) =>
  driveDevelopment(browser, app),
)

const linking = newApp()
symlinkSync(packageDirectory, join(linking, 'node_modules/pagemcp'))

inBrowsers(
  'the error names the setting of Vite, if it serves no files of a linked package',
  (browser) => driveDevelopment(browser, linking, { fails: /server\.fs\.allow/ }),
)

inBrowsers('an app runs as Vite builds it', async (browser) => {
  await runTool(app, [...vite, 'build'])
  const site = await serve({ directories: { '/': join(app, 'dist') } })
  try {
    await driveApp(browser, `${site.origin}/`)
  } finally {
    await site.close()
  }
})

const steps = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const example =
  readMarkdown(steps).fences.find(({ language }) => language === 'ts')?.text ?? 'no example'

const empty = newApp()
cpSync(packageDirectory, join(empty, 'node_modules/pagemcp'), { recursive: true })
writeFileSync(join(empty, 'src/main.js'), "import './mcp.ts'\ndocument.body.append('rendered')\n")

inBrowsers('the first steps of README.md work in an empty app of Vite', async ({ open }) => {
  rmSync(join(empty, 'node_modules/.vite'), { recursive: true, force: true })
  // The app is whole before Vite watches it: otherwise Vite reloads the page, perhaps while it pairs.
  const port = String(await freePort())
  const gateway = await startGateway({
    command: 'serve',
    args: ['--allow-origin', `http://localhost:${port}`],
  })
  try {
    const dialled = example.replace(
      'mcp.connect()',
      `mcp.connect('${pageUrl(gateway)}').joined.then((name) => { document.title = name }, () => {})`,
    )
    assert.notEqual(dialled, example)
    writeFileSync(join(empty, 'src/mcp.ts'), dialled)

    const command: Command = [...vite, '--port', port, '--strictPort']
    const server = await startServer(empty, () => command, undefined, port)
    try {
      const stranger = await open(server.url)
      await stranger.waitForFunction("document.body.innerText.includes('rendered')")
      await stranger.close()
      const tab = await open(`${server.url}${gateway.pairing}`)
      await tab.waitForFunction("document.title === 'notes'")
      assert.match(
        await post(gateway, 'resources/read', { uri: 'notes+notes://shopping' }),
        /2 apples/,
      )
      assert.match(
        await post(gateway, 'resources/read', { uri: 'notes://shopping' }, 'notes'),
        /2 apples/,
      )
    } finally {
      await server.close()
    }
  } finally {
    await gateway.close()
  }
})
