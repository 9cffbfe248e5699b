/** A page of our own at a real gateway, and assistants of both eras that listen to it, for tests of what breaks. */

import { join } from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Page } from 'puppeteer-core'
import { type Gateway, pageUrl, startGateway } from '../e2e/gateway.ts'
import type { TestBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { inWindow } from '../harness/in-window.ts'
import { type Served, serve } from '../harness/serve.ts'

/** For each call of a client, and for each wait. */
export const options = { timeout: 20_000 } // ms

/**
 * `window.count` is what `app://count` serves; `?worker=false`: with the engine in the window. `app://hold` answers,
 * and the tool `hold` ends, when `release()` is called. `?many=n`: there are n resources whose value outlives reloads.
 * `?mortal`: the Worker ends, hangs, or its Go program runs out of memory, when it gets the message `end`, `hang`, or
 * `exhaust`.
 */
const script = `
import { start } from '/pagemcp/index.js'
import { gateways } from '/gateway.js'
const query = new URLSearchParams(location.search)
window.count = 0
window.held = []
window.calls = 0
const hold = () => { calls++; return new Promise((resolve) => held.push(resolve)) }
window.release = () => { for (const go of held.splice(0)) go('released') }
if (query.has('mortal')) {
  window.Worker = class extends Worker {
    constructor(...args) { super(...args); window.worker = this }
  }
}
window.errors = []
if (query.get('worker') === 'false') await import('/in-window.js')
const urls = query.has('mortal') ? { worker: '/mortal.js' } : {}
window.mcp = await start({ name: 'app', urls })
mcp.on('error', (error) => errors.push(String(error.message ?? error)))
mcp.resource('app://bytes', { name: 'Bytes' }, new TextEncoder().encode('bytes'))
window.value = mcp.resource('app://value', { name: 'Value' }, 'first')
mcp.resource('app://count', { name: 'Count' }, () => String(count))
mcp.resource('app://hold', { name: 'Hold' }, hold)
for (let i = 0; i < Number(query.get('many')); i++) {
  mcp.resource('app://many/' + i, { name: 'Number ' + i }, () => sessionStorage.many ?? '0')
}
window.setMany = (value) => {
  sessionStorage.many = value
  for (let i = 0; i < Number(query.get('many')); i++) mcp.changed('app://many/' + i)
}
mcp.resource(query.get('extra') ?? 'app://first', { name: 'Extra' }, () => 'extra')
mcp.tool('answer', () => 'answered')
mcp.tool('hold', (_, { progress }) => { progress(1); return hold() })
window.set = (value) => { window.count = value; mcp.changed('app://count') }
window.document.documentElement.dataset.loaded = performance.timeOrigin
mcp.connect({ gateways }).joined.catch((error) => { document.title = String(error) })`

const mortal = `
import '/pagemcp/worker.js'
let go
let Watched // what wasm_exec.js defines at the start of the engine
Object.defineProperty(globalThis, 'Go', {
  get: () => Watched,
  set(Go) {
    Watched = class extends Go {
      constructor() { super(); go = this }
    }
  },
})
// All that the memory may grow is taken: what Go needs next is too much.
const exhaust = () => {
  const { mem, buffer } = go._inst.exports
  for (let pages = 65536; pages >= 1; pages /= 2) try { for (;;) mem.grow(pages) } catch {}
  go.importObject.gojs['runtime.resetMemoryDataView']()
  buffer(67108864)
}
const own = self.onmessage
self.onmessage = (event) => {
  if (event.data === 'end') self.close()
  else if (event.data === 'hang') for (;;);
  else if (event.data === 'exhaust') exhaust()
  else own(event)
}`

export interface Setting {
  site: Served
  gateway: Gateway
  /** The URL of the page, without an invitation. */
  url: string
  /** Opens the page by a fresh invitation, and waits until it has joined. */
  open(browser: TestBrowser, query?: string): Promise<{ page: Page; name: string }>
  /** Kills the gateway, and starts it again on its ports when {@link Setting.restart} is called. */
  kill(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a gateway that remembers its state through restarts, and serves the page. With `serve` one page can be
 * invited.
 */
export async function setting(command: 'dev' | 'serve' = 'dev'): Promise<Setting> {
  const { directory, remove } = await built()
  const page = '<!doctype html><title>app</title><script type="module" src="/app.js"></script>'
  const files: Record<string, string> = {
    '/app.html': page,
    '/app.js': script,
    '/mortal.js': mortal,
    '/in-window.js': inWindow,
    '/other.html': '<!doctype html><title>other</title>',
  }
  const site = await serve({ directories: { '/pagemcp/': join(directory, 'pagemcp') }, files })
  const limits = ['--reads-per-second', '10000']
  const args = ['--allow-origin', site.origin, ...limits]
  let gateway = await startGateway({ args, command, restarts: true })
  const url = pageUrl(gateway)
  const gateways = [url, url.replace('127.0.0.1', 'localhost')] // the second by way of a proxy
  files['/gateway.js'] = `export const gateways = ${JSON.stringify(gateways)}`
  return {
    site,
    url: `${site.origin}/app.html`,
    get gateway() {
      return gateway
    },
    async open(browser, query = '') {
      const invitation =
        command === 'dev'
          ? new URL((await gateway.fresh()).pages.notes ?? '').hash
          : `#${gateway.pairing?.replace(/^#/, '')}`
      const page = await browser.open(`${site.origin}/app.html${query}${invitation}`)
      return { page, name: await joinedAs(page) }
    },
    kill: () => gateway.kill(),
    async restart() {
      gateway = await gateway.again()
    },
    async close() {
      await gateway.close()
      await site.close()
      await remove()
    },
  }
}

/** Tabs in the background draw no frames, by which Puppeteer would look. */
const polling = 100 // ms

/** Waits until the page has joined; returns its name. */
export async function joinedAs(page: Page): Promise<string> {
  const found = await page.waitForFunction(
    () => {
      const { mcp } = window as { mcp?: { state: { gateways: { is: string; name: string }[] } } }
      const own = mcp?.state.gateways[0]
      return own?.is === 'joined' ? own.name : undefined
    },
    { polling },
  )
  return (await found.jsonValue()) as string
}

/** Waits until the page knows that the gateway is away. */
export async function away(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const { mcp } = window as { mcp?: { state: { gateways: { is: string }[] } } }
      return mcp?.state.gateways[0]?.is !== 'joined'
    },
    { polling },
  )
}

/** Gives `app://count` another value, and announces it. */
export const set = (page: Page, value: number) => page.evaluate(`set(${value})`)

/** An assistant that listens. */
export interface Assistant {
  read(uri: string): Promise<string>
  call(tool: string): Promise<unknown>
  list(): Promise<string[]>
  subscribe(...uris: string[]): Promise<void>
  /** Waits for the next update of a URI; call it before what causes it. */
  update(uri: string): Promise<void>
  /** Waits until each of them was updated, or rejects with {@link MissingUpdates}; `timeout` in ms. */
  updates(uris: readonly string[], timeout: number): Promise<void>
  close(): Promise<void>
}

/** Some of the awaited updates did not come. */
export class MissingUpdates extends Error {
  readonly uris: readonly string[]

  constructor(uris: readonly string[], of: number, timeout: number) {
    const some = uris.slice(0, 3).join(' ')
    super(`no resources/updated of ${uris.length} of ${of} URIs in ${timeout} ms: ${some}`)
    this.uris = uris
  }
}

/** Waits for updates that `saw` reports. */
export function updates() {
  const waiting = new Set<(uri: string) => void>()
  const all = (uris: readonly string[], timeout: number) =>
    new Promise<void>((resolve, reject) => {
      const left = new Set(uris)
      const end = () => {
        waiting.delete(hear)
        clearTimeout(timer)
      }
      const hear = (uri: string) => {
        if (!left.delete(uri) || left.size > 0) return
        end()
        resolve()
      }
      const timer = setTimeout(() => {
        end()
        reject(new MissingUpdates([...left], uris.length, timeout))
      }, timeout)
      waiting.add(hear)
    })
  return {
    saw(uri: string) {
      for (const hear of [...waiting]) hear(uri)
    },
    update: (uri: string) => all([uri], options.timeout),
    updates: all,
  }
}

const textOf = ({ contents }: { contents: readonly object[] }) =>
  String((contents[0] as { text?: string } | undefined)?.text)

/** A `fetch` for a client of revision 2025-11-25 that tells when its GET stream was opened. */
export function getStream() {
  let count = 0
  let open = () => {}
  const opened = new Promise<void>((resolve, reject) => {
    const late = new Error(`the client has opened no GET stream in ${options.timeout} ms`)
    const timer = setTimeout(reject, options.timeout, late)
    open = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  opened.catch(() => {}) // not awaited if the client does not connect
  return {
    opened,
    /** Streams that were opened since the beginning. */
    count: () => count,
    async fetch(url: string | URL, init?: RequestInit): Promise<Response> {
      const response = await fetch(url, init)
      if (init?.method === 'GET' && response.ok) {
        count++
        open()
      }
      return response
    },
  }
}

/** The official TypeScript SDK v1, revision 2025-11-25: updates come on its GET stream. */
export async function classic({ mcp, token }: Gateway): Promise<Assistant> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const client = new Client({ name: 'classic', version: '1.0.0' })
  const { saw, ...heard } = updates()
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    saw(params.uri)
  })
  const stream = getStream()
  const transport = new StreamableHTTPClientTransport(new URL(mcp), {
    requestInit,
    fetch: stream.fetch,
    // By default it gives up after two attempts, for good. The gateway's `retry` sets the delay.
    reconnectionOptions: {
      initialReconnectionDelay: 200, // ms
      maxReconnectionDelay: 1000, // ms
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 100,
    },
  })
  await client.connect(transport, options)
  await stream.opened // it is not opened again if the gateway dies before
  return {
    read: async (uri) => textOf(await client.readResource({ uri }, options)),
    call: (name) => client.callTool({ name, arguments: {} }, undefined, options),
    list: async () => (await client.listResources({}, options)).resources.map(({ uri }) => uri),
    subscribe: async (...uris) => {
      for (const uri of uris) await client.subscribeResource({ uri }, options)
    },
    ...heard,
    close: () => client.close(),
  }
}

