/** Bundled into pages: the real clients of both SDKs on the real transports of `@mcp-b/transports`. */

import { IframeParentTransport, TabClientTransport } from '@mcp-b/transports'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

export type Kind = 'v1' | 'v2' | 'v2 modern'

const info = { name: 'test', version: '1.0.0' }

/** What the tests use of both. */
interface AnyClient {
  connect(transport: unknown): Promise<void>
  readResource(params: { uri: string }): Promise<{ contents: { text?: string }[] }>
  callTool(params: { name: string; arguments?: object }): Promise<{ content: { text: string }[] }>
  close(): Promise<void>
  onclose?: () => void
}

function newClient(kind: Kind): AnyClient {
  if (kind === 'v1') return new ClassicClient(info) as unknown as AnyClient
  const mode = kind === 'v2' ? 'legacy' : { pin: '2026-07-28' }
  return new ModernClient(info, { versionNegotiation: { mode } } as object) as unknown as AnyClient
}

async function connected(kind: Kind, transport: unknown): Promise<AnyClient> {
  const client = newClient(kind)
  await client.connect(transport)
  return client
}

export const mcpB = {
  /** A client in this window. */
  tab: (kind: Kind, options: object = {}) =>
    connected(kind, new TabClientTransport({ targetOrigin: location.origin, ...options })),

  /**
   * A client of a frame, on the transport that embedders use.
   *
   * @param early - whether it asks before the document of the frame is there
   */
  async frame(kind: Kind, url: string, early: boolean) {
    const iframe = document.createElement('iframe')
    iframe.src = url
    const loaded = new Promise((resolve) => iframe.addEventListener('load', resolve))
    document.body.append(iframe)
    if (!early) await loaded
    const targetOrigin = new URL(url).origin
    return connected(kind, new IframeParentTransport({ iframe, targetOrigin }))
  },

  async text(client: AnyClient, uri: string) {
    return (await client.readResource({ uri })).contents[0]?.text
  },

  async call(client: AnyClient, name: string, args: object = {}) {
    return (await client.callTool({ name, arguments: args })).content[0]?.text
  },

  /** Subscribes with the SDK v1; resolves at the first notification. */
  async updated(client: AnyClient, uri: string): Promise<{ next: Promise<string> }> {
    const classic = client as unknown as ClassicClient
    const next = new Promise<string>((resolve) => {
      classic.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        resolve(params.uri),
      )
    })
    await classic.subscribeResource({ uri })
    return { next }
  },

  /** The message of the error of a promise; `'none'` if it resolves. */
  error: (promise: Promise<unknown>) =>
    promise.then(
      () => 'none',
      (error: Error) => error.message,
    ),
}

export type McpB = typeof mcpB

Object.assign(window, { mcpB })
