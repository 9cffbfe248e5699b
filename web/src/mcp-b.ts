/**
 * A listener for clients that use `@mcp-b/transports`: `TabClientTransport` in this window, and
 * `IframeParentTransport` in the window that embeds this one. Messages are those of version 5.1.0:
 *
 *     { channel, type: 'mcp', direction: 'client-to-server' | 'server-to-client', payload }
 *
 * `payload` is a JSON-RPC object, or one of the words 'mcp-check-ready', 'mcp-server-ready' and
 * 'mcp-server-stopped'. There is no port: all scripts of a window can read its messages, and all clients
 * of a channel get all answers. So a channel serves one client at a time, and `listen` is better where the
 * client can choose.
 */

import { toBase64Url } from './base64url.ts'
import { checkedOrigin, isReal } from './listen.ts'
import { isGoodbye, type Port } from './port.ts'
import type { PageMcp } from './start.ts'

/** Options of {@link listenMcpB}. */
export interface McpBOptions {
  /**
   * Exact origins, such as `https://assistant.example`; no default, no wildcard. Clients in this window
   * have the origin of this page.
   */
  origins: readonly [string, ...string[]]
  /** The name of the channel; default `mcp-default` in this window, and `mcp-iframe` towards its parent. */
  channel?: string
  /** Stops listening. */
  signal?: AbortSignal
}

/** Default channels of `@mcp-b/transports`. */
const channels = { own: 'mcp-default', parent: 'mcp-iframe' } as const

/** Time in which the clients of a channel answer a `ping`, ms; after the first answer, the time of the others. */
const pingTime = 2_000
const pingTimeOfOthers = 100

/** JSON-RPC 2.0, section 5.1: the client sent what it must not send. */
const invalidRequest = -32600

type Id = string | number

/** A window with which messages are exchanged, and the client in it. */
interface Peer {
  readonly window: Window
  readonly channel: string
  /** The origin of the last message. */
  origin: string
  client: Client | undefined
  /** The `ping` that counts the clients of the channel, before another one may begin a session. */
  count: { readonly id: string; answered(): void } | undefined
}

/** The engine's client that stands for the one of a channel. */
interface Client {
  readonly pending: Set<Id>
  /** It has sent `initialize`, so it answers pings. */
  isClassic: boolean
  receive(message: object): void
  /** Ends it; the channel gets no further message of it. */
  end(): void
}

/**
 * Serves clients that use `@mcp-b/transports`, in this window and in its parent. A client of another origin
 * gets no answer. Each channel serves one client: a second one gets an error while the first answers
 * pings, and takes the channel over when the first is gone.
 *
 * @returns a function that stops listening; clients get `mcp-server-stopped`, after which a client of
 *   `@mcp-b/transports` is closed for good
 * @throws TypeError for a text that is not an origin
 * @see https://docs.mcp-b.ai/packages/transports/reference
 */
