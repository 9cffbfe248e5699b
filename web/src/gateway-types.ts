/** The connection of a page to its gateway, as others see it. */

import type { Client, TextChannel } from './clients.ts'
import type { GatewayQuestion } from './credentials.ts'
import type { Hello } from './handshake.ts'
import type { Invitation } from './invitation.ts'

/** How to reach a gateway. Can be cloned to the Worker. */
export interface Dial {
  /** Addresses that the app names, at least one; never taken from a link. */
  readonly gateways: readonly string[]
  /** Of one of these gateways. */
  readonly invitation?: Invitation
  /** The user has chosen the invitation: it replaces a key without confirmation. */
  readonly isChosen?: boolean
  /** The page joins with tokens of its app, and with nothing else; there is one gateway then. */
  readonly hasToken?: true
  /** The page has joined before, with an engine's thread that has ended. */
  readonly rejoins?: true
  /** The description of the page; without it, the page is paired and not joined. */
  readonly hello?: Hello
}

/** The state of a connection. */
export interface GatewayState {
  readonly url: string
  readonly is: 'connecting' | 'joined' | 'away' | 'refused' | 'closed'
  /** The page's name at the gateway, once joined: `notes`, `notes-2`. */
  readonly name?: string
  /** Why it is away or refused, as a text for people. */
  readonly error?: string
}

/** The functions that a connection needs from the engine and the page. */
export interface GatewayHost {
  /** Serves the gateway as a client. */
  open(channel: TextChannel): Client
  /** The present page id: a document that returns from the back/forward cache may have lost the one that it had. */
  pageId(): Promise<string>
  /** Replaces the page id: a newer document has the present one. */
  newPageId(): Promise<string>
  /** The gateway has refused the key of the page: it has forgotten the app. */
  forgotten(): void
  /** Lets the user confirm that the page leaves the gateway that it has a key for. */
  confirm(question: GatewayQuestion, signal: AbortSignal): Promise<boolean>
  /** For {@link Dial.hasToken}: the app's function for a token; its result is checked. */
  token?(): unknown
  /** Runs `act`, and passes the calls to other threads that it makes on together. */
  together(act: () => void): void
  state(state: GatewayState): void
}

export interface Connection {
  /** Resolves when the page has joined for the first time; rejects with a {@link JoinError}. */
  readonly joined: Promise<string>
  /** Reconnects now: the network has returned, or the page is shown again. */
  wake(): void
  close(): void
}
