/** A window that a connection has opened, in a frame or on its own. */

/** A window that was opened for a connection. */
export interface OpenedWindow {
  window: Window
  origin: string
  close(): void
  /** Settles when the window was closed by the visitor or its page. */
  gone: Promise<void>
}
