/** MCP Inspector under a burst of notifications, with its list of messages open, as it is after connecting. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { observe } from './playground-ours.ts'

const launcher = join(
  import.meta.dirname,
  '../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)

/** The timeout until the burst is shown: 100 notifications took 15 s on an idle machine. */
const showTimeout = 240_000 // ms

/** A free port. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Starts it with our server, in a home of its own, and returns the address that it prints. */
async function start(home: string, port: number, burstPort: number) {
  const server = join(import.meta.dirname, 'burst-server.ts')
  const child = spawn(
    process.execPath,
    [launcher, '--web', '-e', `BURST_PORT=${burstPort}`, process.execPath, server],
    {
      env: {
        ...process.env,
        HOME: home,
        CLIENT_PORT: String(port),
        MCP_AUTO_OPEN_ENABLED: 'false',
      },
      detached: true, // its server is a child of its own: both end as one group
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => reject(new Error(`Inspector did not start: ${output}`)), 60_000)
    const onOutput = (data: Buffer) => {
      output += data
      const found = /http:\/\/127\.0\.0\.1:\d+\/?\?MCP_INSPECTOR_API_TOKEN=\w+/.exec(output)
      if (!found) return
      clearTimeout(timer)
      resolve(found[0])
    }
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
  }).catch((error) => {
    stop(child)
    throw error
  })
  return { child, url }
}

function stop(child: ChildProcess) {
  try {
    if (child.pid) process.kill(-child.pid)
  } catch {
    // it has ended
  }
}

/**
 * A burst at full speed, with the Protocol tab open.
 *
 * @returns ms that tasks over 50 ms took, and until the last notification was shown
 */
export async function inspectorBurst(
  launched: Browser,
  count: number,
): Promise<{ blocked: number; longest: number; shown: number }> {
  const home = mkdtempSync(join(tmpdir(), 'pagemcp-inspector-'))
  const burstPort = await freePort()
  // It does not answer while its main thread is blocked.
  const browser = await puppeteer.connect({
    browserWSEndpoint: launched.wsEndpoint(),
    protocolTimeout: showTimeout,
  })
  const { child, url } = await start(home, await freePort(), burstPort)
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(showTimeout)
    await page.setViewport({ width: 1400, height: 900 })
    await page.goto(url)
    await connect(page)
    await page.waitForSelector('[aria-label=Pin]')
    const before = await page.evaluate(settled)
    await page.evaluate(observe)
    const begin = performance.now()
    await fetch(`http://127.0.0.1:${burstPort}/?count=${count}`)
    await page.waitForFunction(
      (most) => document.querySelectorAll('[aria-label=Pin]').length >= most,
      { polling: 200 },
      before + count,
    )
    const shown = performance.now() - begin
    const tasks = await page.evaluate(() => observed.tasks)
    const blocked = tasks.reduce((sum, task) => sum + task, 0)
    return { blocked, longest: Math.max(0, ...tasks), shown }
  } finally {
    await browser.disconnect()
    stop(child)
    rmSync(home, { recursive: true, force: true })
  }
}

/** Connects to the server. Clicks before the page is ready have no effect, so it may take several. */
async function connect(page: Page): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const toggle = await page.waitForSelector('input[role=switch]')
    await toggle?.evaluate((input) => (input as HTMLInputElement).click())
    const connected = await page
      .waitForSelector('label[for$=Protocol][data-active]', { timeout: 20_000 })
      .catch(() => undefined)
    if (connected) return
  }
  throw new Error('Inspector did not connect to the server')
}

/** Runs in the page: the number of listed messages, after a second without a change. */
async function settled(): Promise<number> {
  let count = -1
  for (let same = 0; same < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const now = document.querySelectorAll('[aria-label=Pin]').length
    same = now === count ? same + 1 : 0
    count = now
  }
  return count
}
