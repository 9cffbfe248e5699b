/** Runs the tools of an app: commands that end, and servers. */

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { freePort } from '../harness/ports.ts'
import { environment } from './workspace.ts'

/** A program of `node_modules/.bin`, or `node`, and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

const buildTimeout = 300_000 // ms
/** How long a server may take until it prints its address, and how long until its first answer. */
const serverTimeout = 120_000 // ms
/** How long a server may take to end before it is killed. */
const endTimeout = 5_000 // ms
/** How much output an error shows, UTF-16 code units. */
const shown = 4_000

/** Runs a command until it ends. @throws with its output, unless it ends with 0 */
export async function runTool(cwd: string, command: Command): Promise<void> {
  const tool = startTool(cwd, command)
  const timer = setTimeout(() => tool.end(`did not end in ${buildTimeout} ms`), buildTimeout)
  try {
    const code = await tool.ended
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}\n${tool.output()}`)
  } finally {
    clearTimeout(timer)
  }
}

export interface Server {
  /** With a slash at its end. */
  url: string
  close(): Promise<void>
}

/** Starts a server and waits for its first page. Its command gets the port, a free one unless it is given. */
export async function startServer(
  cwd: string,
  command: (port: string) => Command,
  env: (port: string) => NodeJS.ProcessEnv = () => ({}),
  port?: string,
): Promise<Server> {
  port ??= String(await freePort())
  const line = command(port)
  const tool = startTool(cwd, line, env(port))
  const url = `http://localhost:${port}/`
  const close = async () => {
    tool.end()
    await tool.ended
  }
  const timer = setTimeout(
    () => tool.end(`did not print its port in ${serverTimeout} ms`),
    serverTimeout,
  )
  try {
    await Promise.race([
      tool.printed(`:${port}`),
      tool.ended.then((code) => {
        throw new Error(`${line.join(' ')} ended with ${code}\n${tool.output()}`)
      }),
    ])
    await firstPage(url).catch((error: Error) => {
      throw new Error(`${line.join(' ')}: ${error.message}\n${tool.output()}`)
    })
  } catch (error) {
    await close()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return { url, close }
}

/**
 * Some servers compile a page at its first request, which takes longer than browsers' tests wait. Parcel prints its
 * address before it answers: what fails without a response is tried again, until the time is over.
 */
async function firstPage(url: string): Promise<void> {
  const signal = AbortSignal.timeout(serverTimeout)
  for (;;) {
    const response = await fetch(url, { signal }).catch(async (error: Error) => {
      if (signal.aborted) throw error
      await pause(50, undefined, { signal }) // ms
    })
    if (response === undefined) continue
    const text = await response.text()
    if (!response.ok)
      throw new Error(`status ${response.status} of ${url}: ${text.slice(0, shown)}`)
    return
  }
}

interface Tool {
  /** Resolves with the exit code, or with the reason of the end. */
  ended: Promise<number | string>
  /** Resolves when the output has this text. */
  printed(text: string): Promise<void>
  /** The end of the output. */
  output(): string
  end(reason?: string): void
}

function startTool(cwd: string, [program, ...args]: Command, env: NodeJS.ProcessEnv = {}): Tool {
  const path = program === 'node' ? process.execPath : join(cwd, 'node_modules/.bin', program)
  const child = spawn(path, args, {
    cwd,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own: tools start further processes
  })
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + stripVTControlCharacters(text)).slice(-10 * shown)
      for (const look of waiting) look()
    })
  }
  let why: string | undefined
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(why ?? code ?? signal ?? 'unknown'))
  })
  return {
    ended,
    output: () => output.slice(-shown),
    printed: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!output.includes(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    end(reason) {
      why ??= reason
      signalGroup(child, 'SIGTERM')
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), endTimeout)
      child.once('close', () => clearTimeout(timer))
    },
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has ended
  }
}
