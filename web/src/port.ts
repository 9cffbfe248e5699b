/**
 * What carries the messages of one client: a `MessagePort`, or anything shaped like one. One message
 * is one JSON-RPC object, as a plain object. Besides, either side may say that it goes, for ports
 * have no reliable close event: {@link goodbye}. web/docs/protocol.md describes the binding.
 */

/**
 * A port, by structure: `MessagePort`, a Worker, one end of a fake pair in a test. It is taken over:
 * its `onmessage` is set, or, if it has none, a listener is added.
 */
export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void
  onmessage?: unknown
  addEventListener?(type: string, listener: (event: MessageEvent) => void): void
  start?(): void
  close?(): void
}

/**
 * As it was when this module was loaded: a script that gets into the page later may replace the global,
 * and would get the ports of clients.
 */
export const Channel = globalThis.MessageChannel

/** What either side sends last on a port. It is no JSON-RPC message, and never answered. */
export interface Goodbye {
  pagemcp: 'close'
  /** For people. */
  reason?: string
}

/**
 * Between a last message on a `MessagePort` and its close, ms. Firefox loses what was posted when a port is
 * closed while its other end is being transferred.
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

/**
 * Takes a port over.
 *
 * @param closed - called when the port closes, where the platform tells (Chromium does)
 */
export function listenToPort(
  port: Port,
  message: (data: unknown) => void,
  closed: () => void,
): void {
  const listener = (event: { data: unknown }) => message(event.data)
  if ('onmessage' in port)
    port.onmessage = listener // starts a MessagePort, too
  else port.addEventListener?.('message', listener)
  port.addEventListener?.('close', closed)
  port.start?.()
}

/**
 * Whether a port clones what it carries. Others hand objects over as they are: those are frozen, for
 * they are sent to more than one.
 */
export function clones(port: Port): boolean {
  return typeof MessagePort === 'function' && port instanceof MessagePort
}
