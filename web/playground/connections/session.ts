/**
 * A client's session: the handshake of its revision, requests with unique ids, subscriptions of both eras, and
 * responses to `ping`. All messages go through the connection, so the timeline shows them. Messages that the
 * user sends directly bypass the session.
 */

import { type Signal, signal } from '@preact/signals'
import { frameOf } from '../messages/frame.ts'
import {
  clientInfo,
  isModern,
  isObject,
  type Params,
  type Revision,
  request,
} from '../protocol/revisions.ts'
import type { Connection } from './connection.ts'
import { Drafts } from './drafts.ts'

/** How a request ended. */
export interface Reply {
  /** Row of the response; of the request if there was none. */
  row: number
  result?: Params
  error?: { code: number; message: string; data?: unknown }
}

/** The filter of `subscriptions/listen` (2026-07-28), requested or granted. */
export interface ListenFilter {
  resourceSubscriptions?: string[]
  resourcesListChanged?: boolean
  promptsListChanged?: boolean
  toolsListChanged?: boolean
}

/** Updates of one subscribed URI. */
export interface Update {
  count: number
  /** ms since 1970 of the last one. */
  last: number
}

/** The server's description of itself. */
export interface Peer {
  name: string
  title?: string
  version: string
  capabilities: Params
  instructions?: string
  /** Of a modern peer. */
  supportedVersions?: readonly string[]
}

/** Resources whose updates are counted, the newest: a server chooses how many it names. */
const maxCounted = 2000

/** A request of the server that waits for the user's response. */
export interface PendingRequest {
  row: number
  id: unknown
  method: string
  params: Params
}

interface Message {
  id?: string | number
  method?: string
  params?: Params
  result?: Params
  error?: { code: number; message: string; data?: unknown }
}

const metaSubscription = 'io.modelcontextprotocol/subscriptionId'
const metaServer = 'io.modelcontextprotocol/serverInfo'

export class Session {
  readonly connection: Connection
  readonly revision: Signal<Revision>
  /** What the user writes for this client. */
  readonly drafts: Drafts
  /** The capabilities that the client declares: in `initialize`, or in the envelope of each request. */
  readonly capabilities: Signal<Params> = signal({})
  /** Undefined until the handshake is complete. */
  readonly peer: Signal<Peer | undefined> = signal(undefined)
  /** Whether the response to the handshake is pending. A client of a lesson may have no handshake. */
  readonly handshaking: Signal<boolean> = signal(false)
  /** The requested subscriptions. In classic revisions: the subscribed URIs. */
  readonly wanted: Signal<ListenFilter> = signal({})
  /** The granted subscriptions; undefined: not acknowledged yet. */
  readonly granted: Signal<ListenFilter | undefined> = signal(undefined)
  /** Updated at most one task later than the notification. */
  readonly updates: Signal<ReadonlyMap<string, Update>> = signal(new Map())
  /** Requests of the server that only the user can respond to, oldest first. */
  readonly asked: Signal<readonly PendingRequest[]> = signal([])
  /** Counts `list_changed` notifications, by list. */
  readonly listChanged: Signal<{ resources: number; prompts: number; tools: number }> = signal({
    resources: 0,
    prompts: 0,
    tools: 0,
  })

  #lastId = 0
  readonly #counted = new Map<string, Update>()
  #publishing = false
  #listen: string | number | undefined
  readonly #waiting = new Map<string, (reply: Reply) => void>()

