/** A window or frame that was opened for a connection. */

export interface OpenedWindow {
  window: Window
  origin: string
  close(): void
  /** Settles when the user or the page has closed the window. */
  gone: Promise<void>
}