/** The official TypeScript SDK v2, revision 2026-07-28: updates come by a listen, which is opened again when it ends. */
export async function modern({ mcp, token }: Gateway): Promise<Assistant> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const mode = { pin: '2026-07-28' }
  const client = new ModernClient(
    { name: 'modern', version: '1.0.0' },
    { versionNegotiation: { mode } },
  )
  const { saw, ...heard } = updates()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    saw(params.uri)
  })
  await client.connect(new ModernHttp(new URL(mcp), { requestInit }), options)
  let closed = false
  return {
    read: async (uri) => textOf(await client.readResource({ uri }, options)),
    call: (name) => client.callTool({ name, arguments: {} }, options),
    list: async () =>
      (await client.listResources(undefined, options)).resources.map(({ uri }) => uri),
    async subscribe(...uris) {
      const listen = async () => {
        const subscription = await client.listen({ resourceSubscriptions: uris }, options)
        void subscription.closed.then(again, again)
      }
      // Until the gateway is back: the network says no at once, so wait for a moment between two.
      const again = async () => {
        while (!closed) {
          try {
            await listen()
            for (const uri of uris) saw(uri) // what happened in between is unknown: read again (P4)
            return
          } catch {
            await new Promise((resolve) => setTimeout(resolve, 200))
          }
        }
      }
      await listen()
    },
    ...heard,
    async close() {
      closed = true
      await client.close()
    },
  }
}
