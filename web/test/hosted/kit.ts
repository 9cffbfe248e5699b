/** Runs nodes of the hosted gateway and a company around them, `pagemcpd` and its demo, with TLS and a certificate of their own. */

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as tls from 'node:tls'
import { promisify } from 'node:util'
import type { Page } from 'puppeteer-core'
import { inContext, type TestBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { type BrowserName, close, launch } from '../harness/launch.ts'
import { freePort } from '../harness/ports.ts'

const bin = join(import.meta.dirname, '..', '..', '..', 'bin')
const startTimeout = 20_000 // ms

// @types/node of Node 20 does not declare them; tests run in Node 24.
const { getCACertificates, setDefaultCACertificates } = tls as unknown as {
  getCACertificates(): string[]
  setDefaultCACertificates(certificates: string[]): void
}

/** What tests change in the demo; see server/hosted/demo/control.go. */
export interface Change {
  tokens?: 'fail' | 'work'
  lifetime?: number
}

export interface Hosted {
  /** The endpoint of assistants: `https://127.0.0.1:PORT/mcp`. */
  readonly mcp: string
  /** The app. */
  readonly app: string
  /** Changes the demo; returns how many requests for authorization and for access tokens it had. */
  control(change?: Change): Promise<{ authorize: number; token: number }>
  /** Signs in, and returns the header `cookie`. */
  cookie(user: string): Promise<string>
  /** Ends all nodes like a crash, and starts them again. */
  restart(between?: () => Promise<void>): Promise<void>
  /** Runs with a browser that accepts the certificate. */
  inBrowser(name: BrowserName, run: (browser: TestBrowser) => Promise<void>): Promise<void>
  /** The file of the certificate, for other programs. */
  readonly certificate: string
  /** The log of the nodes. */
  log(): string
  close(): Promise<void>
}

interface Options {
  /** Members of the node's configuration besides the usual ones, by key. */
  config?: { assistants?: object; limits?: object; sampling?: boolean }
  /** A directory with the app's page, instead of that of the demo. */
  app?: string
  /** How many nodes serve, connected by a NATS server of their own; default: one without NATS. */
  nodes?: number
}

/** Starts both. The process of the test accepts the certificate from then on. */
export async function startHosted({
  config = {},
  app = '',
  nodes = 1,
}: Options = {}): Promise<Hosted> {
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-hosted-'))
  const children = new Set<ChildProcess>()
  const closers: (() => void)[] = []
  const { directory: files, remove } = await built()
  const stop = async () => {
    for (const close of closers) close()
    for (const child of children) await kill(child)
    await rm(directory, { recursive: true, force: true })
    await remove()
  }
  try {
    execFileSync(join(bin, 'pagemcpd-demo'), ['--make-certificate', directory])
    const certificate = await readFile(join(directory, 'tls.crt'), 'utf8')
    setDefaultCACertificates([...getCACertificates(), certificate])
    const targets: number[] = []
    const balancer = await startBalancer(targets)
    closers.push(balancer.close)
    const host = `127.0.0.1:${balancer.port}`
    const url = `https://${host}`
    const demo = spawn(
      join(bin, 'pagemcpd-demo'),
      [
        ...['--listen', '127.0.0.1:0', '--control', '--gateway', url],
        ...['--package', join(files, 'pagemcp'), ...(app ? ['--app', app] : [])],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    children.add(demo)
    const at = JSON.parse(await line(demo, 'stdout', '')) as Record<
      'url' | 'keys' | 'issuer',
      string
    >
    const settings = {
      publicURL: url,
      listen: '127.0.0.1:0',
      tls: { cert: 'tls.crt', key: 'tls.key' },
      admin: { listen: '127.0.0.1:0' },
      assistants: { issuer: at.issuer, ...config.assistants },
      pages: {
        origins: [at.url],
        sampling: config.sampling ? [at.url] : [],
        tokens: { issuer: at.url, jwks: at.keys },
      },
      keys: 'pagemcp.keys',
      limits: { pages: 100, streams: 100, ...config.limits },
      ...(nodes > 1 && {
        cluster: {
          name: 'test',
          internal: { listen: '127.0.0.1:0' },
          nats: { urls: [await startNats(directory, children)] },
        },
      }),
    }
    await writeFile(join(directory, 'pagemcpd.yaml'), JSON.stringify(settings)) // JSON is YAML
    const keys = execFileSync(join(bin, 'pagemcpd'), ['keygen'])
    await writeFile(join(directory, 'pagemcp.keys'), keys, { mode: 0o600 })

    let log = ''
    const startNode = async () => {
      const child = spawn(join(bin, 'pagemcpd'), ['--config', join(directory, 'pagemcpd.yaml')], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      children.add(child)
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text
      })
      const at = JSON.parse(await line(child, 'stderr', '"msg":"serving"')) as {
        address: string
        admin: string
      }
      await ready(`http://${at.admin}/readyz`)
      targets.push(Number(new URL(`http://${at.address}`).port))
      return child
    }
    const startNodes = () => Promise.all(Array.from({ length: nodes }, startNode))
    let serving = await startNodes()
    const post = (path: string, body: string | URLSearchParams) =>
      fetch(at.url + path, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { origin: at.url },
      })
    return {
      mcp: `${url}/mcp`,
      app: at.url,
      async control(change = {}) {
        const response = await post('/control', JSON.stringify(change))
        return (await response.json()) as { authorize: number; token: number }
      },
      async cookie(user) {
        const response = await post('/login', new URLSearchParams({ user }))
        return response.headers.get('set-cookie')?.split(';')[0] ?? ''
      },
      async restart(between) {
        targets.length = 0
        for (const node of serving) {
          await kill(node)
          children.delete(node)
        }
        await between?.()
        serving = await startNodes()
      },
      async inBrowser(name, run) {
        const spki = new X509Certificate(certificate).publicKey.export({
          type: 'spki',
          format: 'der',
        })
        const hash = createHash('sha256').update(spki).digest('base64')
        const flags = name === 'chromium' ? [`--ignore-certificate-errors-spki-list=${hash}`] : []
        const browser = await launch(name, { flags, acceptInsecureCerts: name === 'firefox' })
        try {
          await inContext(browser, name, run)
        } finally {
          await close(browser)
        }
      },
      certificate: join(directory, 'tls.crt'),
      log: () => log,
      close: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Signs in as a person does, and waits until the page has joined. Returns its name at the gateway. */
export async function openPage(
  hosted: Hosted,
  { open }: TestBrowser,
  user: string,
): Promise<{ page: Page; name: string }> {
  const page = await open(`${hosted.app}/login`)
  await Promise.all([page.waitForNavigation(), page.click(`button[value="${user}"]`)])
  return { page, name: await joinedAs(page) }
}

/** Waits until the page has joined. */
export async function joinedAs(page: Page): Promise<string> {
  await page.waitForSelector('#state[data-is="joined"]')
  return page.$eval('#state', (element) => (element as HTMLElement).dataset.name ?? '')
}

/** Waits for a line of a child's output with a text in it. */
async function line(child: ChildProcess, from: 'stdout' | 'stderr', text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let seen = ''
  const lines = createInterface({ input: child[from] as NodeJS.ReadableStream })
  lines.on('line', (one) => {
    seen += `${one}\n`
    if (one.includes(text)) resolve(one)
  })
  const fail = (why: string) => reject(new Error(`${child.spawnfile} ${why}: ${seen}`))
  child.once('error', (error) => fail(`does not start, run make binary (${error.message})`))
  child.once('exit', () => fail('has ended'))
  const timer = setTimeout(() => fail(`did not print ${text} in time`), startTimeout)
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Starts a NATS server for all nodes, the release whose code tests in Go use, and returns its URL. Building it takes
 * seconds.
 */
async function startNats(directory: string, children: Set<ChildProcess>): Promise<string> {
  const program = join(directory, 'nats-server')
  const build = ['build', '-o', program, 'github.com/nats-io/nats-server/v2']
  await promisify(execFile)('go', build, {
    cwd: join(bin, '..', 'server', 'interop'),
    timeout: 300_000,
  })
  const port = await freePort()
  const options = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', join(directory, 'jetstream')]
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  children.add(child)
  await line(child, 'stderr', 'Server is ready')
  return `nats://127.0.0.1:${port}`
}

/** Passes connections on to the nodes, one after the other, as a balancer of TCP does. */
async function startBalancer(targets: readonly number[]): Promise<{ port: number; close(): void }> {
  let next = 0
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const target = targets[next++ % targets.length]
    if (target === undefined) return near.destroy()
    const far = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}) // close follows
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function ready(url: string): Promise<void> {
  for (const end = Date.now() + startTimeout; ; ) {
    const response = await fetch(url)
    if (response.ok) return
    if (Date.now() > end) throw new Error(`the node is not ready: ${await response.text()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
