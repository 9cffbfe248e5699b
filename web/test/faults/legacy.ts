/** Official TypeScript clients of revision 2025-11-25 whose GET stream is observed. */

import {
  Client as SecondClient,
  StreamableHTTPClientTransport as SecondHttp,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Gateway } from '../e2e/gateway.ts'
import { getStream, options, updates } from './kit.ts'

export interface Legacy {
  subscribe(uri: string): Promise<void>
  read(uri: string): Promise<string>
  /** Waits for the next update of a URI; call it before what causes it. */
  update(uri: string): Promise<void>
  /** Sends POSTs, one after the other, until a promise settles; returns how many it took. */
  postUntil(settled: Promise<unknown>): Promise<number>
  /** Settles when the client no longer tries to open its GET stream. */
  readonly gaveUp: Promise<void>
  /** GET streams that were opened since the beginning. */
  streams(): number
  close(): Promise<void>
}

export async function legacy(sdk: 'v1' | 'v2', { mcp, token }: Gateway): Promise<Legacy> {
  const stream = getStream()
  const transportOptions = {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: stream.fetch,
  }
  const { saw, ...heard } = updates()
  let givenUp = () => {}
  const gaveUp = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`SDK ${sdk} has not given up its stream in 60 s`)),
      60_000,
    )
    timer.unref()
    givenUp = resolve
  })
  gaveUp.catch(() => {}) // not every test awaits it
  const onerror = (error: Error) => {
    if (/Maximum reconnection attempts/.test(error.message)) givenUp()
  }
  const name = { name: `legacy-${sdk}`, version: '1.0.0' }
  let client: Client | SecondClient
  if (sdk === 'v1') {
    const first = new Client(name)
    first.onerror = onerror
    first.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      saw(params.uri)
    })
    await first.connect(new StreamableHTTPClientTransport(new URL(mcp), transportOptions), options)
    client = first
  } else {
    const second = new SecondClient(name, { versionNegotiation: { mode: 'legacy' } })
    second.onerror = onerror
    second.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      saw(params.uri)
    })
    await second.connect(new SecondHttp(new URL(mcp), transportOptions), options)
    client = second
  }
  await stream.opened // else there is nothing to give up
  return {
    subscribe: async (uri) => void (await client.subscribeResource({ uri }, options)),
    async read(uri) {
      const { contents } = await client.readResource({ uri }, options)
      const [first] = contents as { text?: string }[]
      return String(first?.text)
    },
    update: heard.update,
    async postUntil(settled) {
      let over = false
      const done = () => {
        over = true
      }
      settled.then(done, done)
      let posts = 0
      for (; !over; posts++) await client.ping(options)
      await settled
      return posts
    },
    gaveUp,
    streams: stream.count,
    close: () => client.close(),
  }
}
