/**
 * Runs the checks of checks.ts, with the packed package: `node test/bundlers/run.ts [NAME]`, for example `vite8` or
 * `next16 webpack`. Prints one line per check and browser, and fails if one of them fails that is not known to.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { driveDev, pairingLink } from '../dev/drive.ts'
import { pageUrl, startGateway } from '../e2e/gateway.ts'
import { inContext, type TestBrowser } from '../harness/browsers.ts'
import { type BrowserName, close, launch } from '../harness/launch.ts'
import { serve } from '../harness/serve.ts'
import { type BundledCheck, checks, type DevCheck, type HostedCheck } from './checks.ts'
import { driveApp } from './drive.ts'
import { driveHosting } from './hosting.ts'
import { runTool, startServer } from './tools.ts'
import { packPackage, prepare } from './workspace.ts'

type Drive = (use: Parameters<typeof inContext>[2]) => Promise<void>

/** React has made the page's button work. */
const hydrated =
  "Object.keys(document.querySelector('button')).some((key) => key.startsWith('__react'))"

const [only = ''] = process.argv.slice(2)
const chosen = checks.filter(({ name }) => name.startsWith(only))
if (chosen.length === 0) {
  console.error(`no check begins with "${only}":\n${checks.map(({ name }) => name).join('\n')}`)
  process.exit(2)
}

const began = Date.now()
const tarball = packPackage()
const browsers = new Map<BrowserName, ReturnType<typeof launch>>()
const counts = { ok: 0, known: 0, failed: 0 }

try {
  for (const check of chosen) await run(check)
} finally {
  for (const browser of browsers.values()) await close(await browser)
}
const total = counts.ok + counts.known + counts.failed
console.log(
  `${total} checks: ${counts.ok} ok, ${counts.known} known, ${counts.failed} failed; ${seconds(began)}`,
)
process.exitCode = counts.failed > 0 ? 1 : 0

/** Builds and serves the app one time, for all its browsers. */
async function run(check: BundledCheck | HostedCheck | DevCheck): Promise<void> {
  const browsers = 'browsers' in check ? check.browsers : undefined
  const left = new Set(browsers ?? (['chromium'] as const))
  const inEach = async (use: Parameters<Drive>[0]) => {
    for (const name of [...left]) {
      const start = Date.now()
      let failure: unknown
      try {
        await inContext(await browserOf(name), name, use)
      } catch (error) {
        failure = error
      }
      left.delete(name)
      report(check, name, start, failure)
    }
  }
  const start = Date.now()
  try {
    if ('hosting' in check) await inEach((browser) => driveHosting(browser, check.hosting))
    else if ('mistake' in check) await inEach((browser) => inDevelopment(browser, check))
    else await withApp(check, (url) => inEach((browser) => driveApp(browser, url, check)))
  } catch (error) {
    for (const name of left) report(check, name, start, error)
  }
}

async function withApp(check: BundledCheck, use: (url: string) => Promise<void>): Promise<void> {
  const directory = prepare(check.fixture, tarball)
  const build = async (origin: string) => {
    const { build } = check
    if (build) await runTool(directory, typeof build === 'function' ? build(origin) : build)
  }
  if ('server' in check.serve) {
    await build('')
    const server = await startServer(directory, check.serve.server, check.serve.env)
    return use(server.url).finally(server.close)
  }
  const page = join(directory, 'public/index.html')
  const site = await serve({
    directories: { '/': join(directory, check.serve.directory) },
    files: existsSync(page) ? { '/': readFileSync(page, 'utf8') } : {},
    ...(check.headers && { headers: check.headers }),
  })
  try {
    await build(site.otherOrigin)
    await use(`${site.origin}/`)
  } finally {
    await site.close()
  }
}

/** With a gateway of its own, which the plugin finds as it finds the user's: by a variable. */
async function inDevelopment({ context }: TestBrowser, check: DevCheck): Promise<void> {
  const { fixture, mistake, calls, page: name, place, server: command } = check
  const directory = prepare(fixture, tarball)
  const XDG_STATE_HOME = mkdtempSync(join(tmpdir(), 'pagemcp-dev-'))
  const gateway = await startGateway({ command: 'serve', state: join(XDG_STATE_HOME, 'pagemcp') })
  if (calls !== undefined) {
    const file = join(directory, calls)
    const address = `gateway: '${pageUrl(gateway)}', name:` // it is not on the port of pages' default
    writeFileSync(file, readFileSync(file, 'utf8').replace('name:', address))
  }
  try {
    const server = await startServer(directory, command, () => ({ XDG_STATE_HOME }))
    try {
      const { ms } = await driveDev({
        gateway,
        name,
        async open() {
          const page = await context.newPage()
          await page.goto(calls ? pairingLink(gateway, server.url) : server.url)
          await page.waitForFunction(calls ? hydrated : 'true')
          return page
        },
        source: join(directory, mistake),
        place,
        quiet: 3_000,
      })
      console.log(`        the line of pagemcp watch came ${ms} ms after the error`)
    } finally {
      await server.close()
    }
  } finally {
    await gateway.close()
    rmSync(XDG_STATE_HOME, { recursive: true })
  }
}

function browserOf(name: BrowserName): ReturnType<typeof launch> {
  const browser = browsers.get(name) ?? launch(name)
  browsers.set(name, browser)
  return browser
}

function report(
  check: BundledCheck | HostedCheck | DevCheck,
  browser: BrowserName,
  start: number,
  failure: unknown,
): void {
  const known = 'known' in check ? check.known : undefined
  const line = `${check.name} (${browser}) ${seconds(start)}`
  if (failure === undefined && known === undefined) {
    counts.ok++
    console.log(`ok      ${line}`)
  } else if (failure !== undefined && known !== undefined) {
    counts.known++
    console.log(`known   ${line}: ${known}`)
  } else {
    counts.failed++
    const text = failure instanceof Error ? failure.stack : 'it passes, but is listed as known'
    console.log(`FAILED  ${line}\n${`${text}`.replaceAll(/^/gm, '        ')}`)
  }
}

function seconds(start: number): string {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`
}