  constructor(connection: Connection, revision: Revision, drafts = new Drafts(revision)) {
    this.connection = connection
    this.drafts = drafts
    this.revision = drafts.revision
    connection.watch((row, _, message) => {
      if (isObject(message)) this.#handle(row, message)
    })
    connection.onFailure((row, text, message) => this.#fail(row, text, message))
    connection.state.subscribe((state) => {
      if (state === 'closed') this.#end()
    })
  }

  /** The title or name of the server; of one that sends none, that of the connection, such as its host. */
  get title(): string {
    const { title, name } = this.peer.value ?? {}
    return title || name || this.connection.dialer.title
  }

  /** The next unused id of this connection. */
  nextId(): number {
    return ++this.#lastId
  }

  /** Whether a request of this connection may have had an id. */
  isUsed(id: number): boolean {
    return id <= this.#lastId
  }

  /** Performs the handshake of the revision and stores the server's description. */
  async handshake(revision: Revision = this.revision.peek()): Promise<Reply> {
    this.revision.value = revision
    this.peer.value = undefined
    this.handshaking.value = true
    try {
      return await this.#introduce(revision)
    } finally {
      this.handshaking.value = false
    }
  }

  async #introduce(revision: Revision): Promise<Reply> {
    if (isModern(revision)) {
      const reply = await this.request('server/discover')
      const { result } = reply
      if (result) {
        const meta = (result._meta ?? {}) as Params
        this.peer.value = peerOf(meta[metaServer] as Params | undefined, result)
      }
      return reply
    }
    const reply = await this.request('initialize', {
      protocolVersion: revision,
      capabilities: this.capabilities.peek(),
      clientInfo,
    })
    if (reply.result) {
      this.notify('notifications/initialized')
      this.peer.value = peerOf(reply.result.serverInfo as Params | undefined, reply.result)
    }
    return reply
  }

  /** Reconnects with this revision: a connection has one era and one handshake. Subscriptions are renewed. */
  async restart(revision: Revision): Promise<void> {
    const watched = this.wanted.peek().resourceSubscriptions ?? []
    const opened = this.connection.reopen()
    this.wanted.value = {}
    const { result } = await this.handshake(revision)
    await opened
    if (result === undefined) return
    if (isModern(revision) && watched.length > 0) this.listen({ resourceSubscriptions: watched })
    else for (const uri of watched) await this.subscribe(uri)
  }

