/** What each platform.ts exports. */

import type { Parts } from './messages.ts'

/** Starts and stops the engine. There is at most one. */
export interface EngineHost {
  /** Starts the engine unless it runs. */
  start(): Promise<void>
  stop(): Promise<void>
  /** The engine, if it runs. */
  running(): Promise<Parts['engine'] | undefined>
}

export interface Platform {
  /** Call it while the background's script runs: the browser starts that script for events with listeners. */
  engineHost(host: Parts['host']): EngineHost
  /** The browser's permission for a site, such as `http://app.example:8080`. */
  permissionFor(site: string): { origins: [string] }
  /** Keeps content scripts out of the extension's storage, where the browser can do that. */
  restrictStorage(): void
}

/** The timeout of the engine's last messages. */
export const stopTimeout = 2000 // ms
