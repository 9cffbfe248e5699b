/** Runs the built program for tests: `pagemcp dev` on free ports, with a state directory that goes away with it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before } from 'node:test'
import type { Command } from '../clients/stories.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** The program that `make` builds. */
export const program = join(root, 'bin', 'pagemcp')

/** How long the first build may take, with nothing in Go's cache. */
const startTimeout = 120_000 // ms

/** How long all may take that stands in {@link useGateway}. */
const beforeTimeout = 300_000 // ms

/** How long an answer may take. */
const callTimeout = 20_000 // ms

/** What `--json` prints. */
export interface Addresses {
  mcp: string
  web: string
  start: string
  tokenFile: string
  pages: { [name: string]: string }
  /** Of `serve`: what follows `#` in the link that invites a page of a listed origin. */
  pairing?: string
}

export interface Gateway extends Addresses {
  token: string
  /** Its state directory. */
  state: string
  /** Its process. */
  pid: number
  /** Starts an assistant's side that attaches to this gateway. */
  stdio: Command
  /** New links: each is good once, for two minutes. */
  fresh(): Promise<Addresses>
  /** What it has said on standard error. */
  log(): string
  /** Ends it like a crash. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** The address that pages dial. */
export function pageUrl({ mcp }: Addresses): string {
  return mcp.replace(/^http/, 'ws').replace(/\/mcp$/, '/page')
}

/** Starts `pagemcp dev`, or `serve`, the gateway alone; `state` is kept if it is given. */
export async function startGateway({
  args = [] as string[],
  state = '',
  command = 'dev' as 'dev' | 'serve',
} = {}): Promise<Gateway> {
  if (!existsSync(program)) throw new Error(`${program} is missing: run make build, or make binary`)
  const directory = state || (await mkdtemp(join(tmpdir(), 'pagemcp-')))
  const given = new Set(args.map((arg) => arg.split('=')[0]))
  const all = command === 'dev' ? ['--mcp', '--web'] : ['--mcp']
  const ports = all.filter((name) => !given.has(name))
  const child = spawn(
    program,
    [
      command,
      '--json',
      '--state',
      directory,
      ...ports.map((name) => `${name}=127.0.0.1:0`),
      ...args,
    ],
    { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const timer = setTimeout(() => child.kill('SIGKILL'), startTimeout)
    const line = await lines.next()
    clearTimeout(timer)
    if (line.done) throw new Error(`pagemcp ${command} has ended: ${log}`)
    return JSON.parse(line.value) as Addresses
  }
  const addresses = await next()
  return {
    ...addresses,
    token: (await readFile(addresses.tokenFile, 'utf8')).trim(),
    state: directory,
    pid: child.pid ?? 0,
    stdio: { command: program, args: ['stdio', '--state', directory, '--mcp', '127.0.0.1:0'] },
    log: () => log,
    fresh() {
      child.stdin.write('\n')
      return next()
    },
    kill: () => end(child, 'SIGKILL'),
    async close() {
      await end(child, 'SIGTERM')
      if (state === '') await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A gateway for the tests of a file: it starts before them, and ends after them. */
export function useGateway(args?: string[]): () => Gateway {
  let gateway: Gateway | undefined
  const start = async () => {
    gateway = await startGateway(args && { args })
  }
  before(start, { timeout: beforeTimeout })
  after(() => gateway?.close())
  return () => {
    if (gateway === undefined) throw new Error('there is no gateway before the tests')
    return gateway
  }
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/**
 * Asks as an assistant does: one request of the modern era.
 *
 * @param at - the name of a page: what is asked goes to its own endpoint; default: to all
 * @returns the answer, JSON text
 */
export async function post(
  { mcp, token }: Gateway,
  method: string,
  params: { uri?: string; ref?: { uri: string } } = {},
  at = '',
): Promise<string> {
  const name = params.uri ?? params.ref?.uri
  const response = await fetch(at === '' ? mcp : `${mcp}/${at}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modern } }),
    signal: AbortSignal.timeout(callTimeout),
  })
  return response.text()
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000) // ms
  await gone
  clearTimeout(timer)
}
