/**
 * The window handshake. A client in another window, an iframe or this window requests a port with one
 * message. If its origin is on the list, it gets a `MessagePort` for all further messages: other scripts can
 * see the messages of windows, but not those of ports.
 *
 *     client  {"pagemcp": "connect", nonce}         to the page's window, targetOrigin the page's
 *     page    {"pagemcp": "connected", nonce}       to event.source, targetOrigin its origin, and a port
 *     page    {"pagemcp": "closed", nonce}          the other end of the port has ended without a last message
 *
 * Other origins get no answer, not even a rejection: it would reveal that a PageMCP page is there.
 */

import { toBase64Url } from './contents.ts'
import { checkedOrigin, goodbye } from './link.ts'

/** The most clients of one origin at a time; another one ends the oldest. */
const maxPerOrigin = 16

/** The interval of a client's requests: the page may not be ready yet. */
const repeatEvery = 200 // ms
const defaultTimeout = 10_000 // ms

/** Serves one client on a port; returns a function that ends it. `closed` is called when it has ended, with a reason if it cannot know. */
export type Admit = (
  port: MessagePort,
  origin: string,
  closed: (reason?: string) => void,
) => (reason: string) => void

/**
 * Listens for clients in other windows.
 *
 * @param options.origins - exact origins, such as `https://assistant.example`; no default, no wildcard
 * @param options.signal - stops listening, and ends the clients that connected, each with a last message
 * @param Channel - that of index.js: when this module is loaded, a script may have replaced the global
 */
export function listen(
  options: { origins: readonly string[]; signal?: AbortSignal },
  admit: Admit,
  Channel: typeof MessageChannel,
): void {
  const origins = new Set(options.origins)
  const admitted = new Map<string, Set<{ end(reason: string): void }>>() // oldest first
  const nonces = new WeakMap<object, Set<string>>() // by source: a nonce is accepted once

  const hearWindow = (event: MessageEvent<unknown>) => {
    const nonce = nonceOf(event.data, 'connect')
    if (nonce === undefined || !event.isTrusted || !origins.has(event.origin)) return
    const source = event.source as Window | null
    if (source === null || !('window' in source) || !isReal(source, event.origin)) return
    const used = nonces.get(source) ?? new Set()
    if (used.has(nonce)) return
    nonces.set(source, used.add(nonce))

    const { port1, port2 } = new Channel()
    const clients = admitted.get(event.origin) ?? new Set()
    admitted.set(event.origin, clients)
    if (clients.size >= maxPerOrigin) {
      const [oldest] = clients
      if (oldest) clients.delete(oldest)
      oldest?.end(`more than ${maxPerOrigin} clients of ${event.origin}: the oldest is closed`)
    }
    const client = { end(_: string) {} }
    clients.add(client)
    client.end = admit(port1, event.origin, (reason) => {
      clients.delete(client)
      if (reason) source.postMessage({ pagemcp: 'closed', nonce }, event.origin)
    })
    source.postMessage({ pagemcp: 'connected', nonce }, event.origin, [port2])
  }

  const { signal } = options
  signal?.throwIfAborted()
  addEventListener('message', hearWindow, { signal })
  signal?.addEventListener('abort', () => {
    for (const clients of admitted.values()) {
      for (const client of [...clients]) client.end('the page stopped listening')
    }
  })
}

/**
 * Requests a port of a page, from a window of a listed origin.
 *
 * @param target - the page's window: `parent`, an iframe's `contentWindow`, `window` itself
 * @param options.origin - the page's origin; the request is delivered to no other
 * @param options.timeout - in ms; default 10,000
 * @returns a started port: post JSON-RPC objects, receive them by `onmessage`
 * @throws a `DOMException` named `TimeoutError` if there is no answer, for instance because this origin is
 *   not on the page's list; the signal's reason if that is aborted
 */
export function connectTo(
  target: Window,
  options: { origin: string; timeout?: number; signal?: AbortSignal },
): Promise<MessagePort> {
  const origin = checkedOrigin(options.origin)
  const nonce = toBase64Url(crypto.getRandomValues(new Uint8Array(16)))
  return new Promise((resolve, reject) => {
    const over = new AbortController()
    const ask = () => target.postMessage({ pagemcp: 'connect', nonce }, origin)
    const timer = setInterval(ask, repeatEvery)
    const end = () => {
      clearInterval(timer)
      clearTimeout(deadline)
      over.abort()
    }
    const give = (reason: unknown) => {
      end()
      reject(reason)
    }
    const deadline = setTimeout(
      () =>
        give(
          new DOMException(
            `no answer from ${origin}: does its page list ${globalThis.origin} in listen?`,
            'TimeoutError',
          ),
        ),
      options.timeout ?? defaultTimeout,
    )
    const hearWindow = (event: MessageEvent<unknown>) => {
      if (!event.isTrusted || event.source !== target || event.origin !== origin) return
      const port = event.ports[0]
      if (nonceOf(event.data, 'connected') !== nonce || port === undefined) return
      end()
      hearClosed(target, origin, nonce, port)
      resolve(port)
    }
    addEventListener('message', hearWindow, { signal: over.signal })
    options.signal?.addEventListener('abort', () => give(options.signal?.reason), {
      signal: over.signal,
    })
    if (options.signal?.aborted) give(options.signal.reason)
    else ask()
  })
}

/** Gives a port the last message that its other end could not send. */
function hearClosed(target: Window, origin: string, nonce: string, port: MessagePort) {
  const own = new WeakRef(port)
  const over = new AbortController()
  const hear = (event: MessageEvent<unknown>) => {
    if (own.deref() === undefined) over.abort()
    if (!event.isTrusted || event.source !== target || event.origin !== origin) return
    if (nonceOf(event.data, 'closed') !== nonce) return
    over.abort()
    const data = goodbye('the engine was restarted')
    own.deref()?.dispatchEvent(new MessageEvent('message', { data }))
  }
  addEventListener('message', hear, { signal: over.signal })
}

/** The nonce of a handshake message, if it is one of that kind and nothing else. */
function nonceOf(data: unknown, kind: 'connect' | 'connected' | 'closed'): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { pagemcp, nonce } = data as Record<string, unknown>
  if (pagemcp !== kind || typeof nonce !== 'string') return undefined
  return nonce.length >= 16 && nonce.length <= 128 ? nonce : undefined
}

/**
 * Whether a source is a document that was served by its origin. A frame of about:blank, about:srcdoc
 * or blob: that this page made inherits our origin but is not trusted: it may contain markup of others.
 */
export function isReal(source: Window, origin: string): boolean {
  if (source === window || origin !== self.origin) return true
  try {
    return source.location.href.startsWith(`${origin}/`)
  } catch {
    return true // another process: not one that we made
  }
}
