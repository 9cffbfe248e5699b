/**
 * The TypeScript SDKs in their best case: the low-level `Server`, one for each client, hand-made paging, a map
 * for reads; templates are tried one by one with the SDK's own class, as its `McpServer` does.
 */

import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { UriTemplate as UriTemplate1 } from '@modelcontextprotocol/sdk/shared/uriTemplate.js'
import {
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import {
  Server as Server2,
  type Transport as Transport2,
  UriTemplate as UriTemplate2,
} from '@modelcontextprotocol/server'
import type { BenchPort } from './client.ts'
import { templateCount, templateOf } from './data.ts'
import { capabilities, contentsOf, info, pageOf, type Store } from './serving.ts'
import { transport } from './start/transport.ts'

export type SdkName = 'ts1' | 'ts2'

/** One subject: all its clients, each with a `Server` of its own. */
export interface Sdk {
  open(port: BenchPort): void
  /** Announces a change to subscribers. */
  touch(uri: string): void
}

interface Listening {
  sendResourceUpdated(params: { uri: string }): Promise<void>
}

export function sdk(name: SdkName, store: Store): Sdk {
  const listeners = new Map<string, Listening[]>()
  const subscribe = (uri: string, server: Listening) => {
    const all = listeners.get(uri) ?? []
    listeners.set(uri, all)
    all.push(server)
    return {}
  }
  const make = maker(name, store, subscribe)
  return {
    open(port) {
      void make().connect(transport(port) as Transport1 & Transport2)
    },
    touch(uri) {
      for (const server of listeners.get(uri) ?? []) void server.sendResourceUpdated({ uri })
    },
  }
}

type Subscribe = (uri: string, server: Listening) => object

interface Connectable {
  connect(transport: Transport1 & Transport2): Promise<void>
}

function maker(name: SdkName, store: Store, subscribe: Subscribe): () => Connectable {
  if (name === 'ts1') {
    const read = reader(store, UriTemplate1)
    return () => {
      const server = new Server1(info, { capabilities })
      server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
        pageOf(store.items, params?.cursor),
      )
      server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => read(params.uri))
      server.setRequestHandler(SubscribeRequestSchema, ({ params }) =>
        subscribe(params.uri, server),
      )
      return server
    }
  }
  const read = reader(store, UriTemplate2)
  return () => {
    const server = new Server2(info, { capabilities })
    server.setRequestHandler('resources/list', ({ params }) => pageOf(store.items, params?.cursor))
    server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
    server.setRequestHandler('resources/subscribe', ({ params }) => subscribe(params.uri, server))
    return server
  }
}

/** A class for RFC 6570 templates of an SDK. */
type TemplateClass = new (text: string) => { match(uri: string): object | null }

function reader(store: Store, Template: TemplateClass) {
  const templates = Array.from(
    { length: templateCount },
    (_, n) => [new Template(templateOf(n)), n] as const,
  )
  const find = (uri: string) => {
    const listed = store.read(uri)
    if (listed !== undefined) return listed
    for (const [template, n] of templates)
      if (template.match(uri)) return store.readTemplate(n, uri)
    return undefined
  }
  return (uri: string) => {
    const found = find(uri)
    if (typeof found === 'string') return contentsOf(uri, found)
    if (found === undefined) throw new Error(`no ${uri}`)
    return found.then((text = '') => contentsOf(uri, text))
  }
}
