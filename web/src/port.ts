/**
 * Carries the messages of one client: a `MessagePort`, or an object with the same methods. One message is
 * one JSON-RPC object, as a plain object. Ports have no reliable close event, so either side may send a
 * last message, {@link goodbye}. web/docs/protocol.md describes the binding.
 */

/**
 * A port, by structure: a `MessagePort`, a Worker, one end of a pair in a test. Its `onmessage` is set, or,
 * if it has none, a listener is added.
 */
export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void
  onmessage?: unknown
  addEventListener?(type: string, listener: (event: MessageEvent) => void): void
  start?(): void
  close?(): void
}

/**
 * The class at the time when this module was loaded: a script that replaces the global later would get the
 * ports of clients.
 */
export const Channel = globalThis.MessageChannel

/** The last message of either side of a port. It is not a JSON-RPC message, and is not answered. */
export interface Goodbye {
  pagemcp: 'close'
  /** For people. */
  reason?: string
}

/**
 * The time between a last message on a `MessagePort` and its close, ms. Firefox drops posted messages of a
 * port that is closed while its other end is being transferred.
 */
export const lastMessageTime = 1_000

/** Makes the last message on a port. */
export function goodbye(reason: string): Goodbye {
  return { pagemcp: 'close', reason }
}

/** Whether a message is the other side's last one. */
export function isGoodbye(message: unknown): message is Goodbye {
  return (message as Partial<Goodbye> | null | undefined)?.pagemcp === 'close'
}

let heard = () => {}

/** Calls a function when messages arrive at ports of this thread, before they are handled, at most once in `interval` ms. */
export function onMessages(act: () => void, interval: number): void {
  let next = 0
  heard = () => {
    if (performance.now() < next) return
    next = performance.now() + interval
    act()
  }
}

/**
 * Listens to a port, in place of earlier handlers.
 *
 * @param closed - called when the port closes, in browsers that have the event (Chromium)
 */
export function listenToPort(
  port: Port,
  message: (data: unknown) => void,
  closed: () => void,
): void {
  const listener = (event: { data: unknown }) => {
    heard()
    message(event.data)
  }
  if ('onmessage' in port)
    port.onmessage = listener // starts a MessagePort, too
  else port.addEventListener?.('message', listener)
  port.addEventListener?.('close', closed)
  port.start?.()
}

/** Whether a port clones messages: other ports share objects with the receiver. */
export function clones(port: Port): boolean {
  return typeof MessagePort === 'function' && port instanceof MessagePort
}