export function listenMcpB(mcp: Pick<PageMcp, 'accept' | 'on'>, options: McpBOptions): () => void {
  const origins = new Set(options.origins.map(checkedOrigin))
  const { signal } = options
  signal?.throwIfAborted()
  const stopped = new AbortController()
  const newPeer = (target: Window, channel: string): Peer => ({
    window: target,
    channel: options.channel ?? channel,
    origin: '',
    client: undefined,
    count: undefined,
  })
  const peers = [newPeer(window, channels.own)]
  if (parent !== window) peers.push(newPeer(parent, channels.parent))

  const post = (peer: Peer, payload: unknown, origin = peer.origin) => {
    const { channel } = peer
    const message = { channel, type: 'mcp', direction: 'server-to-client', payload }
    peer.window.postMessage(message, origin)
  }
  const postError = (peer: Peer, id: Id, message: string) =>
    post(peer, { jsonrpc: '2.0', id, error: { code: invalidRequest, message } })

  function hearWindow(event: MessageEvent<unknown>) {
    if (!event.isTrusted || !origins.has(event.origin)) return
    const peer = peers.find(({ window }) => window === event.source)
    if (peer === undefined || !isReal(peer.window, event.origin)) return
    const payload = payloadOf(event.data, peer.channel)
    if (payload === undefined) return
    if (peer.origin !== event.origin) peer.client?.end() // the parent shows another document
    peer.origin = event.origin
    if (payload === 'mcp-check-ready') post(peer, 'mcp-server-ready')
    else if (isJsonRpc(payload)) receive(peer, payload)
  }

  function receive(peer: Peer, message: JsonRpc) {
    const { id, method, params } = message
    if (method === undefined && id === peer.count?.id) {
      peer.count?.answered()
      return
    }
    if (!isId(id) || method === undefined) {
      const cancelled = method === 'notifications/cancelled' && params?.requestId
      if (isId(cancelled)) peer.client?.pending.delete(cancelled)
      current(peer).receive(message)
      return
    }
    const begins = method === 'initialize' || isProbe(id)
    if (begins && peer.client?.isClassic) {
      beginAgain(peer, message, id)
      return
    }
    if (begins) begin(peer, message, id)
    else request(peer, message, id)
  }

  /** Begins a session, in place of the one before. */
  function begin(peer: Peer, message: JsonRpc, id: Id) {
    peer.client?.end()
    current(peer).isClassic = message.method === 'initialize'
    request(peer, message, id)
  }

  function request(peer: Peer, message: JsonRpc, id: Id) {
    const client = current(peer)
    if (client.pending.has(id)) {
      // A client does not use an id twice at a time: these are two, and both would take the answer.
      client.pending.delete(id)
      client.receive({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id },
      })
      postError(peer, id, 'two clients on this channel sent a request with this id at a time')
      return
    }
    client.pending.add(id)
    client.receive(message)
  }

  /**
   * Begins another session on a channel, unless the client before is still there. Clients answer pings, also
   * while they initialize, but not if they speak 2026-07-28: one answer is that of the new client itself
   * if it sent `initialize`.
   */
  function beginAgain(peer: Peer, message: JsonRpc, id: Id) {
    const refuse = () =>
      postError(peer, id, 'another client uses this channel; use one channel for each client')
    if (peer.count !== undefined) {
      refuse()
      return
    }
    const own = message.method === 'initialize' ? 1 : 0
    let answers = 0
    const decide = () => {
      clearTimeout(timer)
      peer.count = undefined
      if (stopped.signal.aborted) return
      if (answers === own) begin(peer, message, id)
      else refuse()
    }
    let timer = setTimeout(decide, pingTime)
    peer.count = {
      id: `ping-${toBase64Url(crypto.getRandomValues(new Uint8Array(16)))}`,
      answered() {
        answers++
        clearTimeout(timer)
        if (answers > own) decide()
        else timer = setTimeout(decide, pingTimeOfOthers)
      },
    }
    post(peer, { jsonrpc: '2.0', id: peer.count.id, method: 'ping' })
  }

  function current(peer: Peer): Client {
    peer.client ??= open(peer)
    return peer.client
  }

  function open(peer: Peer): Client {
    const pending = new Set<Id>()
    let ended = false
    const port: Port & { onmessage: ((event: { data: unknown }) => void) | null } = {
      onmessage: null,
      postMessage(message) {
        if (ended) return
        if (isGoodbye(message)) {
          stop()
          return
        }
        const { id, method } = message as JsonRpc
        if (method === undefined && isId(id)) pending.delete(id)
        post(peer, message)
      },
    }
    const shut = mcp.accept(port, { principal: peer.origin })
    const client: Client = {
      pending,
      isClassic: false,
      receive: (message) => port.onmessage?.({ data: message }),
      end() {
        if (ended) return
        ended = true
        if (peer.client === client) peer.client = undefined
        shut()
      },
    }
    return client
  }

  function stop() {
    if (stopped.signal.aborted) return
    stopped.abort()
    for (const peer of peers) {
      peer.client?.end()
      announce(peer, 'mcp-server-stopped')
    }
  }

  /** Posts a word to those of the listed origins that the window can have. */
  function announce(peer: Peer, word: string) {
    if (peer.origin !== '') post(peer, word)
    else if (peer.window === window) {
      if (origins.has(location.origin)) post(peer, word, location.origin)
    } else {
      const known = location.ancestorOrigins?.[0] // Firefox has had it only lately
      for (const origin of origins) {
        if (known === undefined || known === origin) post(peer, word, origin)
      }
    }
  }

  addEventListener('message', hearWindow, { signal: stopped.signal })
  signal?.addEventListener('abort', stop, { signal: stopped.signal })
  const forget = mcp.on('state', ({ engine }) => {
    if (engine === 'closed') stop()
  })
  stopped.signal.addEventListener('abort', forget)
  for (const peer of peers) announce(peer, 'mcp-server-ready') // clients ask only once
  return stop
}

/** As much of a JSON-RPC message as is looked at here; the engine checks the rest. */
interface JsonRpc {
  readonly jsonrpc: '2.0'
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly requestId?: unknown }
}

/** The payload of a message to servers of the channel. */
function payloadOf(data: unknown, channel: string): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  const envelope = data as Record<string, unknown>
  const isOurs =
    envelope.type === 'mcp' &&
    envelope.channel === channel &&
    envelope.direction === 'client-to-server'
  return isOurs ? envelope.payload : undefined
}

function isJsonRpc(payload: unknown): payload is JsonRpc {
  return (payload as { jsonrpc?: unknown } | null | undefined)?.jsonrpc === '2.0'
}

/** Whether this is the first request of a new client of `@modelcontextprotocol/client`. */
function isProbe(id: Id): boolean {
  return String(id).startsWith('server-discover-probe')
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}
