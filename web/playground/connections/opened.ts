/** A window that a connection has opened, in a frame or on its own. */

/** A window that was opened for a connection. */
export interface Opened {
  window: Window
  origin: string
  close(): void
  /** Settles when it was closed by somebody else. */
  gone: Promise<void>
}
