/** An app with a tool that runs as a task, which asks in the middle, at a gateway of its own; and a client of it. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'puppeteer-core'
import { askUntil } from '../e2e/again.ts'
import { type Gateway, program, startGateway } from '../e2e/gateway.ts'
import { built } from '../harness/build.ts'
import { post } from '../harness/client.ts'
import { freePort } from '../harness/ports.ts'
import { type Served, serve } from '../harness/serve.ts'

/** The page counts the runs of its tool in localStorage, and shows its connection in the attributes of the body. */
const html = (
  port: number,
) => `<!doctype html><title>work</title><link rel="icon" href="data:,"><body>
<script type="module">
  const { attachShadow } = Element.prototype
  Element.prototype.attachShadow = function (init) {
    return (globalThis.dialog = attachShadow.call(this, init)) // of the question to the user
  }
  const { elicit, start } = await import('/pagemcp/index.js')
  const mcp = await start({ name: 'work', access: new URLSearchParams(location.search).get('access') ?? 'open' })
  window.mcp = mcp
  globalThis.here = {} // of this document; a browser that is killed may lose localStorage
  const runs = (name) => {
    localStorage[name] = Number(localStorage[name] ?? 0) + 1
    here[name] = (here[name] ?? 0) + 1
  }
  const work = async (_, { ask, progress }) => {
    runs('runs')
    progress('took the first step')
    const { ok } = await ask({
      ok: elicit('Take the second step?', { type: 'object', properties: {} }),
    })
    runs('second steps')
    return 'done: ' + ok.action
  }
  mcp.tool('work', { task: 'optional' }, work)
  mcp.tool('once', { task: 'required' }, (_, { signal }) => {
    runs('once')
    return new Promise((_, reject) => signal.addEventListener('abort', reject))
  })
  mcp.on('state', ({ gateways }) => {
    Object.assign(document.body.dataset, gateways.at(-1))
  })
  mcp.connect('ws://127.0.0.1:${port}/page').joined.catch(() => {})
</script>`

export interface TaskApp {
  readonly gateway: Gateway
  /** A new address of the page, with an invitation: for the first document of a browser. */
  invited(): Promise<string>
  /** The address of the page that knows its gateway. */
  readonly url: string
  /** Ends the gateway like a crash, and starts it again at the same address after `meanwhile`. */
  restart(meanwhile: () => Promise<unknown>): Promise<Gateway>
}

/** Starts both before the tests of a file. */
export function useTaskApp(): () => TaskApp {
  let app: Served
  let gateway: Gateway
  before(async () => {
    const port = await freePort()
    const { directory } = await built()
    app = await serve({
      directories: { '/pagemcp/': `${directory}/pagemcp` },
      files: { '/': html(port) },
    })
    const args = [`--mcp=127.0.0.1:${port}`, `--allow-origin=${app.origin}`]
    gateway = await startGateway({ command: 'serve', args })
  })
  after(async () => {
    await gateway?.close()
    await app?.close()
  })
  return () => ({
    gateway,
    url: `${app.origin}/`,
    async restart(meanwhile) {
      await gateway.kill()
      await meanwhile()
      gateway = await gateway.again()
      return gateway
    },
    async invited() {
      const args = ['pair', `--state=${gateway.state}`, app.origin]
      const { stdout } = await promisify(execFile)(program, args, { timeout: 20_000 })
      return stdout.trim()
    },
  })
}

/** Waits until a page has joined, and returns the prefix of its names. */
export async function joined(page: Page): Promise<string> {
  await page.waitForSelector('body[data-is="joined"]')
  return `${await page.$eval('body', ({ dataset }) => dataset.name)}.`
}

/** A result or an error of JSON-RPC. */
export interface Answer {
  readonly result?: { readonly [member: string]: unknown }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Sends a request of a client with the extension. */
export async function request(
  gateway: Gateway,
  method: string,
  params: { readonly [name: string]: unknown },
): Promise<Answer> {
  const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  return JSON.parse(await post(gateway, method, params, '', capabilities)) as Answer
}

/** Calls a tool, and returns the id of the task. */
export async function create(gateway: Gateway, name: string): Promise<string> {
  const { result, error } = await request(gateway, 'tools/call', { name, arguments: {} })
  assert.equal(result?.resultType, 'task', JSON.stringify(error ?? result))
  return String(result?.taskId)
}

/** Polls a task until its state fits. */
export function until(
  gateway: Gateway,
  taskId: string,
  what: string,
  fits: (state: { readonly [member: string]: unknown }) => boolean,
): Promise<Answer> {
  return askUntil(
    `task ${taskId}: ${what}`,
    () => request(gateway, 'tasks/get', { taskId }),
    ({ result }) => result !== undefined && fits(result),
  )
}

/** Waits for the question of the task, and answers it. */
export async function answer(gateway: Gateway, taskId: string): Promise<void> {
  await asks(gateway, taskId)
  const inputResponses = { 'ok-1': { action: 'accept', content: {} } }
  const { result } = await request(gateway, 'tasks/update', { taskId, inputResponses })
  assert.equal(result?.resultType, 'complete')
}

/** Waits until the page that runs the task has asked. */
export async function asks(gateway: Gateway, taskId: string): Promise<void> {
  const { result } = await until(
    gateway,
    taskId,
    'asks',
    ({ status }) => status === 'input_required',
  )
  assert.deepEqual(Object.keys(result?.inputRequests as object), ['ok-1'])
}

/** Waits for the end of the task. */
export async function completed(gateway: Gateway, taskId: string): Promise<void> {
  const ended = await until(gateway, taskId, 'ends', ({ status }) => status !== 'working')
  assert.equal(ended.result?.status, 'completed', JSON.stringify(ended))
  assert.match(JSON.stringify(ended.result?.result), /"text":"done: accept"/)
}
