/** One user's machine: the commands that run on it by turns, with one state directory and one port. */

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { envelope } from '../harness/client.ts'
import { program } from './gateway.ts'

const run = promisify(execFile)
const callTimeout = 30_000 // ms, for one line on standard output

type Command = 'stdio' | 'serve'

const commands: { readonly [name in Command]: readonly string[] } = {
  stdio: ['stdio', '--until-idle=2s'],
  serve: ['serve', '--json'],
}

interface Running {
  child: ChildProcess
  lines: AsyncIterator<string>
  /** What it has said on standard error. */
  log(): string
}

/** The processes of one state directory, by the names of their commands. */
export class Machine {
  readonly state: string
  readonly port: number
  readonly running = new Map<Command, Running>()
  private lastId = 0

  constructor(state: string, port: number) {
    this.state = state
    this.port = port
  }

  /** Starts a command; resolves when it serves. */
  async start(name: Command, ...flags: string[]): Promise<{ pairing?: string }> {
    const child = spawn(
      program,
      [...commands[name], `--state=${this.state}`, `--mcp=127.0.0.1:${this.port}`, ...flags],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    )
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    this.running.set(name, { child, lines, log: () => log })
    if (name === 'stdio') {
      await this.ask('server/discover')
      return {}
    }
    return JSON.parse(await next(lines, () => `pagemcp ${name}: ${log}`))
  }

  /** One request of the assistant that runs `stdio`. */
  async ask(method: string, params: object = {}): Promise<string> {
    const { child, lines } = this.running.get('stdio') ?? assert.fail('no stdio runs')
    const all = { ...params, _meta: envelope }
    const request = { jsonrpc: '2.0', id: ++this.lastId, method, params: all }
    child.stdin?.write(`${JSON.stringify(request)}\n`)
    return next(lines, () => method)
  }

  signal(name: Command, signal: NodeJS.Signals): void {
    this.running.get(name)?.child.kill(signal)
  }

  async end(name: Command, signal: NodeJS.Signals): Promise<void> {
    const { child, log } = this.running.get(name) ?? assert.fail(`no ${name} runs`)
    this.running.delete(name)
    const { exitCode } = child
    assert.equal(exitCode, null, `${name} has ended by itself, with ${exitCode}: ${log()}`)
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  /** @throws after all have ended, if one of them had done so by itself */
  async endAll(): Promise<void> {
    const names = [...this.running.keys()]
    const ended = await Promise.allSettled(names.map((name) => this.end(name, 'SIGKILL')))
    await this.endGateway()
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  /** Ends the gateway that `stdio` has started in the background, if there is one. */
  private async endGateway(): Promise<void> {
    const args = ['status', '--json', `--state=${this.state}`]
    const status = await run(program, args).catch(() => undefined)
    if (status) process.kill(JSON.parse(status.stdout).pid, 'SIGKILL')
  }

  /** The fragment of a further link, by `pagemcp pair`. */
  async link(origin: string): Promise<string> {
    const { stdout } = await run(program, ['pair', origin, `--state=${this.state}`])
    return /#pagemcp=\S+/.exec(stdout)?.[0] ?? assert.fail(`no link in ${stdout}`)
  }

  /** Lets time pass for the keys while nothing runs. */
  async age(days: number): Promise<void> {
    const file = join(this.state, 'keys.json')
    const stored = JSON.parse(await readFile(file, 'utf8')) as { keys: { used: string }[] }
    assert.ok(stored.keys.length > 0, 'no key is stored')
    for (const key of stored.keys) {
      key.used = new Date(Date.parse(key.used) - days * 86_400_000).toISOString()
    }
    await writeFile(file, JSON.stringify(stored))
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

/** Runs with a machine of its own. */
export async function onMachine(
  port: number,
  run: (machine: Machine) => Promise<void>,
): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const machine = new Machine(state, port)
  try {
    await run(machine)
  } finally {
    await machine.endAll()
    await rm(state, { recursive: true, force: true })
  }
}
