/** Messages between the engine and the tools of a document, by a relay in the tab, and their limits. */

/** The names of the events between the relay and the script of the page, and of the relay's port. */
export const toPage = 'pagemcp-to-page'
export const fromPage = 'pagemcp-from-page'
export const toolsPort = 'tools'

/** The name of the port of the window that asks the user. */
export const questionPort = 'question'

/** The most tools of a document; and of each, texts and schema, in UTF-16 code units. */
export const maxTools = 100
export const maxText = 2000 // wasm/plain, MaxDescription
export const maxSchema = 8000

/** The longest result of a call that a page is asked for, and the longest message that the relay passes. */
export const maxAnswer = 200_000 // UTF-16 code units
export const maxMessage = 2_000_000 // UTF-16 code units, of JSON

/** Without a member: the page sends its list. */
export interface ToPage {
  readonly call?: { readonly id: number; readonly name: string; readonly input: object }
  /** The number of a call. */
  readonly cancel?: number
  /** The extension has left: all calls are cancelled. */
  readonly isOver?: true
}
