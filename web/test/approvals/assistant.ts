/** `pagemcp stdio` with a channel that takes permission prompts, and what stands for its client and the user's browser. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { program } from '../e2e/gateway.ts'

/** How long a message or a link may take, ms. */
const limit = 30_000

export interface Prompt {
  request_id: string
  tool_name: string
  description: string
  input_preview: string
}

export interface Assistant {
  /** Sends a permission prompt. */
  ask(prompt: Prompt): void
  /** The next message that it gets. */
  next(what: string): Promise<unknown>
  /** The next link that the user's browser gets. */
  link(): Promise<string>
  /** Fails if it got a message that `next` has not returned. */
  nothingCame(): Promise<void>
  log(): string
  close(): Promise<void>
}

/** What comes, one after the other. */
function queue<T>() {
  const values: T[] = []
  const waiting: ((value: T) => void)[] = []
  return {
    push(value: T) {
      const wake = waiting.shift()
      if (wake) wake(value)
      else values.push(value)
    },
    next(what: string): Promise<T> {
      if (values.length > 0) return Promise.resolve(values.shift() as T)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`waited ${limit} ms for ${what}`)), limit)
        waiting.push((value) => {
          clearTimeout(timer)
          resolve(value)
        })
      })
    },
  }
}

/** Starts the program, with the handshake done. Its browser is a script that reports the link. */
export async function startAssistant(): Promise<Assistant> {
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const links = queue<string>()
  const opener = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      links.push(text)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(opener, 'listening')
  const { port } = opener.address() as AddressInfo
  const report = `fetch("http://127.0.0.1:${port}",{method:"POST",body:process.argv[1]})`
  const script = join(directory, 'xdg-open')
  await writeFile(script, `#!/bin/sh\nexec '${process.execPath}' -e '${report}' "$1"\n`)
  await chmod(script, 0o755)
  const child: ChildProcess = spawn(
    program,
    [
      'stdio',
      '--channel',
      '--channel-approvals',
      '--as',
      'claude',
      '--state',
      join(directory, 'state'),
    ].concat('--mcp', '127.0.0.1:0'),
    { env: { ...process.env, PATH: `${directory}:${process.env.PATH}` }, stdio: 'pipe' },
  )
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the program has no streams')
  let log = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const lines = queue<unknown>()
  createInterface({ input: stdout }).on('line', (line) => lines.push(JSON.parse(line)))
  const send = (message: object) =>
    void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  send({
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  })
  await lines.next('the response to initialize')
  send({ method: 'notifications/initialized' })
  return {
    ask: (params) => send({ method: 'notifications/claude/channel/permission_request', params }),
    next: (what) => lines.next(what),
    link: () => links.next('a link'),
    async nothingCame() {
      send({ id: 1, method: 'ping' })
      const got = JSON.stringify(await lines.next('the response to ping'))
      if (got !== '{"jsonrpc":"2.0","id":1,"result":{}}') throw new Error(`it got ${got}`)
    },
    log: () => log,
    async close() {
      const exits = once(child, 'exit')
      stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), limit)
      await exits
      clearTimeout(timer)
      opener.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