  /** Sends a request in the form of the revision, and waits for its response, success or error. */
  request(
    method: string,
    params?: Params,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Reply> {
    const id = this.nextId()
    return new Promise((resolve, reject) => {
      const row = this.connection.send(
        JSON.stringify(request(this.revision.peek(), id, method, params, this.capabilities.peek())),
      )
      if (this.connection.state.peek() === 'closed') {
        resolve({ row, error: { code: 0, message: this.connection.reason.peek() || 'closed' } })
        return
      }
      this.#waiting.set(String(id), resolve)
      signal?.addEventListener(
        'abort',
        () => {
          if (!this.#waiting.delete(String(id))) return
          this.notify('notifications/cancelled', { requestId: id })
          reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  /** Sends a notification. */
  notify(method: string, params?: Params): number {
    return this.connection.send(
      JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) }),
    )
  }

  /** Responds to a request of the server. */
  answer(id: unknown, answer: { result: unknown } | { error: unknown }): number {
    this.asked.value = this.asked.peek().filter((one) => one.id !== id)
    return this.connection.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }

  isSubscribed(uri: string): boolean {
    return this.wanted.value.resourceSubscriptions?.includes(uri) ?? false
  }

  /** Subscribes to one resource. */
  async subscribe(uri: string): Promise<Reply | undefined> {
    if (this.isSubscribed(uri)) return undefined
    return this.#watch('resources/subscribe', uri, (uris) => [...uris, uri])
  }

  unsubscribe(uri: string): Promise<Reply | undefined> {
    return this.#watch('resources/unsubscribe', uri, (uris) => uris.filter((one) => one !== uri))
  }

  /** Changes the subscribed URIs, in classic revisions by this request. */
  async #watch(method: string, uri: string, change: (uris: string[]) => string[]) {
    const next = (): ListenFilter => {
      const { resourceSubscriptions = [], ...rest } = this.wanted.peek()
      return { ...rest, resourceSubscriptions: change(resourceSubscriptions) }
    }
    if (isModern(this.revision.peek())) {
      this.listen(next())
      return undefined
    }
    const reply = await this.request(method, { uri })
    if (reply.result) {
      this.wanted.value = next() // another request may have changed it meanwhile
      this.granted.value = this.wanted.value
    }
    return reply
  }

  /**
   * Replaces the open `subscriptions/listen` (2026-07-28). Its filter cannot be changed, so the new one is
   * opened before the old one is cancelled, and no change is lost. An empty filter only cancels.
   */
  listen(filter: ListenFilter): void {
    const old = this.#listen
    this.wanted.value = filter
    this.granted.value = undefined
    this.#listen = undefined
    const empty =
      !filter.resourceSubscriptions?.length &&
      !filter.resourcesListChanged &&
      !filter.promptsListChanged &&
      !filter.toolsListChanged
    if (!empty) {
      const id = this.nextId()
      this.#listen = id
      this.connection.send(
        JSON.stringify(
          request(
            this.revision.peek(),
            id,
            'subscriptions/listen',
            { notifications: filter },
            this.capabilities.peek(),
          ),
        ),
      )
    }
    if (old !== undefined) this.notify('notifications/cancelled', { requestId: old })
  }

  #handle(row: number, message: Message) {
    const { id, method } = message
    const params = message.params ?? {} // servers may send null
    if (this.connection.direction(row) !== 'in') {
      if (method !== undefined && typeof id === 'number') this.#lastId = Math.max(this.#lastId, id)
      if (method === 'notifications/cancelled') this.#cancelled(row, params.requestId)
      return
    }
    if (method === undefined) {
      const waiting = this.#waiting.get(String(id))
      if (typeof id === 'number' && waiting) {
        this.#waiting.delete(String(id))
        waiting({ row, result: message.result, error: message.error })
      }
      if (id !== undefined && id === this.#listen) this.#listenEnded()
    } else if (id !== undefined) {
      if (this.connection.dialer.readOnly) return // the monitored client responds
      if (method === 'ping') this.answer(id, { result: {} })
      else this.asked.value = [...this.asked.peek(), { row, id, method, params }]
    } else this.#handleNotification(method, params)
  }

  #handleNotification(method: string, params: Params) {
    switch (method) {
      case 'notifications/resources/updated':
        this.#count(String(params.uri))
        return
      case 'notifications/subscriptions/acknowledged': {
        const meta = (params._meta ?? {}) as Params
        if (meta[metaSubscription] === this.#listen) {
          this.granted.value = (params.notifications ?? {}) as ListenFilter
        }
        return
      }
      case 'notifications/cancelled':
        this.asked.value = this.asked.peek().filter((one) => one.id !== params.requestId)
        return
    }
    const list = /^notifications\/(resources|prompts|tools)\/list_changed$/.exec(method)?.[1]
    if (list === 'resources' || list === 'prompts' || list === 'tools') {
      const counts = this.listChanged.peek()
      this.listChanged.value = { ...counts, [list]: counts[list] + 1 }
    }
  }

  /** The client cancelled a request: no response may come. */
  #cancelled(row: number, id: unknown) {
    this.#waiting.get(String(id))?.({ row, error: { code: 0, message: 'cancelled' } })
    this.#waiting.delete(String(id))
    if (id !== undefined && id === this.#listen) this.#listenEnded()
  }

  #fail(row: number, text: string, message: string) {
    const id = frameOf(text).id
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiting?.({ row, error: { code: 0, message } })
    if (id !== '' && id === JSON.stringify(this.#listen)) this.#listenEnded()
  }

  /** One update for a burst: a server may notify of thousands of URIs at once. */
  #count(uri: string) {
    const count = (this.#counted.get(uri)?.count ?? 0) + 1
    this.#counted.delete(uri)
    this.#counted.set(uri, { count, last: Date.now() }) // the newest are last
    if (this.#counted.size > maxCounted)
      this.#counted.delete(this.#counted.keys().next().value ?? '')
    if (this.#publishing) return
    this.#publishing = true
    setTimeout(() => {
      this.#publishing = false
      this.updates.value = new Map(this.#counted)
    })
  }

  #listenEnded() {
    this.#listen = undefined
    this.granted.value = {}
  }

  #end() {
    this.#listen = undefined
    this.granted.value = undefined
    this.asked.value = []
    const error = { code: 0, message: this.connection.reason.peek() || 'closed' }
    for (const resolve of this.#waiting.values()) resolve({ row: -1, error })
    this.#waiting.clear()
  }
}

function peerOf(info: Params | undefined, said: Params): Peer {
  return {
    name: typeof info?.name === 'string' ? info.name : '',
    title: typeof info?.title === 'string' ? info.title : undefined,
    version: String(info?.version ?? ''),
    capabilities: (said.capabilities ?? {}) as Params,
    instructions: typeof said.instructions === 'string' ? said.instructions : undefined,
    supportedVersions: said.supportedVersions as readonly string[] | undefined,
  }
}
