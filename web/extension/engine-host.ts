/** What each platform.ts exports. */

import type { AccessChange, EngineStatus, Handlers, TabInfo } from './messages.ts'

/** Starts and stops the engine, and calls it. There is at most one. */
export interface EngineHost {
  /** Starts the engine unless it runs. */
  start(): Promise<void>
  /** Ends the engine: subscriptions with a result, the connection with a close. */
  stop(): Promise<void>
  /** The engine's status; without reads if it does not run. */
  status(): Promise<EngineStatus>
  /**
   * Joins the gateway of a link. The engine must run.
   *
   * @throws TypeError if the text is not a link of a gateway
   */
  join(link: string): Promise<void>
  /** Stops or allows an assistant, or pauses all. The engine must run. */
  access(change: AccessChange): Promise<void>
  /** Sends the tabs that assistants may read, if the engine runs. `loaded`: ids of tabs with new documents. */
  tabs(tabs: TabInfo[], loaded: number[]): void
}

export interface Platform {
  /** Call it while the background's script runs: the browser starts that script for events with listeners. */
  engineHost(host: Handlers<'host'>): EngineHost
  /** The browser's permission for a site, such as `http://app.example:8080`. */
  permissionFor(site: string): { origins: [string] }
  /** Keeps content scripts out of the extension's storage, where the browser can do that. */
  restrictStorage(): void
}

/** The timeout of the popup for the engine's status. */
export const statusTimeout = 1000 // ms

/** The timeout of the engine's last messages. */
export const stopTimeout = 2000 // ms

/** The status without an engine. */
export const noEngine: EngineStatus = { reads: [], assistants: [] }
