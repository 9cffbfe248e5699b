/** A page that joins with tokens, in Node, with sockets that a test answers and a clock that it sets. */

import type { TestContext } from 'node:test'
import type { Client, TextChannel } from '../../src/clients.ts'
import type { Connection, GatewayState } from '../../src/websocket.ts'
import { connectGateway } from '../../src/websocket.ts'

/** One attempt of the page to connect, seen by its gateway. */
export class Dialled {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  readyState = Dialled.CONNECTING
  protocol = 'pagemcp.v1'
  bufferedAmount = 0
  onopen?: () => void
  onmessage?: (event: { data: string }) => void
  onclose?: (event: { code: number; reason: string }) => void
  readonly sent: string[] = []
  /** How the page has closed it. */
  closedWith?: number | 'none'
  readonly url: string
  readonly protocols: string[]

  constructor(url: string, protocols: string[]) {
    this.url = url
    this.protocols = protocols
  }
  send(text: string) {
    this.sent.push(text)
  }
  close(code?: number) {
    this.readyState = 3
    this.closedWith = code ?? 'none'
  }

  /** What the gateway does. */
  open() {
    this.readyState = Dialled.OPEN
    this.onopen?.()
  }
  say(message: object | string) {
    this.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) })
  }
  end(code: number, reason = '') {
    this.readyState = 3
    this.onclose?.({ code, reason })
  }
  /** The token in the handshake. */
  get token() {
    const encoded = this.protocols[1]?.replace(/^pagemcp\.token\./, '') ?? ''
    return Buffer.from(encoded, 'base64url').toString()
  }
  get frames() {
    return this.sent.map((text) => JSON.parse(text) as Record<string, unknown>)
  }
}

export interface TokenPage {
  readonly connection: Connection
  readonly dials: Dialled[]
  readonly states: GatewayState[]
  /** What the function for tokens does; it counts calls. */
  tokens: { calls: number; next: () => unknown }
  /** MCP messages that the page got, and the channel to send some. */
  readonly got: string[]
  channel: TextChannel | undefined
  /** Lets time pass, and with it timers and, after each step, all that waits for promises. */
  pass(ms: number, step?: number): Promise<void>
  /** The machine sleeps: its clock goes on, timers do not. */
  sleep(ms: number): void
  /** The last attempt, which must exist. */
  readonly last: Dialled
  /** The gateway accepts the last attempt. */
  join(terms?: Record<string, unknown>): Promise<Dialled>
  /** The latest state of the gateway. */
  readonly state: GatewayState | undefined
}

export const address = 'wss://mcp.app.example/page'

export const hello = {
  page: 'page-1',
  instance: 'instance-1',
  name: 'notes',
  title: 'Notes',
  url: 'https://app.example/notes',
  engine: '0.1.0',
}

/** Starts such a page. `random` is what Math.random returns. */
export async function tokenPage(
  t: TestContext,
  { random = 0.5, described = hello }: { random?: number; described?: typeof hello } = {},
): Promise<TokenPage> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0 // ms
  let asleep = 0 // ms that timers and the monotonic clock have missed
  t.mock.method(performance, 'now', () => now)
  t.mock.method(Date, 'now', () => now + asleep)
  t.mock.method(Math, 'random', () => random)
  const dials: Dialled[] = []
  define(
    t,
    'WebSocket',
    class extends Dialled {
      constructor(url: string, protocols: string[]) {
        super(url, protocols)
        dials.push(this)
      }
    },
  )
  define(t, 'origin', 'https://app.example')
  define(t, 'self', globalThis)
  const states: GatewayState[] = []
  const got: string[] = []
  const page: TokenPage = {
    dials,
    states,
    got,
    channel: undefined,
    tokens: { calls: 0, next: () => `token-${page.tokens.calls}` },
    connection: undefined as never,
    async pass(ms, most = Math.max(10, ms / 4000)) {
      for (let left = ms; left > 0; left -= most) {
        const step = Math.min(most, left)
        now += step
        t.mock.timers.tick(step)
        await settled()
      }
    },
    sleep(ms) {
      asleep += ms
    },
    get last() {
      const one = dials.at(-1)
      if (one === undefined) throw new Error('the page has not dialled')
      return one
    },
    async join(terms = { ping: 15, refresh: 3000, spread: 1500 }) {
      const one = page.last
      one.open()
      one.say({ joined: 'notes-k7qd2m', ...terms })
      await settled()
      return one
    },
    get state() {
      return states.at(-1)
    },
  }
  let ids = 1
  const connection = connectGateway(
    { gateways: [address], hasToken: true, hello: described },
    {
      open(channel) {
        page.channel = channel
        return { receive: (text: string) => got.push(text), close() {} } as unknown as Client
      },
      pageId: async () => (ids === 1 ? described.page : `page-${ids}`),
      forgotten() {},
      newPageId: async () => `page-${++ids}`,
      confirm: () => Promise.reject(new Error('a page with a token asks its user nothing')),
      together: (act) => act(),
      state: (state) => states.push(state),
      token() {
        page.tokens.calls++
        return page.tokens.next()
      },
    },
  )
  Object.assign(page, { connection })
  t.after(() => connection.close())
  await settled()
  return page
}

/** All that waits for promises has run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve))

function define(t: TestContext, name: string, value: unknown) {
  const before = Object.getOwnPropertyDescriptor(globalThis, name)
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  t.after(() => {
    if (before) Object.defineProperty(globalThis, name, before)
    else Reflect.deleteProperty(globalThis, name)
  })
}
