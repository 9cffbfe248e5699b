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
import { closeTabs } from '../harness/browsers.ts'
import { freePort } from '../harness/ports.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** The program that `make` builds. */
export const program = join(root, 'bin', 'pagemcp')

/** How long the first build may take, with nothing in Go's cache. */
const startTimeout = 120_000 // ms

/** How long all may take that stands in {@link useGateway}. */
const beforeTimeout = 300_000 // ms

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
  /** Ends it like a crash, with the tabs open. */
  kill(): Promise<void>
  /** Starts it again after {@link Gateway.kill}, with its state, and on its ports if it was started with `restarts`. */
  again(...more: string[]): Promise<Gateway>
  /** Closes the tabs of the tests that run, and ends it. */
  close(): Promise<void>
}

/** The address that pages dial. */
export function pageUrl({ mcp }: Addresses): string {
  return mcp.replace(/^http/, 'ws').replace(/\/mcp$/, '/page')
}

/** How to start another program than the one that `make` builds. */
export interface Program extends Command {
  /** Working directory. */
  cwd: string
  /** The whole environment. */
  env: NodeJS.ProcessEnv
  /** Whether signals are for all processes that it starts: `npx` does not pass them on. */
  group?: boolean
}

/**
 * Starts `pagemcp dev`, or `serve`, the gateway alone; `state` is kept if it is given. What dev serves is built once for
 * all tests if `PAGEMCP_BUILT` names where it is, and otherwise, or with `sources` or another program, by each dev.
 *
 * @param of.restarts - whether it ends and starts again on its ports
 */
export async function startGateway({
  args = [] as string[],
  state = '',
  isTemporary = undefined as boolean | undefined, // whether the state goes away with it
  command = 'dev' as 'dev' | 'serve',
  restarts = false,
  sources = false,
  by = { command: program, args: [], cwd: root, env: process.env } as Program,
} = {}): Promise<Gateway> {
  if (!existsSync(by.command)) {
    throw new Error(`${by.command} is missing: run make build, or make binary`)
  }
  if (restarts) args = [...(await ownPorts(command)), ...args]
  const removesState = isTemporary ?? state === ''
  const directory = state || (await mkdtemp(join(tmpdir(), 'pagemcp-')))
  const given = new Set(args.map((arg) => arg.split('=')[0]))
  const all = command === 'dev' ? ['--mcp', '--web'] : ['--mcp']
  const ports = all.filter((name) => !given.has(name))
  const ready = process.env.PAGEMCP_BUILT
  const prebuilt =
    command === 'dev' &&
    by.command === program &&
    !sources &&
    !given.has('--files') &&
    ready !== undefined
  const files = prebuilt ? ['--files', ready] : []
  const child = spawn(
    by.command,
    [
      ...by.args,
      command,
      '--json',
      '--state',
      directory,
      ...ports.map((name) => `${name}=127.0.0.1:0`),
      ...files,
      ...args,
    ],
    { cwd: by.cwd, env: by.env, detached: by.group, stdio: ['pipe', 'pipe', 'pipe'] },
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
    stdio: {
      command: by.command,
      args: [...by.args, 'stdio', '--state', directory, '--mcp', '127.0.0.1:0', '--until-idle=2s'],
      ...(by.command !== program && { cwd: by.cwd, env: by.env }),
    },
    log: () => log,
    fresh() {
      child.stdin.write('\n')
      return next()
    },
    kill: () => end(child, 'SIGKILL', by.group),
    again: (...more) =>
      startGateway({
        args: [...args, ...more],
        state: directory,
        isTemporary: removesState,
        command,
        sources,
        by,
      }),
    async close() {
      await closeTabs()
      await end(child, 'SIGTERM', by.group)
      if (removesState) await rm(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Arguments that name ports, for a gateway that ends and starts again on the same: nobody takes them meanwhile, as
 * happens to ports that the system has chosen.
 */
export async function ownPorts(command: 'dev' | 'serve' = 'dev'): Promise<string[]> {
  const mcp = await freePort()
  if (command === 'serve') return [`--mcp=127.0.0.1:${mcp}`]
  let web = mcp
  while (web === mcp) web = await freePort()
  return [`--mcp=127.0.0.1:${mcp}`, `--web=127.0.0.1:${web}`]
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

async function end(child: ChildProcess, signal: NodeJS.Signals, group = false): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const pid = group ? -child.pid : child.pid
  const gone = once(child, 'exit')
  process.kill(pid, signal)
  const timer = setTimeout(() => process.kill(pid, 'SIGKILL'), 5000) // ms
  await gone
  clearTimeout(timer)
}
