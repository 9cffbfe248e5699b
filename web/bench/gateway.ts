/**
 * The mode gateway: a page in Chromium behind `pagemcp serve`, and the same texts served by go-sdk in a process of
 * its own. One load generator, in Go, reads from both by Streamable HTTP. null is the least that a gateway can do: a
 * relay of whole bodies to a page with prepared answers. No debugger is attached to the browser while it is measured.
 * One more page is frozen, as the browser does with tabs in the background: the gateway answers from what it has.
 */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser } from 'puppeteer-core'
import { pageUrl, startGateway } from '../test/e2e/gateway.ts'
import { close, launch } from '../test/harness/launch.ts'
import { quiet } from './race.ts'
import type { Rounds, Section } from './report.ts'

const interop = join(import.meta.dirname, '../../server/interop')

export interface GatewayOptions {
  rounds: number | undefined
  /** Which rows; default: all. */
  rows: RegExp | undefined
}

const usualRounds = 13
const millis = 400 // of one subject in one round
const clients = [1, 16, 64]

/** What the load generator reads from; server/interop/bench has its fields. */
interface LoadSubject {
  name: string
  url: string
  token?: string
  prefix?: string
  odd?: boolean
  modern?: boolean
  /** Reads only records below this one. */
  below?: number
}

/** What `bench twin` prints. */
type TwinUrls = { [name in 'stream' | 'json' | 'modern' | 'null' | 'page']: string }

/** Records that the gateway has before it is measured: a page hands it at most 4,096 values. */
const mirroredRecords = 1_000

/**
 * @param origin - of a server with the built files
 * @param scratch - a directory for the load generator's program
 */
export async function measureGateway(
  origin: string,
  scratch: string,
  { rounds = usualRounds, rows }: GatewayOptions,
): Promise<Section> {
  const program = join(scratch, 'load')
  execFileSync('go', ['build', '-o', program, './bench'], { cwd: interop, stdio: 'inherit' })
  const args = ['--allow-origin', origin, '--reads-per-second', '1000000']
  const gateway = await startGateway({ command: 'serve', args })
  const browser = await launch('chromium', quiet)
  const twin = spawn(program, ['twin'], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const address = `${origin}/bench/gateway-page.html?gateway=${encodeURIComponent(pageUrl(gateway))}`
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${address}#${gateway.pairing?.replace(/^#/, '')}`)
    const name = await page.evaluate(() => window.joined)
    const sleeper = await browser.newPage()
    await sleeper.goto(address) // it is paired
    const sleepersName = await sleeper.evaluate(() => window.joined)
    const [line] = (await once(createInterface({ input: twin.stdout }), 'line')) as [string]
    const urls = JSON.parse(line) as TwinUrls
    const nullPage = await browser.newPage()
    await nullPage.goto(`${origin}/bench/gateway-null.html?relay=${encodeURIComponent(urls.page)}`)
    await nullPage.evaluate(() => window.joined)
    const version = await browser.version()
    const shared = { url: gateway.mcp, token: gateway.token }
    const sleeping = {
      name: 'sleeping',
      ...shared,
      prefix: `${sleepersName}+`,
      below: mirroredRecords,
    }
    // The generator reads every record once before it measures: the gateway has them then.
    await load(
      program,
      JSON.stringify({ subjects: [sleeping], clients: [1], rounds: 0, millis: 1 }),
    )
    const session = await sleeper.createCDPSession()
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await session.detach()
    // An attached debugger gets every frame of a WebSocket, which costs as much as the frame.
    await browser.disconnect()
    const ours = { ...shared, prefix: `${name}+` }
    const subjects: LoadSubject[] = [
      { name: 'mirrored', ...ours, below: mirroredRecords },
      { name: 'mirrored-2026', ...ours, below: mirroredRecords, modern: true },
      { name: 'published', ...ours }, // any of all records, many for the first time: the page answers
      { name: 'function', ...ours, odd: true },
      sleeping,
      { name: 'go-sdk', url: urls.stream },
      { name: 'go-sdk-2026', url: urls.modern, modern: true },
      { name: 'go-sdk-json', url: urls.json },
      { name: 'null', url: urls.null },
    ]
    const wanted = clients.filter((count) => rows === undefined || rows.test(rowName(count)))
    const plan = JSON.stringify({ subjects, clients: wanted, rounds, millis })
    const measured = await load(program, plan)
    return { name: 'gateway chromium', unit: '/s', browser: version, isRace: true, rows: measured }
  } finally {
    twin.stdin.end()
    await end(browser)
    await gateway.close()
  }
}

/** Ends a browser, whether or not it is connected. */
async function end(browser: Browser): Promise<void> {
  if (browser.connected) return close(browser)
  const process = browser.process()
  if (process === null || process.exitCode !== null) return
  process.kill('SIGTERM')
  await once(process, 'exit')
}

const rowName = (count: number) => `read 1 KB, ${count} clients`

async function load(program: string, plan: string): Promise<Rounds[]> {
  const child = spawn(program, ['load'], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(plan)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const [status] = (await once(child, 'close')) as [number]
  if (status !== 0) throw new Error(`the load generator ended with status ${status}`)
  return JSON.parse(text) as Rounds[]
}
