/**
 * A page that was paired once joins by itself on the next mornings, whichever command is the gateway then and in whatever
 * order they start; after a month without use it says what to do, and joins when that is done elsewhere.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { freePort } from '../harness/ports.ts'
import { type Served, serve } from '../harness/serve.ts'
import { program } from './gateway.ts'

const callTimeout = 30_000 // ms, for one answer on standard output

/** An app of another server. It shows its connection in the attributes of the body. */
const html = (
  port: number,
) => `<!doctype html><title>host</title><link rel="icon" href="data:,"><body>
<script type="module">
  import { start, webSocket } from '/pagemcp/index.js'
  const mcp = await start({ name: 'host' })
  mcp.resource({ uri: 'host://greeting', name: 'greeting' }, () => 'hello from the page')
  mcp.on('state', ({ gateways }) => {
    const { is, error = '' } = gateways.at(-1) ?? {}
    Object.assign(document.body.dataset, { is, error })
  })
  mcp.connect(webSocket('ws://127.0.0.1:${port}/page')).joined.catch(({ reason }) => {
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

type Command = 'stdio' | 'serve' | 'dev' | 'service'

const commands: { readonly [name in Command]: readonly string[] } = {
  stdio: ['stdio'],
  serve: ['serve', '--json'],
  service: ['serve', '--json', '--wait'],
  dev: ['dev', '--json', '--web=127.0.0.1:0'],
}

/** The processes of one state directory, by the names of their commands. */
class Machine {
  readonly state: string
  readonly running = new Map<Command, { child: ChildProcess; lines: AsyncIterator<string> }>()
  private lastId = 0

  constructor(state: string) {
    this.state = state
  }

  /** Starts a command; resolves when it serves, but for a service, which may wait. */
  async start(name: Command, ...flags: string[]): Promise<{ pairing?: string }> {
    const files =
      name === 'dev' ? ['--files', process.env.PAGEMCP_BUILT ?? (await built()).directory] : []
    const child = spawn(
      program,
      [...commands[name], `--state=${this.state}`, `--mcp=127.0.0.1:${port}`, ...files, ...flags],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    )
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    this.running.set(name, { child, lines })
    if (name === 'service') return {}
    if (name === 'stdio') {
      await this.ask('server/discover')
      return {}
    }
    return JSON.parse(await next(lines, () => `pagemcp ${name}: ${log}`))
  }

  /** One request of the assistant that runs `stdio`. */
  async ask(method: string, params: object = {}): Promise<string> {
    const { child, lines } = this.running.get('stdio') ?? assert.fail('no stdio runs')
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const request = { jsonrpc: '2.0', id: ++this.lastId, method, params: { ...params, _meta } }
    child.stdin?.write(`${JSON.stringify(request)}\n`)
    return next(lines, () => method)
  }

  signal(name: Command, signal: NodeJS.Signals): void {
    this.running.get(name)?.child.kill(signal)
  }

  async end(name: Command, signal: NodeJS.Signals): Promise<void> {
    const { child } = this.running.get(name) ?? assert.fail(`no ${name} runs`)
    this.running.delete(name)
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  async endAll(): Promise<void> {
    for (const name of [...this.running.keys()]) await this.end(name, 'SIGKILL')
  }

  /** Lets time pass for the keys while nothing runs. */
  async age(days: number): Promise<void> {
    const file = join(this.state, 'keys.json')
    const keys = JSON.parse(await readFile(file, 'utf8')) as { used: string }[]
    assert.ok(keys.length > 0, 'no key is stored')
    for (const key of keys) {
      key.used = new Date(Date.parse(key.used) - days * 86_400_000).toISOString()
    }
    await writeFile(file, JSON.stringify(keys))
  }
}

async function next(lines: AsyncIterator<string>, what: () => string): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`nothing in ${callTimeout} ms: ${what()}`)),
      callTimeout,
    )
  })
  try {
    const { value, done } = await Promise.race([lines.next(), late])
    assert.ok(!done, `it ended: ${what()}`)
    return value
  } finally {
    clearTimeout(timer)
  }
}

async function onMachine(run: (machine: Machine) => Promise<void>): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const machine = new Machine(state)
  try {
    await run(machine)
  } finally {
    await machine.endAll()
    await rm(state, { recursive: true, force: true })
  }
}

const awaitState = (page: Page, is: string) => page.waitForSelector(`body[data-is="${is}"]`)
const awaitJoined = (page: Page) => awaitState(page, 'joined')

/** Pairs a new page at `serve`, and ends all. */
async function pair(machine: Machine, { open }: TestBrowser): Promise<Page> {
  const { pairing } = await machine.start('serve', `--allow-origin=${app.origin}`)
  const page = await open(`${app.origin}/${pairing}`)
  await awaitJoined(page)
  await machine.end('serve', 'SIGKILL')
  return page
}

/** `-name` is `kill -9`, `.name` is Ctrl-C. */
type Step = Command | `-${Command}` | `.${Command}`

const mornings: { days: number; steps: Step[] }[] = [
  { days: 20 / 24, steps: ['stdio'] },
  { days: 20 / 24, steps: ['stdio', 'serve', '-serve', 'serve'] },
  { days: 20 / 24, steps: ['serve', 'stdio', '.serve', 'dev'] },
  { days: 29, steps: ['stdio', 'dev', '-dev', 'dev', '.dev'] },
  { days: 29, steps: ['service', 'stdio', 'dev', '.dev'] },
  { days: 29, steps: ['stdio', 'service', 'serve', '-serve'] },
]
for (const { days, steps } of mornings) {
  const title = `after ${days < 1 ? '20 hours' : `${days} days`} a page joins: ${steps.join(', ')}`
  inBrowsers(title, (browser) =>
    onMachine(async (machine) => {
      const page = await pair(machine, browser)
      await machine.age(days)
      for (const step of steps) {
        const name = step.replace(/^[-.]/, '') as Command
        if (step === name) await machine.start(name)
        else await machine.end(name, step.startsWith('-') ? 'SIGKILL' : 'SIGINT')
        if (!machine.running.has('stdio')) continue
        await page.reload()
        const answer = await machine.ask('resources/read', { uri: 'host+host://greeting' })
        assert.match(answer, /hello from the page/, `after ${step}`)
      }
    }),
  )
}

inBrowsers(
  'after a month a page says what to do, and joins when it is done in another tab',
  (browser) =>
    onMachine(async (machine) => {
      const page = await pair(machine, browser)
      await machine.age(31)
      const { pairing } = await machine.start('serve', `--allow-origin=${app.origin}`)
      await page.reload()
      await page.waitForSelector('body[data-is="refused"][data-reason="refused"]')
      const told = await page.$eval('body', ({ dataset }) => dataset.error)
      assert.match(told ?? '', new RegExp(`: run pagemcp pair ${app.origin}, and open the link`))
      const second = await browser.open(`${app.origin}/${pairing}`)
      await second.waitForSelector('pagemcp-confirm') // the key may be that of another program's gateway
      const shown = await second.evaluate('performance.now()')
      await second.waitForFunction(`performance.now() > ${shown} + 600`) // it takes clicks then
      await second.keyboard.press('Tab')
      await second.keyboard.press('Enter')
      await awaitJoined(second)
      await page.evaluate(() => dispatchEvent(new Event('online')))
      await awaitJoined(page)
    }),
)

inBrowsers(
  'a page that is reloaded before it has joined has its invitation; two tabs may use one link',
  (browser) =>
    onMachine(async (machine) => {
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
